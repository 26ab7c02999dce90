import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { postWebhook, type PostOptions, type PostResult } from '../../../../src/service/alerts/postWebhook.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

type Listener = http.RequestListener;

describe('postWebhook', () => {
  const servers: http.Server[] = [];
  const listen = async (server: http.Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const serve = (listener: Listener): Promise<number> => listen(http.createServer(listener));
  const post = (url: string, given: Partial<PostOptions> = {}): Promise<PostResult> =>
    postWebhook(url, { 'webhook-id': 'msg_1' }, '{"a":1}', { clock: systemClock, timeoutMs: 20_000, allowsPrivate: true, ...given });

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('posts the body with its headers, and reports the status', async () => {
    const seen: unknown[] = [];
    const port = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { host, 'webhook-id': id, 'content-type': type } = request.headers;
        seen.push([request.method, request.url, host, id, type, Buffer.concat(chunks).toString()]);
        response.writeHead(204).end();
      });
    });
    expect(await post(`http://127.0.0.1:${port}/a?b=c`)).to.deep.equal({ status: 204, error: null });
    expect(seen).to.deep.equal([['POST', '/a?b=c', `127.0.0.1:${port}`, 'msg_1', 'application/json', '{"a":1}']]);
  });

  it('does not follow a redirect', async () => {
    let calls = 0;
    const port = await serve((_request, response) => {
      calls++;
      response.writeHead(302, { Location: '/other' }).end();
    });
    expect(await post(`http://127.0.0.1:${port}/`)).to.deep.equal({ status: 302, error: 'status 302: redirects are not followed' });
    expect(calls).to.equal(1);
  });

  it('gives up on a target that does not answer, or never ends its answer, after the time limit', async () => {
    const silent = await serve(() => {});
    expect(await post(`http://127.0.0.1:${silent}/`, { timeoutMs: 100 })).to.deep.equal({ status: null, error: 'no answer within 100 ms' });
    const slow = await serve((_request, response) => void response.writeHead(200).write('a'));
    expect(await post(`http://127.0.0.1:${slow}/`, { timeoutMs: 100 })).to.deep.equal({ status: null, error: 'no answer within 100 ms' });
  });

  it('reads at most some kilobytes of an answer of 10 MB', async () => {
    let sent = 0;
    let closed: () => void;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const port = await serve((_request, response) => {
      response.writeHead(200);
      response.once('close', () => closed());
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (sent < 10 * 1024 * 1024 && !response.destroyed) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(await post(`http://127.0.0.1:${port}/`)).to.deep.equal({ status: 200, error: null });
    await isClosed;
    expect(sent).to.be.below(10 * 1024 * 1024);
  });

  it('reports a refused connection by its code alone', async () => {
    const port = await serve(() => {});
    servers.splice(0).forEach((server) => server.close());
    expect(await post(`http://127.0.0.1:${port}/secret-path`)).to.deep.equal({ status: null, error: 'ECONNREFUSED' });
  });

  it('calls no private address unless it is allowed, and never the metadata service of a cloud', async () => {
    let calls = 0;
    const port = await serve((_request, response) => {
      calls++;
      response.end();
    });
    const refused = { status: null, error: 'the address is private or reserved' };
    const allowsPrivate = false;
    expect(await post(`https://127.0.0.1:${port}/`, { allowsPrivate })).to.deep.equal(refused);
    expect(await post(`https://[::1]:${port}/`, { allowsPrivate })).to.deep.equal(refused);
    for (const address of ['127.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', '10.0.0.1'])
      expect(await post(`https://hooks.example.com:${port}/`, { allowsPrivate, resolve: async () => [address] }), address).to.deep.equal(
        refused,
      );
    const mixed = async (): Promise<string[]> => ['1.1.1.1', '127.0.0.1'];
    expect(await post(`https://hooks.example.com:${port}/`, { allowsPrivate, resolve: mixed })).to.deep.equal(refused);
    expect(await post('http://169.254.169.254/')).to.deep.equal(refused);
    expect(await post('http://hooks.example.com/', { resolve: async () => ['1.1.1.1'] })).to.deep.equal({
      status: null,
      error: 'http is allowed only for private addresses',
    });
    expect(calls).to.equal(0);
  });

  it('resolves a name once and connects to the address that it checked, so that a second answer of the resolver has no effect', async () => {
    const port = await serve(
      (request, response) => void response.writeHead(request.headers.host === `rebind.example:${port}` ? 200 : 500).end(),
    );
    let lookups = 0;
    const resolve = async (): Promise<string[]> => (++lookups === 1 ? ['127.0.0.1'] : ['169.254.169.254']);
    expect(await post(`http://rebind.example:${port}/`, { resolve })).to.deep.equal({ status: 200, error: null });
    expect(lookups).to.equal(1);
    expect(await post(`http://rebind.example:${port}/`, { resolve })).to.deep.equal({
      status: null,
      error: 'the address is private or reserved',
    });
  });

  it('reports a name that cannot be resolved, or has no address', async () => {
    const fails = (): Promise<string[]> =>
      Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND secret.example'), { code: 'ENOTFOUND' }));
    expect(await post('https://secret.example/', { resolve: fails })).to.deep.equal({ status: null, error: 'ENOTFOUND' });
    expect(await post('https://secret.example/', { resolve: async () => [] })).to.deep.equal({
      status: null,
      error: 'the name has no address',
    });
    const never = (): Promise<string[]> => new Promise(() => {});
    expect((await post('https://secret.example/', { resolve: never, timeoutMs: 50 })).error).to.equal('no answer within 50 ms');
  });

  it('sends nothing after the time limit, however late the name resolves, and ends the lookup (row 85)', async () => {
    let connections = 0;
    const server = http.createServer();
    server.on('connection', () => connections++);
    const port = await listen(server);
    const clock = new FakeClock();
    let resolveLate = (_addresses: string[]): void => {};
    let signal: AbortSignal | undefined;
    const resolve: PostOptions['resolve'] = (_name, given) => {
      signal = given;
      return new Promise((done) => (resolveLate = done));
    };
    const sent = post(`http://slow.example:${port}/`, { resolve, clock, timeoutMs: 500 });
    clock.advance(500);
    expect(await sent).to.deep.equal({ status: null, error: 'no answer within 500 ms' });
    expect(signal?.aborted).to.equal(true);
    resolveLate(['127.0.0.1']);
    await new Promise((done) => setImmediate(done));
    // The server sees connections in their order: another one arrives after the late one would.
    expect(await post(`http://127.0.0.1:${port}/`, { timeoutMs: 50 })).to.include({ status: null });
    expect(connections).to.equal(1);
  });

  it('requires a certificate of the name, not of the address', async function () {
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-tls-'));
    try {
      const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=hook.example', '-addext', 'subjectAltName=DNS:hook.example', '-keyout', 'key.pem', '-out', 'cert.pem']; // prettier-ignore
      if (spawnSync('openssl', args, { cwd: folder }).status !== 0) {
        process.stdout.write('    skipped: openssl is not installed\n');
        this.skip();
      }
      const [key, ca] = ['key.pem', 'cert.pem'].map((name) => readFileSync(path.join(folder, name), 'utf8')) as [string, string];
      const port = await listen(https.createServer({ key, cert: ca }, (_request, response) => void response.writeHead(200).end()));
      const resolve = async (): Promise<string[]> => ['127.0.0.1'];
      expect(await post(`https://hook.example:${port}/`, { resolve, ca })).to.deep.equal({ status: 200, error: null });
      expect((await post(`https://other.example:${port}/`, { resolve, ca })).error).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
      expect((await post(`https://127.0.0.1:${port}/`, { ca })).error).to.equal('ERR_TLS_CERT_ALTNAME_INVALID');
      expect((await post(`https://hook.example:${port}/`, { resolve })).error).to.match(/SELF_SIGNED/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
