import { expect } from 'chai';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { fakeParts, GOOD_KEY, SUMMARY_OF_FORECAST } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { exchange, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const QUEUE = 2;
/** In flight in `startTestServer`, and the queue. */
const SLOTS = 64 + QUEUE;

describe('load shedding before the route', () => {
  let server: TestServer;
  let parts: ReturnType<typeof fakeParts>;
  let release: () => void;
  let admitted: Promise<number>[];
  const sample = JSON.stringify(fakeParts().sample);
  const ask = (headers: Record<string, string> = {}, path = '/auth/ti-tick') =>
    request(server.url, path, { body: sample, headers: { 'Api-Key': GOOD_KEY, 'Content-Type': 'application/json', ...headers } });

  beforeEach(async () => {
    const released = new Promise<void>((resolve) => (release = resolve));
    const answer = { mark: 1, reason: null, summary: SUMMARY_OF_FORECAST, detail: null, stagesMs: null } as const;
    const forecast: HttpParts['forecast'] = () => released.then(() => answer);
    parts = fakeParts({ forecast });
    server = await startTestServer(parts, { forecastQueue: QUEUE });
    admitted = Array.from({ length: SLOTS }, () => ask().then(({ status }) => status));
    await until(() => Promise.resolve(parts.calls.authenticate === SLOTS));
  });
  afterEach(async () => {
    release();
    await server.close();
  });
  const refusal = async (headers: Record<string, string> = {}, path?: string): ReturnType<typeof request> => {
    const answer = await ask(headers, path);
    expect([answer.status, answer.json['code']]).to.deep.equal([503, 'inference.overloaded']);
    return answer;
  };

  it('refuses like the route does, without looking up the key', async () => {
    const asked = parts.calls.authenticate;
    const short = await refusal();
    expect(parts.calls.authenticate).to.equal(asked);
    // Requests from a page of another origin take the route.
    const long = await refusal({ Origin: 'http://elsewhere.example' });
    expect(parts.calls.authenticate).to.equal(asked + 1);
    expect({ ...short.json, requestId: '' }).to.deep.equal({ ...long.json, requestId: '' });
    expect(short.json['requestId']).to.equal(short.headers['x-request-id']);
    const kept = ({ headers }: typeof short): object => ({ ...headers, date: '', 'x-request-id': '', 'content-length': '' });
    expect(kept(short)).to.deep.equal(kept(long));
    expect(short.headers['content-length']).to.equal(String(Buffer.byteLength(short.text)));
    expect(short.headers['retry-after']).to.match(/^[1-9]\d*$/);
  });

  it('logs refused requests, with key and trace', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { headers } = await refusal({ traceparent: `00-${traceId}-b7ad6b7169203331-01` }, '/auth/ti-tick?detail=full');
    const line = (): Record<string, unknown> | undefined => server.logged.find(({ id }) => id === headers['x-request-id']);
    await until(() => Promise.resolve(line() !== undefined));
    expect(line()).to.include({ route: '/auth/ti-tick', method: 'POST', status: 503, keyPrefix: 'tkm_live_fake', traceId });
  });

  it('leaves the connection usable: the body is read, and the next request is answered', async () => {
    const head = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\n`;
    const late = `${head}Content-Length: ${Buffer.byteLength(sample)}\r\n\r\n${sample}`;
    const text = await exchange(server.port, [late, late, 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n']);
    expect(text.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 503', 'HTTP/1.1 503', 'HTTP/1.1 200']);
  });

  it('leaves other requests to the route', async () => {
    expect((await ask({}, '/auth/ti-tick2')).status).to.equal(404);
    expect(
      (await request(server.url, '/auth/ti-tick', { method: 'DELETE', body: sample, headers: { 'Api-Key': GOOD_KEY } })).status,
    ).to.equal(405);
    expect((await ask({ 'Api-Key': `${GOOD_KEY}x` })).status).to.equal(401);
    const tooLong = `POST /auth/ti-tick HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nContent-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`;
    expect(await exchange(server.port, tooLong))
      .to.include('Connection: close')
      .and.not.include('HTTP/1.1 200');
  });

  it('admits requests again when slots are free', async () => {
    await refusal();
    release();
    expect(new Set(await Promise.all(admitted))).to.deep.equal(new Set([200]));
    expect((await ask()).status).to.equal(200);
  });
});
