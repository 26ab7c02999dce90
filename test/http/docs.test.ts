import { expect } from 'chai';
import { liveMessages } from '../../src/contract/asyncApi.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import { ERROR_TABLE, FIELD_CODES } from '../../src/core/errorTable.ts';
import { PAGE_HEADERS } from '../../src/service/http/console/pagePolicy.ts';
import { createDocs, escapeHtml } from '../../src/service/http/docs/createDocs.ts';
import { request } from '../support/request.ts';
import { startTestServer, suiteServer } from '../support/testServer.ts';

/** As a line of a page. */
const escaped = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

describe('the pages about the service', () => {
  const server = suiteServer();

  const page = async (path: string): Promise<string> => (await request(server.url, path)).text;

  it('has a page for each route, which names the documents for programs where no script runs', async () => {
    const front = await request(server.url, '/docs');
    expect(front.headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(front.text).to.include('<div id="api">').and.include('href="/openapi.json"').and.include('href="/asyncapi.json"');
    for (const name of Object.keys(ROUTES)) expect(await page(`/docs/${name}`), name).to.equal(front.text);
  });

  it('lists every error, live message and setting in a row that can be linked to', async () => {
    const errors = await page('/docs/errors');
    for (const [code, { remedy }] of Object.entries(ERROR_TABLE))
      expect(errors, code).to.include(`id="${code}"`).and.include(escaped(remedy));
    for (const [code, remedy] of Object.entries(FIELD_CODES)) expect(errors, code).to.include(`id="${code}"`).and.include(escaped(remedy));
    const messages = await page('/docs/messages');
    for (const name of Object.keys(liveMessages())) expect(messages).to.include(`id="${name}"`);
    expect(await page('/docs/settings')).to.include('id="PORT"');
  });

  it('serves the pages under the policy of the console, without anything inline and without other servers', async () => {
    for (const path of ['/docs', '/docs/tickForecast', '/docs/errors', '/docs/messages', '/docs/settings']) {
      const { headers, text } = await request(server.url, path);
      expect(headers['content-security-policy']).to.equal(PAGE_HEADERS['Content-Security-Policy']);
      expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
      // Without a build, there is no script and no style to load.
      expect(text).to.not.match(/<script|<style|<link|<img|<iframe| on\w+=| style=|src=|@import|url\(/i);
      for (const [, target] of text.matchAll(/href="([^"]*)"/g)) expect(target).to.match(/^\/(?!\/)/);
    }
  });

  it('loads script, colours and style of the build, from this service', async () => {
    const file = { type: 'text/plain', hash: 'x', bodies: { identity: Buffer.of(), gzip: Buffer.of(), br: Buffer.of() } };
    const names = ['/console/docs.02.css', '/console/theme.03.js', '/console/docs.01.js', '/console/icon.04.svg'];
    const built = await startTestServer(undefined, { console: new Map(names.map((name) => [name, file])) });
    try {
      const { text } = await request(built.url, '/docs/signUp');
      for (const name of names) expect(text).to.include(`="${name}"`);
      // A list needs no script.
      expect((await request(built.url, '/docs/errors')).text)
        .to.include(names[0])
        .and.not.include(names[2]);
    } finally {
      await built.close();
    }
  });

  it('answers 404 for a page that is not there', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', '%2e%2e%2fsecret']) {
      const { status, json } = await request(server.url, `/docs/${name}`);
      expect([status, json['code']], name).to.deep.equal([404, 'route.not_found']);
      expect(json['detail']).to.include('There is no page');
    }
  });

  it('escapes every text', () => {
    const bad = `<img src=x onerror="a('&')">`;
    const docs = createDocs({
      routes: [],
      messages: { [bad]: { summary: bad } },
      settings: [{ name: bad, default: bad, values: bad, about: bad }],
      files: undefined,
    });
    for (const name of ['messages', 'settings']) {
      const html = docs(name)!.toString();
      expect(html).to.include('&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;');
      expect(html).to.not.include('<img');
      expect(html).to.not.match(/="[^"]*onerror="/);
    }
  });

  it('GET /llms.txt has the format of llmstxt.org and names routes that exist', async () => {
    const { headers, text } = await request(server.url, '/llms.txt');
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    expect(text).to.match(/^# tickmark\n\n> [^\n]+/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, target]) => target ?? '');
    expect(links).to.include.members(['/docs', '/openapi.json']);
    for (const target of links) expect((await request(server.url, target)).status, target).to.equal(200);
    for (const { method, path } of Object.values(ROUTES)) expect(text).to.include(`\`${method} ${path}\``);
    expect(text).to.include('clients/python').and.include('clients/typescript').and.include('?horizons=');
  });
});
