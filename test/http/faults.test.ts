import * as http from 'node:http';
import * as net from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { fakeParts, GOOD_KEY, SUMMARY_OF_FORECAST } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { exchange, parseRaw, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const KEY = { 'Api-Key': GOOD_KEY };

async function withServer(parts: HttpParts, use: (server: TestServer) => Promise<void>, options = {}): Promise<void> {
  const server = await startTestServer(parts, options);
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

describe('faults behind the routes (row 39)', () => {
  it('answers every thrown value with a 500 problem, logged under its request id, without the cause', async () => {
    const secretError = new Error('SECRET at /home/somebody');
    const operators = new ServiceError('model.refused', 'SECRET folder');
    for (const thrown of ['a SECRET string', undefined, null, 42, { SECRET: 1 }, secretError, operators]) {
      const parts = fakeParts({
        forecast: () => {
          throw thrown;
        },
      });
      await withServer(parts, async (server) => {
        const answer = await request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY });
        expect([answer.status, answer.json['code']]).to.deep.equal([500, 'internal.unexpected']);
        expect(answer.text).to.not.include('SECRET').and.not.include('.ts');
        const line = server.logged.find(({ level }) => level === 'error');
        expect(line).to.include({ id: answer.json['requestId'], msg: 'request failed' });
      });
    }
  });

  it('passes on a documented code with its status, and Retry-After for every 503', async () => {
    const authenticate = (): Promise<never> =>
      Promise.reject(new ServiceError('store.unavailable', 'The store does not answer.', { cause: 'disk' }));
    await withServer(fakeParts({ authenticate }), async (server) => {
      const answer = await request(server.url, '/auth/me', { headers: KEY });
      expect([answer.status, answer.json['code'], answer.headers['retry-after']]).to.deep.equal([503, 'store.unavailable', '1']);
      expect(server.logged.some(({ level, error }) => level === 'warn' && error === 'disk')).to.equal(true);
    });
  });

  it('computes a failed sample again', async () => {
    let calls = 0;
    const forecast: HttpParts['forecast'] = () =>
      calls++ === 0
        ? Promise.reject(new ServiceError('inference.failed', 'The network failed.'))
        : Promise.resolve({ mark: null, reason: 'below_threshold', summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null });
    await withServer(fakeParts({ forecast }), async (server) => {
      expect((await request(server.url, '/sample/forecast')).status).to.equal(500);
      expect((await request(server.url, '/sample/forecast')).status).to.equal(200);
    });
  });
});

