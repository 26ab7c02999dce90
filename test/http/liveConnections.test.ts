import { expect } from 'chai';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { forecastLimit, rateLimit } from '../../src/service/accounts/limits/RateLimit.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { CALLER, fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { LiveSocket, OPEN, realParts, ticksMessage, withServer } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { OPTIONS } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { randomBytes } from 'node:crypto';
import type * as net from 'node:net';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { exchange, parseRaw, startTestServer } from '../support/testServer.ts';

describe('connections of GET /auth/live', () => {
  it('accepts the key in the first message, from callers that cannot set headers', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect({ key: '' });
      client.send({ type: 'auth', api_key: GOOD_KEY });
      client.send(OPEN);
      expect((await client.next('opened')).limits).to.include({ series_per_connection: 64, ticks_kept: 3000 });
      const bad = await connect({ key: '' });
      bad.send({ type: 'auth', api_key: 'tkm_live_wrong' });
      expect((await bad.next('error')).code).to.equal('auth.key_refused');
      expect(await bad.closed()).to.equal(4401);
      const none = await connect({ key: '' });
      none.send(OPEN);
      expect(await none.closed()).to.equal(4401);
    });
  });

  it('answers 401 to a bad key before the upgrade, and other requests at its path with 404', async () => {
    await withServer(realParts(), {}, async (server) => {
      const upgrade = (headers: string): Promise<string> =>
        exchange(
          server.port,
          `GET /auth/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`,
        );
      const refused = parseRaw(await upgrade('Api-Key: wrong\r\n'));
      expect([refused.status, refused.problem['code']]).to.deep.equal([401, 'auth.key_refused']);
      expect(refused.head).to.include('WWW-Authenticate: ApiKey');
      const many = parseRaw(await upgrade('X-A: 1\r\n'.repeat(101)));
      expect(many.status).to.equal(431);
      const plain = await request(server.url, '/auth/live', { headers: { 'Api-Key': GOOD_KEY } });
      expect(plain.status).to.equal(404);
      expect(plain.text).to.include('WebSocket');
      const h2c = await request(server.url, '/health/live', { headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' } });
      expect(h2c.status).to.equal(200);
    });
  });

  it('closes a connection whose key was revoked', async () => {
    let isRevoked = false;
    const parts = realParts({ authenticate: (header) => Promise.resolve(header === GOOD_KEY && !isRevoked ? CALLER : undefined) });
    await withServer(parts, {}, async (_server, connect) => {
      const [first, second] = [await connect(), await connect()];
      isRevoked = true;
      expect(await first.closed()).to.equal(4401);
      expect(await second.closed()).to.equal(4401);
    });
  });

  it('keeps connections while the account store does not answer', async () => {
    let isDown = false;
    let asked = 0;
    const authenticate: HttpParts['authenticate'] = () => {
      asked++;
      return isDown ? Promise.reject(new ServiceError('store.unavailable', 'down')) : Promise.resolve(CALLER);
    };
    await withServer(realParts({ authenticate }), {}, async (_server, connect) => {
      const client = await connect();
      isDown = true;
      const before = asked;
      await until(() => asked > before + 2);
      expect(client.closeCode).to.equal(undefined);
    });
  });

  it('refuses more connections than an account may have, and accepts one again after another closed', async () => {
    await withServer(realParts(), { live: { ...OPTIONS.live, connectionsPerAccount: 2 } }, async (server, connect) => {
      const [first] = [await connect(), await connect()];
      let message = '';
      await connect().catch((error: unknown) => (message = String(error)));
      expect(message).to.include('429');
      first.socket.close();
      await until(() => server.logged.some(({ msg }) => msg === 'live connection closed'));
      await connect();
    });
  });

  it('closes connections that send a binary frame, or one larger than 1 MiB, and reads no more of it', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const binary = await connect();
      binary.socket.send(Buffer.from('{}'), { binary: true });
      expect(await binary.closed()).to.equal(1003);
      const large = await connect();
      large.socket.send('x'.repeat(1024 * 1024 + 1));
      expect(await large.closed()).to.equal(1009);
    });
  });

  it('cuts a connection off that sends more than 4 KiB before its key', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect({ key: '' });
      client.socket.send('x'.repeat(5000));
      expect(await client.closed()).to.be.oneOf([1006, 4401]);
      const header = Buffer.alloc(14 + 5000);
      header[0] = 0x81;
      header[1] = 0x80 | 127;
      header.writeBigUInt64BE(1_000_000n, 2);
      const slow = await connect({ key: '' });
      (slow.socket as unknown as { _socket: net.Socket })._socket.write(header);
      expect(await slow.closed()).to.equal(1006);
      // What follows the key in the same piece counts as its messages.
      const good = await connect({ key: '' });
      good.send({ type: 'auth', api_key: GOOD_KEY });
      good.send(OPEN);
      good.send(ticksMessage(0, 900));
      await good.next('forecast');
    });
  });

  it('answers an upgrade that is no WebSocket with a problem', async () => {
    await withServer(realParts(), {}, async (server) => {
      const head = `GET /auth/live HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
      for (const fields of ['', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 99\r\n']) {
        const raw = parseRaw(await exchange(server.port, `${head}${fields}\r\n`));
        expect([raw.status, raw.problem['code']]).to.deep.equal([400, 'request.malformed_http']);
      }
    });
  });

  it('refuses a frame of 100 MB by its header', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const client = await connect();
      const raw = (client.socket as unknown as { _socket: net.Socket })._socket;
      const header = Buffer.alloc(14);
      header[0] = 0x81;
      header[1] = 0x80 | 127;
      header.writeBigUInt64BE(100_000_000n, 2);
      raw.write(header);
      expect(await client.closed()).to.equal(1009);
      expect(server.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });

  it('skips forecasts for a client that never reads, and then cuts it off', async () => {
    const parts = realParts();
    await withServer(parts, {}, async (server, connect) => {
      const client = await connect();
      client.send(OPEN);
      await client.next('opened');
      client.socket.pause();
      // Each refusal is an answer that nothing reads.
      const refused = JSON.stringify({ type: 'score', series: 'x'.repeat(64) });
      const isOver = (): boolean => server.logged.some(({ msg }) => msg === 'live connection closed');
      for (let i = 0; i < 400_000 && !isOver(); i++) {
        client.socket.send(refused);
        if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await until(isOver);
    });
  }).timeout(60_000);

  it('closes connections that answer no ping, and those without a key after 5 s', async () => {
    const clock = new FakeClock();
    const server = await startTestServer(realParts(), { keyCheckMs: 1e9 }, 'ready', clock);
    const [silent, alive, unknown] = [new LiveSocket(server.url), new LiveSocket(server.url), new LiveSocket(server.url, { key: '' })];
    await Promise.all([silent.opened, alive.opened, unknown.opened]);
    (silent.socket as unknown as { pong: () => void }).pong = () => {};
    let pings = 0;
    alive.socket.on('ping', () => pings++);
    await until(() => server.logged.filter(({ msg }) => msg === 'live connection opened').length === 2);
    clock.advance(5000);
    expect(await unknown.closed()).to.equal(4401);
    for (let i = 1; i <= 3; i++) {
      clock.advance(20_000);
      await until(() => pings === i);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await silent.closed()).to.equal(1006);
    expect(alive.closeCode).to.equal(undefined);
    alive.socket.terminate();
    await server.close();
  });

  it('logs each connection by the id that a proxy sent, with the address that TRUST_PROXY says', async () => {
    const id = 'Root=1-67891233-abcdef012345678912345678';
    const rows = [
      [{ trustProxy: false }, '127.0.0.1'],
      [{ trustProxy: true }, '203.0.113.7'],
      [{ trustProxy: true, logAddresses: false }, null],
    ] as const;
    for (const [options, address] of rows) {
      const clock = new FakeClock();
      const server = await startTestServer(realParts(), options, 'ready', clock);
      const connect = (key: string): LiveSocket =>
        new LiveSocket(server.url, { key, headers: { 'X-Request-Id': id, 'X-Forwarded-For': '198.51.100.1, 203.0.113.7' } });
      const linesOf = (text: string): Record<string, unknown>[] => server.logged.filter(({ msg }) => msg === text);

      const accepted = connect(GOOD_KEY);
      await accepted.opened;
      accepted.socket.close();
      await until(() => linesOf('live connection closed').length === 1);
      const { keyPrefix } = CALLER;
      for (const text of ['live connection opened', 'live connection closed'])
        expect(linesOf(text)[0]).to.include({ id, address, keyPrefix });
      expect(linesOf('live connection opened')[0]).to.include({ client: null });

      // A key that is not valid, in the header and in a message, and none in time.
      connect(`${GOOD_KEY}x`);
      await until(() => linesOf('connection refused').length === 1);
      const [wrong, silent] = [connect(''), connect('')];
      await Promise.all([wrong.opened, silent.opened]);
      // Its end is not complete when the time of the other one is over.
      wrong.socket.pause();
      wrong.send({ type: 'auth', api_key: `${GOOD_KEY}x` });
      await until(() => linesOf('connection refused').length === 2);
      clock.advance(5000);
      await until(() => linesOf('connection refused').length === 3);
      expect(linesOf('connection refused').map(({ cause }) => cause)).to.deep.equal(['upgrade', 'key message', 'no key message']);
      for (const line of linesOf('connection refused')) expect(line).to.include({ id, address, code: 'auth.key_refused' });
      expect(JSON.stringify(server.logged)).to.not.include(GOOD_KEY);
      await server.close();
    }
  });

  it('skips forecasts over the limit of the key or under overload, and reports their number', async () => {
    const policy = { name: 'forecasts', quota: 5, windowSeconds: 60 };
    const used = { forecasts: 0, refused: 0 };
    const counter = new MemoryCounter(policy, systemClock);
    const forecasts = forecastLimit(rateLimit(policy, counter), rateLimit({ ...policy, quota: 0 }, counter), (_caller, taken, refused) => {
      used.forecasts += taken;
      used.refused += refused;
      return '';
    });
    const limited = realParts();
    await withServer({ ...limited, limits: { ...limited.limits, forecasts } }, {}, async (_server, connect) => {
      const client = await connect();
      await client.run(OPEN, ticksMessage(0, 900), { type: 'score', series: 'a' });
      const { skipped } = await client.next('status');
      expect(client.of('forecast')).to.have.length(5);
      expect(Object.keys(skipped!)).to.deep.equal(['limit.exceeded']);
      expect(used, 'the use of the key').to.deep.equal({ forecasts: 5, refused: skipped!['limit.exceeded'] });
      expect(client.of('error')).to.deep.equal([]);
    });
    const busy = fakeParts({ forecast: () => Promise.reject(new ServiceError('inference.overloaded', 'busy')) });
    await withServer(busy, {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 900));
      expect((await client.next('status')).skipped)
        .to.have.property('inference.overloaded')
        .greaterThan(30);
    });
  });

  it('refuses more series than a connection may have', async () => {
    await withServer(realParts(), { live: { ...OPTIONS.live, seriesPerConnection: 2 } }, async (_server, connect) => {
      const client = await connect();
      for (const series of ['a', 'b', 'c']) client.send({ ...OPEN, series });
      expect((await client.next('error')).errors?.[0]?.code).to.equal('series.too_many');
      client.send({ type: 'close', series: 'a' });
      client.send({ ...OPEN, series: 'c' });
      await client.next('opened', 3);
    });
  });
});
