import { expect } from 'chai';
import { SERVER_MESSAGES } from '../../src/contract/live.ts';
import { ROUTES, type RouteSpec } from '../../src/contract/routes.ts';
import { ERROR_TABLE, FIELD_CODES } from '../../src/core/errorTable.ts';
import { PAGE_HEADERS } from '../../src/service/http/console/pagePolicy.ts';
import { createDocs } from '../../src/service/http/docs/createDocs.ts';
import { escapeHtml } from '../../src/service/http/docs/html.ts';
import { request } from '../support/request.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

/** As a line of a page. */
const escaped = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

describe('the pages about the service', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const page = async (path: string): Promise<string> => (await request(server.url, path)).text;
  const targets = (text: string): string[] => [...text.matchAll(/href="([^"]*)"/g)].map(([, target]) => target ?? '');

  it('GET /docs lists every route, message, error and setting, each with a link that leads to it', async () => {
    const { headers, text } = await request(server.url, '/docs');
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    for (const [name, { method, path }] of Object.entries(ROUTES)) {
      expect(text).to.include(`href="/docs/${name}"`);
      expect(text, name).to.include(`${method}</span> <code>${path}</code>`);
    }
    for (const code of [...Object.keys(ERROR_TABLE), ...Object.keys(FIELD_CODES)]) expect(text).to.include(`href="/docs/errors#${code}"`);
    for (const message of Object.keys(SERVER_MESSAGES)) expect(text).to.include(`href="/docs/messages#${message}"`);
    expect(text).to.include('href="/docs/settings#PORT"');
    const pages = new Map<string, string>();
    for (const target of new Set(targets(text).filter((each) => each !== '/'))) {
      const [path = '', id] = target.split('#');
      if (path !== '' && !pages.has(path)) pages.set(path, await page(path));
      if (id !== undefined) expect(path === '' ? text : pages.get(path), target).to.include(` id="${id}"`);
    }
    expect([...pages.values()].filter((each) => each.includes('urn:tickmark:error'))).to.have.length(2);
  });

  it('shows on the page of a route its errors with what to do, its example and the call for a shell', async () => {
    for (const [name, { method, path, errors }] of Object.entries<RouteSpec>(ROUTES)) {
      const text = await page(`/docs/${name}`);
      expect(text, name).to.include(`<h1><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></h1>`);
      for (const code of errors)
        expect(text, name).to.include(`href="/docs/errors#${code}"`).and.include(escaped(ERROR_TABLE[code].remedy));
      expect(text, name)
        .to.include(`data-method="${method}" data-path="${path}"`)
        .and.match(/<pre id="curl"[^>]*>curl /);
    }
    const text = await page('/docs/tickForecast');
    expect(text).to.match(/<textarea id="try-body"[^>]*data-sample="body">\{\n {2}&quot;Timestamp&quot;: \[ ?&quot;2024-/);
    expect(text).to.include('<code>horizons</code>').and.include('id="try-key"');
    expect(await page('/docs/addWebhook'))
      .to.include('id="try-password"')
      .and.not.include('id="try-key"');
  });

  it('serves the pages under the policy of the console, without anything inline and without other servers', async () => {
    for (const path of ['/docs', '/docs/tickForecast', '/docs/errors', '/docs/messages', '/docs/settings']) {
      const { headers, text } = await request(server.url, path);
      expect(headers['content-security-policy']).to.equal(PAGE_HEADERS['Content-Security-Policy']);
      expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
      // Without a build, there is no script and no style to load.
      expect(text).to.not.match(/<script|<style|<link|<img|<iframe| on\w+=| style=|src=|@import|url\(/i);
      for (const target of targets(text)) expect(target).to.match(/^(#|\/(?!\/))/);
    }
  });

  it('loads script, colours and style of the build, from this service', async () => {
    const file = { type: 'text/plain', hash: 'x', bodies: { identity: Buffer.of(), gzip: Buffer.of(), br: Buffer.of() } };
    const names = ['/', '/console/docs.01.js', '/console/docs.02.css', '/console/theme.03.js', '/console/icon.04.svg'];
    const built = await startTestServer(undefined, { console: new Map(names.map((name) => [name, file])) });
    try {
      const { text } = await request(built.url, '/docs');
      for (const name of names) expect(text).to.include(`="${name}"`);
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

  it('escapes every text of the documents', () => {
    const bad = `<img src=x onerror="a('&')">`;
    const answers = {
      200: { description: bad, headers: { [bad]: { description: bad } }, content: { [bad]: { schema: {}, example: bad } } },
      400: { description: bad, headers: {}, content: { [bad]: { schema: {}, examples: { [bad]: { value: bad } } } } },
    };
    const parameters = [
      { name: bad, in: 'query', required: false, description: bad, schema: { enum: [bad] }, example: bad },
      { name: `${bad}2`, in: 'path', required: true, description: bad, schema: { type: bad }, example: bad },
    ];
    const schema = { properties: { [bad]: { description: bad, const: bad } } };
    const requestBody = { content: { 'application/json': { schema, example: { [bad]: bad } } } };
    const operation = { operationId: 'bad', summary: bad, description: `- ${bad}`, parameters, requestBody, responses: answers };
    const messages = { [bad]: { name: bad, payload: { ...schema, description: bad }, examples: [{ payload: bad }] } };
    const sides = { messages: [{ $ref: `#/${bad.replaceAll('/', '')}` }] };
    const docs = createDocs({
      api: {
        info: { title: bad, version: bad, description: bad },
        paths: { [`/${bad}`]: { get: operation } },
        components: { schemas: { Problem: schema } },
      },
      live: {
        info: { description: bad },
        channels: { live: { address: bad, description: bad, messages } },
        operations: { receive: sides, send: sides },
      },
      settings: [{ name: bad, default: bad, values: bad, about: bad }],
      files: undefined,
    });
    for (const name of ['', 'bad', 'errors', 'messages', 'settings']) {
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
