import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as net from 'node:net';
import { expect } from 'chai';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { MOST_REFUSED } from '../../src/service/http/live/LiveConnection.ts';
import { MOST_UNANSWERED } from '../../src/service/http/Pipeline.ts';
import { fakeParts, GOOD_KEY, MODEL } from '../support/fakeParts.ts';
import { OPEN, realParts, STAMPS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { exchange, OPTIONS, startTestServer, suiteServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

/** Requests that fit into one piece of 64 KiB. */
const MANY = 1000;
const CONNECTIONS = 16;

/** Counts iterations of the event loop until `stop`. */
function countIterations(): { now(): number; stop(): void } {
  let [count, isOn] = [0, true];
  const next = (): void => {
    count++;
    if (isOn) setImmediate(next);
  };
  setImmediate(next);
  return { now: () => count, stop: () => (isOn = false) };
}

/** The largest number of equal values. */
const mostAtOnce = (values: readonly number[]): number =>
  Math.max(...values.map((value) => values.filter((other) => other === value).length));

/** A masked text frame; the mask is 0. */
function frame(opcode: number, payload: Buffer): Buffer {
  const length = payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255];
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | length[0], ...length.slice(1), 0, 0, 0, 0]), payload]);
}

const textFrame = (message: object): Buffer => frame(1, Buffer.from(JSON.stringify(message)));

const UPGRADE =
  `GET /auth/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Api-Key: ${GOOD_KEY}\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`;

async function openRaw(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {}).write(UPGRADE);
  await once(socket, 'data');
  return socket;
}

describe('a connection that does not wait for answers (row 82)', () => {
  const body = JSON.stringify(exampleTickRequest());
  const forecast = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const FLOODS: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
    'a health route': ['GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n', 200],
    'a path without a route': ['GET /x HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    'a method without a route': ['PUT /sample HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    'a preflight request': [
      'OPTIONS /auth/ti-tick HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n',
      403,
    ],
    'a forecast without a key': ['POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', 415],
  };
  const server = suiteServer(fakeParts());

  for (const [what, [bytes, status]] of Object.entries(FLOODS))
    it(`gets ${MOST_UNANSWERED} answers to ${what} in order, a 429 problem, and is closed; no further request starts`, async () => {
      const before = server.logged.filter(({ msg }) => msg === 'request').length;
      const text = await exchange(server.port, bytes.repeat(MANY));
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));
      expect(statuses).to.deep.equal([...Array<number>(MOST_UNANSWERED).fill(status), 429]);
      expect(text).to.include(`may have ${MOST_UNANSWERED} requests without an answer`);
      expect(server.logged.filter(({ msg }) => msg === 'request').length - before).to.equal(MOST_UNANSWERED);
    });

  it('gets the answers to the most requests that may wait, and further ones on the same connection', async () => {
    const [socket, last] = [net.connect(server.port, '127.0.0.1'), 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'];
    let text = '';
    socket.on('data', (bytes) => (text += bytes.toString('latin1')));
    const ordinary = FLOODS['a health route'][0];
    for (let round = 1; round <= 3; round++) {
      socket.write(ordinary.repeat(MOST_UNANSWERED));
      while (text.split('HTTP/1.1 200').length - 1 < round * MOST_UNANSWERED) await once(socket, 'data');
    }
    socket.write(last);
    await once(socket, 'close');
    expect(text).not.to.include('HTTP/1.1 429');
    expect(text.split('HTTP/1.1 200')).to.have.length(3 * MOST_UNANSWERED + 2);
  });

  it('starts one request in an iteration of the event loop, after the first', async () => {
    const iterations = countIterations();
    const starts: number[] = [];
    const parts = fakeParts();
    const rig = await startTestServer({
      ...parts,
      authenticate: (...args) => {
        starts.push(iterations.now());
        return parts.authenticate(...args);
      },
    });
    // The first ones may be answered before the last ones of the limit arrive.
    const text = await exchange(rig.port, forecast.repeat(100));
    iterations.stop();
    expect(text).to.include('HTTP/1.1 429');
    expect(starts).to.have.lengthOf.within(MOST_UNANSWERED, 99);
    expect(mostAtOnce(starts)).to.be.at.most(2);
    await rig.close();
  });

  it('is closed after one answer to a refused upgrade: what follows in the piece is not read', async () => {
    const upgrade = 'GET /auth/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect((await exchange(server.port, upgrade.repeat(MANY))).match(/HTTP\/1\.1 \d+/g)).to.have.lengthOf(1);
  });

  it('and its batches start a bounded number of items in an iteration, however many connections send them', async () => {
    const iterations = countIterations();
    const starts: number[] = [];
    const parts = fakeParts();
    const rig = await startTestServer({
      ...parts,
      forecast: (...args) => {
        starts.push(iterations.now());
        return parts.forecast(...args);
      },
    });
    const items = `{"items":[${Array<string>(64).fill(body).join(',')}]}`;
    const batch = `POST /auth/ti-tick/batch HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${items.length}\r\n\r\n${items}`;
    const texts = await Promise.all(Array.from({ length: CONNECTIONS }, () => exchange(rig.port, batch)));
    iterations.stop();
    expect(texts.every((text) => text.startsWith('HTTP/1.1 200'))).to.equal(true);
    expect(starts).to.have.lengthOf(CONNECTIONS * 64);
    // The slots of one iteration, and once more those that forecasts free before its end.
    expect(mostAtOnce(starts)).to.be.at.most(2 * OPTIONS.maxInFlight);
    await rig.close();
  });
});

