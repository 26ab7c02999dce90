import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { TickmarkClient, TimeoutError } from '../../../clients/typescript/src/index.ts';

/** Until a call ends: time for the body to begin, and for some collections after it. */
const END_MS = 400;

/** Node.js loses a signal that only a collected object holds. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A server that sends headers and the start of a body, and then holds the body open. */
describe('the TypeScript client and a body that stalls', () => {
  let server: Server;
  let answered = 0;
  let url = '';
  let timer: NodeJS.Timeout;

  before(async () => {
    server = createServer((request, response) => {
      response.on('finish', () => answered++);
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '5000' }).write('{"a"');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    timer = setInterval(collect, 100);
  });
  after(() => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  });

  const BODY = { Timestamp: ['a', 'b'], Price: [1, 0] };
  const login = { email: 'a@example.com', password: 'p' };
  const stream = async (client: TickmarkClient): Promise<void> => {
    const ticks = Array.from({ length: 3 }, (_, i) => ({ timeMs: 1_704_153_600_000 + i, price: 1 }));
    await client.forecastStream(ticks, { window: 2, horizonMs: 1000 }).next();
  };
  /** One of each way in which a method asks. */
  const CALLS: Record<string, (client: TickmarkClient, options?: { signal: AbortSignal }) => Promise<unknown>> = {
    forecast: (client, options) => client.forecast(BODY, options),
    forecastBatch: (client, options) => client.forecastBatch([BODY], options),
    forecastStream: stream,
    me: (client, options) => client.me(options),
    listKeys: (client, options) => client.listKeys(login, options),
    sampleForecast: (client, options) => client.sampleForecast(options),
  };

  it('every call ends at its time limit while the body is open', async () => {
    const ends = Object.entries(CALLS).map(async ([name, call]) => {
      const error: unknown = await call(new TickmarkClient({ baseUrl: url, apiKey: 'k', timeoutMs: END_MS })).catch(
        (thrown: unknown) => thrown,
      );
      return [name, error instanceof TimeoutError];
    });
    expect(await Promise.all(ends)).to.deep.equal(Object.keys(CALLS).map((name) => [name, true]));
    expect(answered, 'bodies that the server has ended').to.equal(0);
  });

  it('every call with a signal ends with its reason', async () => {
    const reason = new Error('enough');
    const { forecastStream, ...calls } = CALLS;
    expect(forecastStream).to.equal(stream);
    const aborts = Object.values(calls).map(async (call) => {
      const controller = new AbortController();
      const ended = call(new TickmarkClient({ baseUrl: url, apiKey: 'k', timeoutMs: 0 }), { signal: controller.signal });
      setTimeout(() => controller.abort(reason), END_MS);
      return ended.catch((error: unknown) => error);
    });
    expect(new Set(await Promise.all(aborts))).to.deep.equal(new Set([reason]));
  });
});
