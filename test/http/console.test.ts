import * as http from 'node:http';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync, brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { readConsole } from '../../src/service/http/console/readConsole.ts';
import { EXCHANGE_NAMES, marketOf } from '../../src/ticks/exchange/exchanges.ts';
import { request } from '../support/request.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const FILES = {
  'index.html': '<!doctype html><title>page</title>',
  'main.0123456789abcdef.js': 'export {};',
  'icon.0123456789abcdef.svg': '<svg/>',
};

describe('the console over HTTP', () => {
  let folder: string;
  let server: TestServer;

  before(async () => {
    folder = temporaryFolder();
    for (const [name, text] of Object.entries(FILES)) {
      writeFileSync(path.join(folder, name), text);
      writeFileSync(path.join(folder, `${name}.gz`), gzipSync(text));
      writeFileSync(path.join(folder, `${name}.br`), brotliCompressSync(text));
    }
    writeFileSync(path.join(folder, 'secret.txt'), 'not a file of the page');
    server = await startTestServer(undefined, { console: readConsole(folder) });
  });
  after(async () => {
    await server.close();
  });

  /** Not fetch, which adds Cache-Control: no-cache as soon as a condition is set. */
  const ask = (headers: Record<string, string>): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      http
        .get(server.url, { headers: { Accept: BROWSER, ...headers } }, (response) => {
          let text = '';
          response.on('data', (chunk) => (text += chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        })
        .on('error', reject);
    });
  const file = (name: string, headers: Record<string, string> = {}) => fetch(`${server.url}/console/${name}`, { headers });

  it('answers JSON at / to programs, as before, with Vary: Accept', async () => {
    for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }] as Record<string, string>[]) {
      const answer = await request(server.url, '/', { headers });
      expect(answer.headers['content-type']).to.equal('application/json');
      expect(answer.json).to.have.property('next');
      expect(answer.headers.vary).to.include('Accept');
    }
  });

  it('answers the page to browsers, with a policy that allows nothing inline', async () => {
    const response = await fetch(server.url, { headers: { Accept: BROWSER } });
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(await response.text()).to.equal(FILES['index.html']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.include("default-src 'none'")
      .and.include("script-src 'self'")
      .and.include("form-action 'none'")
      .and.include("frame-ancestors 'none'");
    expect(policy).to.not.match(/unsafe|http:|\*|data:/);
    // What the live view opens, and no other host.
    const opened = EXCHANGE_NAMES.flatMap((name) => [false, true].map((isQuotes) => marketOf(name, ['BTC', 'USDT'], isQuotes)));
    const urls = opened.flatMap(({ url, historyUrl = url }) => [url, historyUrl]);
    expect(urls.every((url) => /^(wss|https):/.test(url))).to.equal(true);
    expect(/connect-src ([^;]*)/.exec(policy)?.[1]?.split(' ')).to.have.members([
      "'self'",
      ...new Set(urls.map((url) => new URL(url).origin)),
    ]);
    for (const [name, value] of [
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['cross-origin-opener-policy', 'same-origin'],
      ['cache-control', 'no-cache'],
    ] as const)
      expect(response.headers.get(name)).to.equal(value);
  });

  it('sends the files that the build compressed, in the requested encoding', async () => {
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const response = await fetch(server.url, { headers: { Accept: BROWSER, 'Accept-Encoding': encoding } });
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).to.deep.equal([encoding, 'Accept, Accept-Encoding']);
      expect(await response.text()).to.equal(FILES['index.html']);
      expect(decode(readConsole(folder)!.get('/')!.bodies[encoding]).toString()).to.equal(FILES['index.html']);
    }
  });

  it('answers 304 to a browser with the current page', async () => {
    const first = await fetch(server.url, { headers: { Accept: BROWSER } });
    const etag = first.headers.get('etag') ?? '';
    await first.text();
    // Each encoding has its own tag: this one is that of fetch.
    const asFetch = { 'Accept-Encoding': 'gzip, deflate, br' };
    expect(etag).to.match(/^"[\w-]{22}-(br|gzip)"$/);
    expect(await ask({ ...asFetch, 'If-None-Match': etag })).to.deep.equal({ status: 304, text: '' });
    expect((await ask({ ...asFetch, 'If-None-Match': '"other"' })).status).to.equal(200);
    expect((await ask({ 'If-None-Match': etag })).status).to.equal(200);
  });

  it('lets browsers cache files permanently, because their names contain a hash of the content', async () => {
    const response = await file('main.0123456789abcdef.js');
    expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(await response.text()).to.equal('export {};');
  });

  it('serves only the files of the page: no other file, no parent folder', async () => {
    for (const name of ['secret.txt', 'index.html', 'main.0123456789abcdef.js.gz', '..%2fpackage.json', '%2e%2e/package.json', ''])
      expect((await file(name)).status, name).to.equal(404);
    const post = await fetch(`${server.url}/console/main.0123456789abcdef.js`, { method: 'POST' });
    expect(post.status).to.equal(404);
  });

  it('serves the page while the service starts: the page shows that itself', async () => {
    const starting = await startTestServer(undefined, { console: readConsole(folder) }, 'starting');
    try {
      expect((await fetch(starting.url, { headers: { Accept: BROWSER } })).status).to.equal(200);
    } finally {
      await starting.close();
    }
  });

  it('answers only JSON if nothing was built', async () => {
    expect(readConsole(path.join(folder, 'nowhere'))).to.equal(undefined);
    const bare = await startTestServer();
    try {
      expect((await request(bare.url, '/', { headers: { Accept: BROWSER } })).headers['content-type']).to.equal('application/json');
    } finally {
      await bare.close();
    }
  });

  it('answers HEAD without a body', async () => {
    const response = await fetch(server.url, { method: 'HEAD', headers: { Accept: BROWSER } });
    expect([response.status, await response.text(), response.headers.get('content-type')]).to.deep.equal([
      200,
      '',
      'text/html; charset=utf-8',
    ]);
  });
});