describe('a live connection that sends without pause (row 83)', () => {
  it(`is closed with 1008 after ${MOST_REFUSED} refused messages in a row; a good one between them starts the count again`, async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      for (let i = 0; i < MOST_REFUSED - 1; i++) client.send({ type: 'x' });
      client.send({ type: 'score', series: 'a' });
      for (let i = 0; i < MOST_REFUSED + 100; i++) client.send({ type: 'x' });
      expect(await client.closed()).to.equal(1008);
      expect(client.of('error')).to.have.length(2 * MOST_REFUSED - 1);
    });
  });

  it('has one message of a piece handled in an iteration of the event loop, and another connection in between', async () => {
    const iterations = countIterations();
    const handled: { readonly model: string | undefined; readonly at: number }[] = [];
    const parts = realParts();
    const find: typeof parts.models.find = (id) => {
      handled.push({ model: id, at: iterations.now() });
      return id === 'other' ? MODEL : undefined;
    };
    const server = await startTestServer({ ...parts, models: { ...parts.models, find } });
    const [busy, other] = [await openRaw(server.port), await openRaw(server.port)];
    busy.write(Buffer.concat(Array<Buffer>(MOST_REFUSED).fill(textFrame({ ...OPEN, model: 'busy' }))));
    await once(busy, 'data');
    other.write(textFrame({ ...OPEN, model: 'other' }));
    await until(() => handled.length > MOST_REFUSED);
    iterations.stop();
    const ofBusy = handled.filter(({ model }) => model === 'busy').map(({ at }) => at);
    expect(ofBusy).to.have.length(MOST_REFUSED);
    expect(mostAtOnce(ofBusy)).to.equal(1);
    expect(handled.findIndex(({ model }) => model === 'other')).to.be.within(1, MOST_REFUSED - 1);
    busy.destroy();
    other.destroy();
    await server.close();
  });

  it('answers one ping of a piece in an iteration, so that another connection is served in between', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const [socket, other] = [await openRaw(server.port), await connect()];
      let pongs = 0;
      socket.on('data', (bytes) => (pongs += bytes.length / 2));
      socket.write(Buffer.concat(Array<Buffer>(8000).fill(frame(9, Buffer.alloc(0)))));
      await once(socket, 'data');
      other.send(OPEN);
      await other.next('opened');
      expect(pongs).to.be.below(8000);
      socket.destroy();
    });
  });

  it('is closed with 1008 for a message of more than 256 frames', async () => {
    await withServer(realParts(), {}, async (server) => {
      const socket = await openRaw(server.port);
      const received: Buffer[] = [];
      socket.on('data', (bytes) => received.push(bytes));
      const part = Buffer.from([0, 0x80, 0, 0, 0, 0]);
      socket.write(Buffer.concat([Buffer.from([1, 0x80, 0, 0, 0, 0]), ...Array<Buffer>(300).fill(part)]));
      await once(socket, 'close');
      expect(Buffer.concat(received).readUInt16BE(2)).to.equal(1008);
    });
  });

  it('has a bounded number of forecasts fall due in an iteration, also if each is skipped at once', async () => {
    const iterations = countIterations();
    const takes: number[] = [];
    const take = (): Promise<never> => {
      takes.push(iterations.now());
      return Promise.reject(new ServiceError('limit.exceeded', 'Used up.'));
    };
    const parts = realParts();
    const forecasts = Array.from({ length: 8 }, (_, i) => ({ horizon: `${10 + i}s`, every: 'tick' }));
    await withServer(
      { ...parts, limits: { ...parts.limits, forecasts: { ...parts.limits.forecasts, take } } },
      { live: OPTIONS.live },
      async (_server, connect) => {
        const client = await connect();
        client.send({ ...OPEN, forecasts });
        client.send(ticksMessage(0, 900));
        client.send({ type: 'score', series: 'a' });
        await client.next('score');
      },
    );
    iterations.stop();
    expect(takes.length).to.be.above(8 * (STAMPS.length - 300));
    expect(mostAtOnce(takes)).to.be.at.most(64);
  });
});
