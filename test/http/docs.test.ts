import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ROUTES } from '../../src/contract/routes.ts';
import type { ApiDocument } from '../../src/http/docs/ApiDocument.ts';
import { renderDocs } from '../../src/http/docs/renderDocs.ts';
import { request } from '../support/request.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

describe('the pages about the service', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('GET /docs shows every route with its errors, without scripts and external content', async () => {
    const { headers, text } = await request(server.url, '/docs');
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    for (const [name, { method, path, errors }] of Object.entries(ROUTES)) {
      const part = text.split(`<article id="${name}">`)[1]?.split('</article>')[0] ?? '';
      expect(part, name).to.include(`${method}</span> <code>${path}</code>`);
      for (const code of errors) expect(part, name).to.include(`<code>${code}</code>`);
      expect(text).to.include(`href="#${name}"`);
    }
    expect(text).to.not.match(/<script|<link|<img|<iframe|\bon\w+=|src=|@import|url\(/i);
    expect([...text.matchAll(/href="([^"]*)"/g)].every(([, target]) => /^(#\w+|\/openapi\.json)$/.test(target ?? ''))).to.equal(true);
  });

  it('GET /docs allows its own style and nothing else', async () => {
    const { headers, text } = await request(server.url, '/docs');
    const styles = [...text.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style]) => style ?? '');
    expect(styles).to.have.length(1);
    const digest = createHash('sha256').update(styles[0]!).digest('base64');
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).to.not.match(/ style="/);
  });

  it('escapes every text of the document', () => {
    const bad = `<img src=x onerror="a('&')">`;
    const answers = {
      200: { description: bad, headers: { [bad]: { description: bad } }, content: { [bad]: { schema: {}, example: bad } } },
    };
    const parameters = [{ name: bad, in: 'query', required: false, description: bad, schema: { enum: [bad] }, example: bad }];
    const schema = { properties: { [bad]: { description: bad, const: bad } } };
    const requestBody = { content: { 'application/json': { schema, example: { [bad]: bad } } } };
    const operation = { operationId: bad, summary: bad, description: `- ${bad}`, parameters, requestBody, responses: answers };
    const document: ApiDocument = {
      info: { title: bad, version: bad, description: bad },
      paths: { [`/${bad}`]: { get: operation } },
      components: { schemas: { Problem: schema } },
    };
    const html = renderDocs(document).html.toString();
    expect(html).to.include('&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;');
    expect(html).to.not.include('<img');
    expect(html).to.not.match(/="[^"]*onerror="/);
  });

  it('GET /llms.txt has the format of llmstxt.org and names routes that exist', async () => {
    const { headers, text } = await request(server.url, '/llms.txt');
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8');
    expect(text).to.match(/^# tickmark\n\n> [^\n]+/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): ./gm)].map(([, target]) => target ?? '');
    expect(links).to.include.members(['/docs', '/openapi.json']);
    for (const target of links) expect((await request(server.url, target)).status, target).to.equal(200);
    for (const { method, path } of Object.values(ROUTES)) expect(text).to.include(`\`${method} ${path}\``);
  });
});