describe('late and broken connections', () => {
  it('answers a half-sent head and a half-sent body with 408 at the time limit (rows 8 and 9)', async () => {
    await withServer(
      fakeParts(),
      async ({ port }) => {
        const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\n${'Api-Key'}: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;
        const [halfHead, halfBody] = await Promise.all([exchange(port, head), exchange(port, `${head}Content-Length: 100\r\n\r\n{`)]);
        for (const text of [halfHead, halfBody]) {
          const { status, problem } = parseRaw(text);
          expect([status, problem['code']]).to.deep.equal([408, 'request.timeout']);
        }
      },
      { requestTimeoutMs: 200 },
    );
  });

  it('survives a caller that disconnects in the middle of its body', async () => {
    await withServer(fakeParts(), async (server) => {
      const socket = net.connect(server.port, '127.0.0.1');
      socket.write(
        `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      );
      await once(socket, 'connect');
      const before = await request(server.url, '/health/live');
      socket.destroy();
      expect([before.status, (await request(server.url, '/health/live')).status]).to.deep.equal([200, 200]);
      expect(server.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });
});

describe('more connections than open files allow', () => {
  it('closes the newest, answers on the others, and accepts new ones when some close', async () => {
    await withServer(
      fakeParts(),
      async ({ port, url, logged }) => {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        expect((await request(url, '/health/live', { agent })).status).to.equal(200);
        const held = [net.connect(port, '127.0.0.1'), net.connect(port, '127.0.0.1')];
        await Promise.all(held.map((socket) => once(socket, 'connect')));
        for (let i = 0; i < 20; i++) {
          const over = net.connect(port, '127.0.0.1').on('error', () => {});
          await once(over, 'close');
        }
        expect((await request(url, '/health/live', { agent })).status).to.equal(200);
        const lines = logged.filter(({ level, msg }) => level === 'warn' && String(msg).startsWith('new connections are closed'));
        expect(lines).to.have.length(1);
        expect(lines[0]).to.include({ open: 3, closed: 1 });
        for (const socket of held) socket.destroy();
        await until(() =>
          request(url, '/health/live').then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
        agent.destroy();
      },
      { maxConnections: 3 },
    );
  });
});

describe('a caller that disconnects (row 27)', () => {
  it('is logged without a status and not reported as a fault; a caller that stays gets its answer', async () => {
    const release: (() => void)[] = [];
    const forecast: HttpParts['forecast'] = () =>
      new Promise((resolve) =>
        release.push(() => resolve({ mark: null, reason: 'below_threshold', summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null })),
      );
    await withServer(fakeParts({ forecast }), async (server) => {
      const ask = () => request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY });
      const stays = ask();
      while (release.length < 1) await request(server.url, '/health/live');
      const agent = new http.Agent();
      const goes = request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY, agent }).catch(() => 'gone');
      while (release.length < 2) await request(server.url, '/health/live');
      agent.destroy();
      expect(await goes).to.equal('gone');
      const unfinished = () => server.logged.filter(({ msg, status }) => msg === 'request' && status === null);
      while (unfinished().length === 0) await request(server.url, '/health/live');
      for (const go of release) go();
      expect((await stays).status).to.equal(200);
      expect(unfinished()).to.have.length(1);
      expect(server.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });
});

describe('the access log', () => {
  it('is one line per request with listed fields only; no key, no query, no body', async () => {
    await withServer(fakeParts(), async (server) => {
      const headers = { ...KEY, 'User-Agent': 'x{"level":"fatal"}', 'Content-Type': 'application/json' };
      await request(server.url, '/auth/ti-tick?detail=full', { body: exampleTickRequest(), headers });
      for (const agent of ['tickmark-client-python/0.1.0 x', 'tickmark-client-x/tkm_live_secret', 'tickmark-client-python/0.1'])
        await request(server.url, '/nothing', { headers: { 'User-Agent': agent } });
      await request(server.url, '/nothing%0d%0a{"level":"fatal"}?secret=1');
      const lines = server.logged.filter(({ msg }) => msg === 'request');
      const names = [
        'level',
        'time',
        'id',
        'method',
        'route',
        'status',
        'code',
        'ms',
        'stages',
        'bytes',
        'keyPrefix',
        'address',
        'client',
        'msg',
      ];
      for (const line of lines) expect(line).to.have.all.keys(names);
      expect(lines[0]).to.include({ method: 'POST', route: '/auth/ti-tick', status: 200, code: null, keyPrefix: 'tkm_live_fake' });
      expect(lines[1]).to.include({ route: null, status: 404, code: 'route.not_found', keyPrefix: null, address: '127.0.0.1' });
      expect(lines.map(({ client }) => client)).to.deep.equal([null, 'tickmark-client-python/0.1.0', null, null, null]);
      expect(JSON.stringify(server.logged)).to.not.include(GOOD_KEY);
    });
  });

  it('names the address that TRUST_PROXY says, or none', async () => {
    const rows = [
      [{ trustProxy: false }, '203.0.113.7', '127.0.0.1'],
      [{ trustProxy: true }, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
      [{ trustProxy: true }, `x${GOOD_KEY}`, '127.0.0.1'],
      [{ trustProxy: true, logAddresses: false }, '203.0.113.7', null],
    ] as const;
    for (const [options, forwarded, address] of rows)
      await withServer(
        fakeParts(),
        async (server) => {
          await request(server.url, '/', { headers: { 'X-Forwarded-For': forwarded } });
          expect(server.logged.find(({ msg }) => msg === 'request')).to.include({ address });
          expect(JSON.stringify(server.logged)).to.not.include(GOOD_KEY);
        },
        options,
      );
  });

  it('keeps a well-formed X-Request-Id in answer and log, and replaces any other', async () => {
    await withServer(fakeParts(), async (server) => {
      const ask = async (id: string): Promise<unknown> =>
        (await fetch(`${server.url}/nothing`, { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
      const good = ['a', 'x'.repeat(64), '0f8fad5b-d9cb-469f-a165-70867728950e', 'Root=1-67891233-abcdef012345678912345678'];
      const bad = ['', 'x'.repeat(65), '-a', 'a b', 'a"b', '{"a":1}', 'a,b', 'ü', GOOD_KEY, `id-${GOOD_KEY}`];
      for (const id of good) expect(await ask(id)).to.equal(id);
      for (const id of bad) expect(await ask(id), id).to.match(/^[0-9a-f-]{36}$/);
      const ids = server.logged.filter(({ msg }) => msg === 'request').map(({ id }) => id);
      expect(ids.slice(0, good.length)).to.deep.equal(good);
      expect(new Set(ids).size).to.equal(good.length + bad.length);
    });
  });

  it('contains the stages of a forecast, and Server-Timing has them on request', async () => {
    const stagesMs = { parse: 0.25, features: 0.5, network: 1, rules: 0.125 };
    const forecast: HttpParts['forecast'] = (_ticks, { parseMs = NaN }) =>
      Promise.resolve({
        ...{ mark: null, reason: 'below_threshold', summary: SUMMARY_OF_FORECAST, detail: null },
        stagesMs: { ...stagesMs, parse: parseMs },
      });
    await withServer(fakeParts({ forecast }), async (server) => {
      const ask = (query: string) => request(server.url, `/auth/ti-tick${query}`, { body: exampleTickRequest(), headers: KEY });
      expect((await ask('')).headers).to.not.have.property('server-timing');
      const timing = String((await ask('?timing=server')).headers['server-timing']);
      const names = ['key', 'read', 'wait', 'parse', 'features', 'network', 'rules', 'write'];
      expect(timing).to.match(new RegExp(`^${[...names, 'total'].map((name) => `${name};dur=\\d+\\.\\d{3}`).join(', ')}$`));
      expect(timing).to.include('features;dur=0.500').and.to.include('network;dur=1.000');
      const [line] = server.logged.filter(({ msg }) => msg === 'request');
      expect(Object.keys(line?.['stages'] as object)).to.deep.equal(names);
      expect(line?.['stages']).to.include({ features: 0.5, network: 1, rules: 0.125 });
    });
  });

  it('contains the trace of a valid traceparent, and nothing of an invalid one', async () => {
    const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    await withServer(fakeParts(), async (server) => {
      for (const traceparent of [`00-${trace}-${span}-01`, `00-${trace}-${span}-01-more`, `ff-${trace}-${span}-01`, 'x"\\{}'])
        expect((await request(server.url, '/', { headers: { traceparent } })).status).to.equal(200);
      const lines = server.logged.filter(({ msg }) => msg === 'request');
      expect(lines[0]).to.include({ traceId: trace, parentId: span });
      for (const line of lines.slice(1)) expect(line).to.not.have.any.keys('traceId', 'parentId');
    });
  });
});

describe('closing (row 37)', () => {
  it('still accepts new connections for SHUTDOWN_DELAY_MS, while /health/ready answers 503', async () => {
    const clock = new FakeClock();
    const server = await startTestServer(fakeParts(), { shutdownDelayMs: 3000 }, 'ready', clock);
    let isClosed = false;
    const closed = server.close().then(() => (isClosed = true));
    const ready = await request(server.url, '/health/ready');
    expect([ready.status, ready.json['code']]).to.deep.equal([503, 'service.not_ready']);
    const forecast = await request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY });
    expect([forecast.status, forecast.headers['connection']]).to.deep.equal([200, 'close']);
    expect(isClosed).to.equal(false);
    clock.advance(3000);
    await closed;
    await once(net.connect(server.port, '127.0.0.1'), 'error');
  });

  it('turns not ready, answers what is in flight with Connection: close, ends idle connections, and is idempotent', async () => {
    let finish = (): void => {};
    const started = new Promise<void>((resolveStarted) => {
      finish = resolveStarted;
    });
    let release = (): void => {};
    const forecast: HttpParts['forecast'] = () => {
      finish();
      return new Promise((resolve) => {
        release = () => resolve({ mark: null, reason: 'below_threshold', summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null });
      });
    };
    const server = await startTestServer(fakeParts({ forecast }));
    const agent = new http.Agent({ keepAlive: true });
    await request(server.url, '/health/live', { agent });
    const silent = net.connect(server.port, '127.0.0.1');
    await once(silent, 'connect');
    const halfReady = net.connect(server.port, '127.0.0.1');
    await once(halfReady, 'connect');
    halfReady.write('GET /health/ready HTTP/1.1\r\nHost: x\r\n');
    const inFlight = request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY });
    await started;
    // A request on another connection makes sure that the partial head has arrived.
    await request(server.url, '/health/live');

    const closed = server.close();
    expect(server.close()).to.equal(closed);
    const received: Buffer[] = [];
    halfReady.on('data', (chunk: Buffer) => received.push(chunk));
    halfReady.write('\r\n');
    await once(halfReady, 'close');
    const ready = parseRaw(Buffer.concat(received).toString());
    expect([ready.status, ready.problem['code']]).to.deep.equal([503, 'service.not_ready']);

    release();
    const answer = await inFlight;
    expect([answer.status, answer.headers.connection]).to.deep.equal([200, 'close']);
    await closed;
    agent.destroy();
  });

  it('resets no request that was sent before 25 stops, on new, idle, silent and pipelined connections', async () => {
    const head = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const answersOf = async (socket: net.Socket): Promise<number> => {
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(socket, 'close');
      return Buffer.concat(chunks).toString().split('HTTP/1.1 200').length - 1;
    };
    for (let stop = 0; stop < 25; stop++) {
      // Its time stands still: the time that a stop is granted does not end while the process of the test is stopped.
      const server = await startTestServer(fakeParts(), {}, 'ready', new FakeClock());
      const open = async (): Promise<net.Socket> => {
        const socket = net.connect(server.port, '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        return socket;
      };
      const [kept, silent, piped] = [await open(), await open(), await open()];
      kept.write(head);
      await once(kept, 'data');
      const waiting = [answersOf(kept), answersOf(silent), answersOf(piped)];
      // Connected and sent in this iteration of the event loop: the server, in the same process, has accepted and read none of it.
      const fresh = Array.from({ length: 8 }, () => net.connect(server.port, '127.0.0.1').on('error', () => {}));
      waiting.push(...fresh.map((socket) => answersOf(socket)));
      for (const socket of [kept, silent, ...fresh]) socket.write(head);
      piped.write(head.repeat(3));
      await Promise.all([server.close(), ...waiting]);
      expect(await Promise.all(waiting), `stop ${stop}`).to.deep.equal([1, 1, 3, ...fresh.map(() => 1)]);
      expect(server.logged.filter(({ msg }) => msg === 'connection refused')).to.deep.equal([]);
    }
  });

  it('closes the remaining connections after the grace time', async () => {
    const forecast = (): Promise<never> => new Promise(() => {});
    const server = await startTestServer(fakeParts({ forecast }), { shutdownGraceMs: 50 });
    const answer = request(server.url, '/auth/ti-tick', { body: exampleTickRequest(), headers: KEY }).then(
      () => 'answered',
      () => 'cut',
    );
    while (!server.logged.some(() => true)) await request(server.url, '/health/live');
    await server.close();
    expect(await answer).to.equal('cut');
  });
});

it('reports a port in use with its code', async () => {
  await withServer(fakeParts(), async ({ port }) => {
    const error = await startTestServer(fakeParts(), { port }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(ServiceError).with.property('code', 'server.cannot_listen');
  });
});
