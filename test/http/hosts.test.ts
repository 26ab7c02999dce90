import { expect } from 'chai';
import { WebSocket } from 'ws';
import { ROUTES } from '../../src/contract/routes.ts';
import { MetricsServer } from '../../src/core/observability/MetricsServer.ts';
import { fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { request } from '../support/request.ts';
import { exchange, startTestServer, suiteServer, type TestServer } from '../support/testServer.ts';

/** The status of an upgrade request, and the problem of a refused one. */
function upgrade(server: TestServer, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/auth/live`, ['tickmark.v1'], {
    headers: { 'Api-Key': GOOD_KEY, ...headers },
  });
  return new Promise((resolve) => {
    socket
      .on('error', () => {})
      .once('open', () => {
        socket.terminate();
        resolve({ status: 101, text: '' });
      });
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString()));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
}

describe('the Host of a request to a service on a loopback address (row 86)', () => {
  const server = suiteServer(fakeParts(), { hostNames: ['desk.example'] });

  const paths = Object.values(ROUTES).map(({ method, path }) => [method, path.replace(/\{\w+\}/, 'x')] as const);
  const others = [['GET', '/nothing'], ['PUT', '/signup'], ['OPTIONS', '/auth/ti-tick'], ['GET', '/auth/live'], ['HEAD', '/']] as const; // prettier-ignore
  for (const [method, path] of [...paths, ...others])
    it(`gets 421 for the name of another site: ${method} ${path}`, async () => {
      const headers = { Host: `rebind.example:${server.port}`, Origin: `http://rebind.example:${server.port}`, 'Api-Key': GOOD_KEY };
      const answer = await request(server.url, path, { method, headers });
      expect(answer.status).to.equal(421);
      expect(answer.headers['access-control-allow-origin']).to.equal(undefined);
      if (method === 'HEAD') return;
      expect(answer.json['code']).to.equal('request.host_refused');
      expect(answer.json['detail']).to.include('"rebind.example').and.include('HOST_NAMES');
    });

  it('gets 421 at the upgrade to a WebSocket', async () => {
    const { status, text } = await upgrade(server, { Host: 'rebind.example' });
    expect([status, JSON.parse(text)])
      .to.deep.include(421)
      .and.to.have.nested.property('[1].code', 'request.host_refused');
  });

  for (const host of ['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', 'desk.example', 'Desk.example:443'])
    it(`is answered as ${host}`, async () => {
      expect((await request(server.url, '/sample', { headers: { Host: host } })).status).to.equal(200);
      expect((await upgrade(server, { Host: host })).status).to.equal(101);
    });

  it('is of no interest to a service that is reached from elsewhere', async () => {
    const open = await startTestServer();
    expect((await request(open.url, '/sample', { headers: { Host: 'any.example' } })).status).to.equal(200);
    await open.close();
  });
});

describe('the metrics port (row 86)', () => {
  it('answers 421 to names of other sites, and any name if it is reached from elsewhere', async () => {
    for (const [names, host, status] of [
      [[], 'rebind.example', 421],
      [[], 'localhost:9090', 200],
      [['desk.example'], 'desk.example', 200],
      [undefined, 'any.example', 200],
    ] as const) {
      const server = new MetricsServer({ text: () => Promise.resolve('tickmark_up 1'), contentType: 'text/plain' }, names);
      const port = await server.listen('127.0.0.1', 0);
      const text = await exchange(port, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(text.slice(0, 12), host).to.equal(`HTTP/1.1 ${status}`);
      await server.close();
    }
  });

  it('closes a connection that does not wait for its answer, and collects once for requests that arrive together', async () => {
    let collected = 0;
    const texts: ((text: string) => void)[] = [];
    const text = (): Promise<string> => {
      collected++;
      return new Promise((resolve) => texts.push(resolve));
    };
    const server = new MetricsServer({ text, contentType: 'text/plain' });
    const port = await server.listen('127.0.0.1', 0);
    const ask = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';
    expect(await exchange(port, ask.repeat(1000))).to.equal('');
    expect(await exchange(port, ask.repeat(2))).to.equal('');
    expect(collected).to.equal(1);
    texts[0]('tickmark_up 1');
    await server.close();
  });
});

describe('the Origin of a WebSocket (row 87)', () => {
  const cases: readonly (readonly [what: string, headers: Record<string, string>, options: object, status: number])[] = [
    ['a program, which sends none', {}, {}, 101],
    ['a page of the service', { Host: 'desk.example', Origin: 'https://desk.example' }, {}, 101],
    ['a page of the service on a port', { Host: 'localhost:8080', Origin: 'http://localhost:8080' }, {}, 101],
    ['a page of the service, with the default port in Host', { Host: 'Desk.example:443', Origin: 'https://desk.example' }, {}, 101],
    ['a listed origin', { Origin: 'https://a.example' }, { corsOrigins: ['https://b.example', 'https://a.example'] }, 101],
    ['any origin, if all are', { Origin: 'https://a.example' }, { corsOrigins: ['*'] }, 101],
    ['another origin', { Origin: 'https://a.example' }, {}, 403],
    ['another origin than the listed one', { Origin: 'https://a.example' }, { corsOrigins: ['https://b.example'] }, 403],
    ['another port of the same machine', { Host: 'localhost:8080', Origin: 'http://localhost:3000' }, {}, 403],
    ['a page without an origin', { Origin: 'null' }, {}, 403],
    ['a name that begins like that of the service', { Host: 'desk.example', Origin: 'https://desk.example.evil.example' }, {}, 403],
    ['a proxy that names the host', { Host: '127.0.0.1', Origin: 'https://a.example', 'X-Forwarded-Host': 'a.example' }, { trustProxy: true }, 101], // prettier-ignore
    ['a forwarded host without a trusted proxy', { Origin: 'https://a.example', 'X-Forwarded-Host': 'a.example' }, {}, 403],
  ];
  for (const [what, headers, options, status] of cases)
    it(`${status === 101 ? 'is accepted' : 'is refused with 403'}: ${what}`, async () => {
      const server = await startTestServer(fakeParts(), options);
      const answer = await upgrade(server, headers);
      expect(answer.status).to.equal(status);
      if (status === 403) expect(JSON.parse(answer.text)).to.include({ code: 'cors.origin_refused' });
      await server.close();
    });
});
