import { randomBytes } from 'node:crypto';
import * as net from 'node:net';
import { expect } from 'chai';
import { type Clock, systemClock } from '../../src/core/Clock.ts';
import { EMPTY_TALLY, mergeTallies, type Tally } from '../../src/engine/live/score.ts';
import type { RecordKey } from '../../src/service/live/TrackRecord.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { GOOD_KEY } from '../support/fakeParts.ts';
import { LiveSocket, OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

/** Rows 73 and 76 to 79 of docs/explanation/reliability.md. */
type RawSocket = { readonly socket: net.Socket; isClosed: boolean };

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Upgrades without a WebSocket library, which would send whole frames and answer pings. */
async function upgradeRaw(port: number): Promise<RawSocket> {
  const raw: RawSocket = { socket: net.connect(port, '127.0.0.1'), isClosed: false };
  raw.socket.on('error', () => {}).once('close', () => (raw.isClosed = true));
  let answer = '';
  raw.socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
  raw.socket.write(
    `GET /auth/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nApi-Key: ${GOOD_KEY}\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Protocol: tickmark.v1\r\n\r\n`,
  );
  await until(() => answer.includes('\r\n\r\n'));
  expect(answer).to.include('101 Switching Protocols');
  return raw;
}

/** A masked text frame; the mask is 0, so the text stays readable. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.writeUInt8(0x81);
  head.writeUInt8(0x80 | 126, 1);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const errorsOf = (server: TestServer): unknown[] => server.logged.filter(({ level }) => level === 'error');

describe('faults of live connections', () => {
  it('closes a client that sends a byte a second after the third ping, and serves another one meanwhile (row 76)', async () => {
    const clock = new FakeClock();
    const server = await startTestServer(realParts(), { keyCheckMs: 1e9 }, 'ready', clock);
    const other = new LiveSocket(server.url);
    await other.opened;
    let pings = 0;
    other.socket.on('ping', () => pings++);
    const slow = await upgradeRaw(server.port);
    const bytes = frame(JSON.stringify({ ...OPEN, series: 'x'.repeat(60) }));
    for (let second = 1; second <= 60; second++) {
      expect(slow.isClosed, `closed after ${second} s`).to.equal(false);
      slow.socket.write(bytes.subarray(second - 1, second));
      clock.advance(1000);
      if (second % 20 === 0) await until(() => pings === second / 20);
      await nextIteration();
    }
    await until(() => slow.isClosed);
    other.send(OPEN);
    other.send(ticksMessage(0, 900));
    await other.next('forecast', 30);
    expect([other.closeCode, errorsOf(server)]).to.deep.equal([undefined, []]);
    other.socket.terminate();
    await server.close();
  });

  it('frees 200 connections that end within a frame (row 76)', async () => {
    await withServer(
      realParts(),
      { live: { connectionsPerAccount: 200, seriesPerConnection: 64, forecastsPerSeries: 8, pendingOutcomes: 4096, memoryMb: 512 } },
      async (server, connect) => {
        const whole = frame(JSON.stringify(ticksMessage(0, 300)));
        const raws = await Promise.all(Array.from({ length: 200 }, () => upgradeRaw(server.port)));
        raws.forEach(({ socket }, i) => {
          socket.write(frame(JSON.stringify(OPEN)));
          socket.write(whole.subarray(0, 1 + ((i * 53) % (whole.length - 1))));
          if (i % 2 === 0) socket.destroy();
          else socket.end();
        });
        await until(() => raws.every(({ isClosed }) => isClosed));
        await until(() => server.logged.filter(({ msg }) => msg === 'live connection closed').length === 200);
        const client = await connect();
        client.send(OPEN);
        await client.next('opened');
        expect(errorsOf(server)).to.deep.equal([]);
      },
    );
  });

  it('keeps 2,000 idle connections, and serves another one meanwhile (row 76)', async function () {
    this.timeout(120_000);
    const live = { connectionsPerAccount: 2001, seriesPerConnection: 64, forecastsPerSeries: 8, pendingOutcomes: 4096, memoryMb: 512 };
    // Without pings, which these clients would not answer.
    const server = await startTestServer(realParts(), { live, maxConnections: 3000 }, 'ready', new FakeClock());
    const idle: RawSocket[] = [];
    const usedMb = (): number => process.memoryUsage().rss / 1e6;
    const beforeMb = usedMb();
    for (let i = 0; i < 2000; i += 100) idle.push(...(await Promise.all(Array.from({ length: 100 }, () => upgradeRaw(server.port)))));
    // Of the service and of the client sides, which are in this process.
    expect(usedMb() - beforeMb).to.be.below(120);
    const client = new LiveSocket(server.url);
    await client.opened;
    client.send(OPEN);
    client.send(ticksMessage(0, 900));
    await client.next('forecast', 30);
    expect(idle.filter(({ isClosed }) => isClosed)).to.have.length(0);
    for (const { socket } of idle) socket.destroy();
    await until(() => server.logged.filter(({ msg }) => msg === 'live connection closed').length === 2000);
    expect([client.closeCode, errorsOf(server)]).to.deep.equal([undefined, []]);
    client.socket.terminate();
    await server.close();
  });

  it('gives the same forecasts and outcomes when the wall clock is set in between, and counts each once (row 73)', async () => {
    let offsetMs = 0;
    const startMs = Date.UTC(2026, 0, 15, 12) - systemClock.monotonicMs();
    const clock: Clock = { ...systemClock, nowMs: () => startMs + systemClock.monotonicMs() + offsetMs };
    let recorded: Tally = EMPTY_TALLY;
    const days = new Set<string>();
    const add = ({ day }: RecordKey, tally: Tally): void => {
      days.add(day);
      recorded = mergeTallies(recorded, tally);
    };
    const read: unknown[] = [];
    for (const stepsMs of [
      [0, 0, 0],
      [86_400_000, -3 * 86_400_000, 5_400_000],
    ]) {
      recorded = EMPTY_TALLY;
      days.clear();
      const server = await startTestServer(
        realParts({ trackRecord: { add, storeSoon: () => {}, rows: () => Promise.resolve([]) } }),
        {},
        'ready',
        clock,
      );
      const client = new LiveSocket(server.url);
      await client.opened;
      client.send(OPEN);
      for (const [i, stepMs] of stepsMs.entries()) {
        client.send(ticksMessage(300 * i, 300 * (i + 1)));
        client.send({ type: 'score', series: 'a' });
        await client.next('score', i + 1);
        offsetMs += stepMs;
      }
      client.send({ type: 'close', series: 'a' });
      const [last] = (await client.next('score', 4)).scores;
      expect(recorded).to.include({ forecasts: client.of('forecast').length, outcomes: last!.outcomes, unscored: last!.unscored });
      expect([...days]).to.deep.equal([STAMPS[0].slice(0, 10)]);
      const inOrder = (type: 'forecast' | 'outcome') => [...client.of(type)].sort((a, b) => a.n - b.n);
      read.push([inOrder('forecast'), inOrder('outcome'), last]);
      client.socket.terminate();
      await server.close();
    }
    expect(read[1]).to.deep.equal(read[0]);
  });

  it('answers 10,000 messages that are sent at once in order, and another client in between (row 77)', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const [busy, other] = [await connect(), await connect()];
      other.send(OPEN);
      other.send(ticksMessage(0, 900));
      busy.send({ ...OPEN, forecasts: [{ horizon: '10s', every: '1d' }] });
      const beforeMb = process.memoryUsage().rss / 1e6;
      for (let i = 0; i < 10_000; i++) {
        const at = Math.floor(i / 10);
        if (i % 10 === 0 && at < 900) busy.send(ticksMessage(at, at + 1));
        else busy.send({ type: i % 2 === 0 ? 'score' : 'scores', series: 'a' });
      }
      other.send({ type: 'ask', series: 'a', horizon: '30s' });
      await until(() => other.of('forecast').some(({ id }) => id === 'ask'));
      expect(busy.of('score').length).to.be.below(4100);
      await until(() => busy.of('score').length === 4100 && busy.of('error').length === 5000);
      expect(new Set(busy.of('error').map(({ errors }) => errors?.[0]?.code))).to.deep.equal(new Set(['message.type_unknown']));
      expect(busy.of('score').at(-1)?.scores[0]).to.include({ since: STAMPS[0] });
      busy.send({ type: 'ask', series: 'a', horizon: '30s' });
      expect((await busy.next('forecast')).timestamp).to.equal(STAMPS[899]);
      expect(process.memoryUsage().rss / 1e6 - beforeMb).to.be.below(200);
      expect(errorsOf(server)).to.deep.equal([]);
    });
  });

  it('keeps the series as it was after each of 1,000 messages with ticks out of order (row 78)', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const [wild, calm] = [await connect(), await connect()];
      for (const client of [wild, calm]) client.send(OPEN);
      for (let i = 0; i < 900; i += 9) {
        for (let k = 0; k < 10; k++) {
          const Timestamp = STAMPS.slice(i, i + 9);
          // The last tick steps back behind the first one, or behind the tick before it.
          Timestamp[8] = k % 2 === 0 ? '1999-01-02 00:00:00' : STAMPS[Math.max(0, STAMPS.indexOf(Timestamp[7]) - 1)];
          wild.send({ type: 'ticks', series: 'a', Timestamp, Price: [...TICKS.prices.slice(i, i + 9)] });
        }
        for (const client of [wild, calm]) client.send(ticksMessage(i, i + 9));
      }
      for (const client of [wild, calm]) client.send({ type: 'close', series: 'a' });
      const [last] = [await calm.next('score'), await wild.next('score')];
      expect(wild.of('error')).to.have.length(1000);
      expect(wild.of('error').map(({ errors }) => errors?.[0]?.code)).to.include('timestamp.step_back');
      expect(wild.of('score')).to.deep.equal([last]);
      const inOrder = (client: LiveSocket) => [...client.of('forecast')].sort((a, b) => a.n - b.n);
      expect(inOrder(wild)).to.deep.equal(inOrder(calm));
    });
  });

  it('tells every client under load that it goes away, closes with 1001 and does not wait for its grace period (row 79)', async () => {
    const server = await startTestServer(realParts(), { shutdownGraceMs: 3_600_000 });
    const clients = Array.from({ length: 12 }, () => new LiveSocket(server.url));
    const unknown = new LiveSocket(server.url, { key: '' });
    await Promise.all([...clients, unknown].map(({ opened }) => opened));
    for (const client of clients) {
      client.send({ ...OPEN, forecasts: [{ horizon: '10s', every: 'tick' }] });
      for (let i = 0; i < 900; i += 30) client.send(ticksMessage(i, i + 30));
    }
    await Promise.all(clients.map((client) => client.next('forecast')));
    await server.close();
    expect(await unknown.closed()).to.equal(1001);
    for (const client of clients) {
      expect(await client.closed()).to.equal(1001);
      expect(client.of('status').map(({ code }) => code)).to.include('going_away');
      expect(client.of('error')).to.deep.equal([]);
    }
    expect(errorsOf(server)).to.deep.equal([]);
  });

  it('refuses a bad message with pointer and index, and the series stays as it was', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect();
      const refused = async (message: object | string, pointer: string, code: string): Promise<void> => {
        const count = client.of('error').length + 1;
        client.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
        const error = await client.next('error', count);
        expect([error.errors?.[0]?.pointer, error.errors?.[0]?.code ?? error.code], JSON.stringify(error)).to.deep.equal([pointer, code]);
      };
      const one = { ...OPEN.forecasts[0] };
      await refused({ type: 'ticks', series: 'a', Timestamp: STAMPS.slice(0, 1), Price: [1] }, '/series', 'series.unknown');
      await refused({ ...OPEN, series: 'a b' }, '/series', 'field.malformed');
      await refused({ ...OPEN, forecasts: [] }, '/forecasts', 'forecasts.too_few');
      await refused({ ...OPEN, forecasts: Array(9).fill(one) }, '/forecasts', 'forecasts.too_many');
      await refused({ ...OPEN, forecasts: [one, one] }, '/forecasts/1/id', 'forecast.id_repeated');
      await refused({ ...OPEN, forecasts: [{ ...one, id: 'ask' }] }, '/forecasts/0/id', 'forecast.id_repeated');
      await refused({ ...OPEN, forecasts: [{ ...one, horizon: '0s' }] }, '/forecasts/0/horizon', 'field.malformed');
      await refused({ ...OPEN, forecasts: [{ ...one, every: '2d' }] }, '/forecasts/0/every', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, min_move_bps: 0 }] }, '/forecasts/0/min_move_bps', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, min_move_bps: 10_001 }] }, '/forecasts/0/min_move_bps', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, mark_rate: 0.6 }] }, '/forecasts/0/mark_rate', 'field.out_of_range');
      const twice = { ...one, mark_rate: 0.05, min_probability: 0.4 };
      await refused({ ...OPEN, forecasts: [twice] }, '/forecasts/0/mark_rate', 'mark_rate.with_probability');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 198 }] }, '/forecasts/0/ticks', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 3001 }] }, '/forecasts/0/ticks', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 250.5 }] }, '/forecasts/0/ticks', 'field.wrong_type');
      const resume = { ...one, resume_after: '2024-02-30 09:00:00' };
      await refused({ ...OPEN, forecasts: [resume] }, '/forecasts/0/resume_after', 'timestamp.not_a_time');
      await refused({ ...OPEN, extra: 1 }, '/extra', 'field.unknown');
      await refused({ ...OPEN, type: 'opne' }, '/type', 'message.type_unknown');
      await refused({ series: 'a' }, '/type', 'field.missing');
      await refused('[]', '', 'body.not_object');
      await refused({ type: 'auth', api_key: GOOD_KEY }, '/type', 'message.type_unknown');
      client.send(OPEN);
      await client.next('opened');
      await refused(OPEN, '/series', 'series.already_open');
      await refused({ type: 'ask', series: 'a', horizon: '10s' }, '/series', 'ticks.too_few');
      client.send(ticksMessage(0, 300));
      await refused(ticksMessage(299 - 10, 320), '/Timestamp/0', 'timestamp.step_back');
      const good = ticksMessage(300, 320) as { Timestamp: string[]; Price: number[] };
      await refused({ ...good, Price: good.Price.map((price, i) => (i === 7 ? -1 : price)) }, '/Price/7', 'price.not_positive');
      await refused({ ...good, Price: good.Price.slice(1) }, '/Price', 'ticks.lengths_differ');
      await refused(
        { ...good, Timestamp: good.Timestamp.map((text, i) => (i === 3 ? STAMPS[0] : text)) },
        '/Timestamp/3',
        'timestamp.step_back',
      );
      await refused({ ...good, Timestamp: [], Price: [] }, '/Timestamp', 'ticks.empty');
      await refused({ ...good, Timestamp: ['2199-12-31 12:00:00'], Price: [1] }, '/Timestamp/0', 'timestamp.out_of_range');
      const big = { ...good, Timestamp: Array(3001).fill(STAMPS[899]), Price: Array(3001).fill(1) };
      await refused(big, '/Timestamp', 'ticks.too_many');
      client.send(ticksMessage(300, 900));
      client.send({ type: 'score', series: 'a' });
      await client.next('score');
      const fresh = await connect();
      await fresh.run(OPEN, ticksMessage(0, 900), { type: 'score', series: 'a' });
      const seen = ({ n, probability }: { n: number; probability: number | null }) => [n, probability];
      await until(() => client.of('forecast').length === fresh.of('forecast').length);
      expect(client.of('forecast').map(seen)).to.deep.equal(fresh.of('forecast').map(seen));
      await refused('{"type":"score","series":"a"', undefined as never, 'request.malformed_json');
      await refused('{"type":"score","series":"a","series":"a"}', undefined as never, 'request.duplicate_key');
    });
  });
});
