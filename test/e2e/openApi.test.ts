import { mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { withoutReferences } from '../../src/contract/shareSchemas.ts';
import { exampleTickRequest, type TickRequestBody } from '../../src/contract/tickForecast.ts';
import { callByPython, callByTypeScript, hasPythonTools, hasTools, redoclyProblems } from '../support/generatedClients.ts';
import { exchange, parseRaw } from '../support/testServer.ts';
import { serveTickmark, type ServedProcess } from '../support/tickmarkProcess.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

type Json = Record<string, unknown>;
type Media = { schema: Json; example?: unknown; examples?: Record<string, { value: Json }> };
type Parameter = { name: string; in: string; example?: unknown };
type Operation = {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers: Record<string, unknown>; content?: Record<string, Media>; links?: Record<string, unknown> }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: Json };

/** The body of `?horizons=`, also of a batch. */
const withoutFuture = (body: TickRequestBody | { readonly items: readonly TickRequestBody[] }): object =>
  'items' in body ? { items: body.items.map(withoutFuture) } : { Timestamp: body.Timestamp.slice(0, -1), Price: body.Price.slice(0, -1) };

const ACCOUNT = { email: 'docs@example.com', password: 'correct horse 42' };
const BASIC = `Basic ${Buffer.from(`${ACCOUNT.email}:${ACCOUNT.password}`).toString('base64')}`;
function skip(test: Mocha.Context, why: string): never {
  process.stdout.write(`    skipped: ${why}\n`);
  test.skip();
}

/** Requests that delete the account come last, after the change of its password. */
const LAST = ['removeMarket', 'changePassword', 'deleteAccount'];

/** Parameters that a body of ticks, the first example, does not allow. */
const OF_BARS = ['bar_time', 'horizon_bars'];

describe('the OpenAPI document and the running service', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  let service: ServedProcess;
  let document: Document;
  let key = '';

  const signUp = async (email: string): Promise<Json> => {
    const body = JSON.stringify({ ...ACCOUNT, email, confirm_password: ACCOUNT.password });
    const headers = { 'Content-Type': 'application/json' };
    return (await (await fetch(`${service.url}/signup`, { method: 'POST', headers, body })).json()) as Json;
  };
  before(async () => {
    service = await serveTickmark(path.join(folder, 'data'), { METRICS_PORT: '0', LOG_LEVEL: 'silent', FEEDS: 'off' });
    document = withoutReferences((await (await fetch(`${service.url}/openapi.json`)).json()) as Json) as Document;
    await signUp(ACCOUNT.email);
    key = (await signUp('other@example.com'))['api_key'] as string;
  });
  after(async () => {
    service.child.kill('SIGINT');
    await service.ended;
  });

  const operations = (): { method: string; template: string; operation: Operation }[] =>
    Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
    );

  const expectDocumented = async (operation: Operation, answer: Response): Promise<Json> => {
    const what = `${operation.operationId} ${answer.status}`;
    const described = operation.responses[answer.status] ?? operation.responses[`${String(answer.status)[0]}XX`];
    expect(described, what).to.not.equal(undefined);
    for (const name of Object.keys(described?.headers ?? {})) expect(answer.headers.get(name), `${what} ${name}`).to.not.equal(null);
    const type = answer.headers.get('content-type') ?? '';
    const schema = described?.content?.[type]?.schema;
    expect(schema, `${what} ${type}`).to.not.equal(undefined);
    const text = await answer.text();
    const value: unknown = type.endsWith('json') ? JSON.parse(text) : text;
    const validate = ajv.compile({ ...schema, components: document.components });
    expect(validate(value), `${what} ${ajv.errorsText(validate.errors)}`).to.equal(true);
    return value as Json;
  };

  /** The request from the examples of an operation, with ids of keys from the linked answers. `leftOut`: query parameters to omit. */
  const replay = async (
    method: string,
    template: string,
    operation: Operation,
    ids: Record<string, string>,
    leftOut: readonly string[] = ['horizons', 'mark_rate'],
  ): Promise<Json> => {
    const { parameters = [], requestBody, security = [], operationId } = operation;
    const filled = parameters
      .filter((each) => each.in === 'path')
      .reduce((text, { name, example }) => text.replace(`{${name}}`, ids[operationId] ?? String(example)), template);
    const query = parameters
      .filter((each) => each.in === 'query' && !leftOut.includes(each.name) && !OF_BARS.includes(each.name))
      .map(({ name, example }) => `${name}=${String(example)}`);
    const schemes = security.flatMap((each) => Object.keys(each));
    const headers = {
      ...(schemes.includes('ApiKey') ? { 'Api-Key': key } : {}),
      ...(schemes.includes('Password') ? { Authorization: BASIC } : {}),
      ...(requestBody === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const { example: short, examples = {} } = requestBody?.content['application/json'] ?? {};
    const example = short ?? Object.values(examples)[0]?.value;
    const isObserved = query.some((text) => text.startsWith('horizons='));
    const body = requestBody === undefined ? null : JSON.stringify(isObserved ? withoutFuture(example as TickRequestBody) : example);
    const url = `${service.url}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
    const answer = await fetch(url, { method, headers, body });
    const [documented] = Object.keys(operation.responses).filter((status) => Number(status) < 300);
    expect(answer.status, `${operationId} ${url}`).to.equal(Number(documented));
    return expectDocumented(operation, answer);
  };

  it('has an example of every body, parameter and answer, and of every error', () => {
    for (const { operation } of operations()) {
      const { operationId: id, parameters = [], requestBody, responses } = operation;
      for (const { name, in: place, example } of parameters) {
        if (place !== 'header') expect(example, `${id} ${name}`).to.not.equal(undefined);
      }
      if (requestBody !== undefined) expect(requestBody.content['application/json'], id).to.have.any.keys('example', 'examples');
      for (const [status, { content }] of Object.entries(responses)) {
        for (const [type, media] of Object.entries(content ?? {})) {
          if (type === 'application/problem+json') expect(media.examples, `${id} ${status}`).to.not.deep.equal({});
          else if (type === 'application/json' && id !== 'openApi' && id !== 'asyncApi')
            expect(media, `${id} ${status}`).to.have.any.keys('example', 'examples');
        }
      }
    }
  });

  it('answers every request example as documented', async () => {
    const order = operations().sort((a, b) => LAST.indexOf(a.operation.operationId) - LAST.indexOf(b.operation.operationId));
    const issue = order.find(({ operation }) => operation.operationId === 'issueKey');
    const ids: Record<string, string> = {};
    if (issue !== undefined) ids['revokeKey'] = (await replay('POST', issue.template, issue.operation, {}))['id'] as string;
    const add = order.find(({ operation }) => operation.operationId === 'addWebhook');
    const webhook = add === undefined ? '' : ((await replay('POST', add.template, add.operation, {}))['id'] as string);
    for (const id of ['testWebhook', 'failedAlerts', 'changeWebhook', 'removeWebhook']) ids[id] = webhook;
    const watch = order.find(({ operation }) => operation.operationId === 'addMarket')!;
    const market = (await replay('POST', watch.template, watch.operation, {}))['id'] as string;
    for (const id of ['market', 'changeMarket', 'marketForecasts', 'removeMarket']) ids[id] = market;
    for (const { method, template, operation } of order) {
      // Only the key of the link that `serve` prints starts a session, and the account that the example signs in is another one.
      if (['deleteAccount', 'linkSession', 'endSession', 'addMarket'].includes(operation.operationId)) continue;
      const answer = await replay(method, template, operation, ids);
      if (operation.parameters?.some(({ name }) => name === 'answer') === true)
        await replay(method, template, operation, ids, ['answer', 'horizons', 'mark_rate']);
      if (operation.parameters?.some(({ name }) => name === 'horizons') === true)
        await replay(method, template, operation, ids, ['answer', 'min_probability']);
      if (operation.operationId === 'rotateKey') key = answer['api_key'] as string;
    }
    const gone = order.find(({ operation }) => operation.operationId === 'deleteAccount');
    // At this point, the password is that of the changePassword example.
    const changed = document.paths['/account/password']?.['post']?.requestBody?.content['application/json']?.example as {
      password: string;
    };
    const authorization = `Basic ${Buffer.from(`${ACCOUNT.email}:${changed.password}`).toString('base64')}`;
    const answer = await fetch(`${service.url}/account`, { method: 'DELETE', headers: { Authorization: authorization } });
    expect(answer.status).to.equal(200);
    await expectDocumented(gone?.operation as Operation, answer);
  });

  it('shows problems as the service returns them', async () => {
    const tick = (change: RequestInit & { headers?: Record<string, string> } = {}, query = ''): Promise<Response> =>
      fetch(`${service.url}/auth/ti-tick${query}`, {
        method: 'POST',
        body: JSON.stringify(exampleTickRequest()),
        ...change,
        headers: { 'Content-Type': 'application/json', 'Api-Key': key, ...change.headers },
      });
    const good = JSON.stringify(exampleTickRequest());
    const cases: [code: string, operation: string, answer: () => Promise<Response>][] = [
      ['request.malformed_json', 'tickForecast', () => tick({ body: good.replace(/,0\]/, ',NaN]') })],
      ['request.duplicate_key', 'tickForecast', () => tick({ body: good.replace('{', '{"Price":[],') })],
      ['request.too_large', 'tickForecast', () => tick({ body: ' '.repeat(1024 * 1024 + 1) })],
      ['request.media_type_unsupported', 'tickForecast', () => tick({ headers: { 'Content-Type': 'text/plain' } })],
      ['request.encoding_unsupported', 'tickForecast', () => tick({ headers: { 'Content-Encoding': 'br' } })],
      ['request.invalid', 'tickForecast', () => tick({ body: good.replace('{', '{"Prices":[],') })],
      ['auth.key_refused', 'tickForecast', () => tick({ headers: { 'Api-Key': 'x' } })],
      ['model.unknown', 'model', () => fetch(`${service.url}/models/nothing`)],
      ['rules.unknown', 'ruleSet', () => fetch(`${service.url}/rules/nothing`)],
      ['auth.password_refused', 'keyList', () => fetch(`${service.url}/account/keys`)],
      ['route.not_found', 'index', () => fetch(`${service.url}/nothing`)],
      ['route.method_not_allowed', 'signUp', () => fetch(`${service.url}/signup`)],
    ];
    const exampleOf = (operationId: string, code: string): Json | undefined => {
      const found = operations().find(({ operation }) => operation.operationId === operationId);
      const media = Object.values(found?.operation.responses ?? {}).map(({ content }) => content?.['application/problem+json']);
      return media.map((each) => each?.examples?.[code]?.value).find((value) => value !== undefined);
    };
    for (const [code, operationId, ask] of cases) {
      const answer = await ask();
      const problem = (await answer.json()) as Json;
      expect(answer.headers.get('content-type'), code).to.equal('application/problem+json');
      expect({ ...problem, requestId: '' }, code).to.deep.equal({ ...exampleOf(operationId, code), requestId: '' });
    }
    const { port } = new URL(service.url);
    for (const [code, bytes] of [
      ['request.malformed_http', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['request.headers_too_large', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(9000)}\r\n\r\n`],
      ['request.host_refused', 'GET / HTTP/1.1\r\nHost: desk.example\r\n\r\n'],
    ] as const) {
      const { problem } = parseRaw(await exchange(Number(port), bytes));
      expect({ ...problem, requestId: '' }, code).to.deep.equal({ ...exampleOf('index', code), requestId: '' });
    }
  });

  describe('and tools of others', () => {
    const body = exampleTickRequest();
    const future = body.Timestamp.at(-1);
    const own = (name: string): string => {
      const inside = path.join(folder, name);
      mkdirSync(inside);
      return inside;
    };
    const text = async (): Promise<string> => (await fetch(`${service.url}/openapi.json`)).text();
    const call = () => ({ url: service.url, key, body, observed: withoutFuture(body) });

    it('follows the recommended rules of Redocly', async function () {
      if (!hasTools()) skip(this, 'the packages of scripts/openapi are not installed (npm run test:openapi)');
      expect(await redoclyProblems(await text())).to.deep.equal([]);
    });

    it('reads the three forms of an answer by the types of openapi-typescript', async function () {
      if (!hasTools()) skip(this, 'the packages of scripts/openapi are not installed (npm run test:openapi)');
      const { last, ...read } = callByTypeScript(own('typescript'), await text(), call()) as { last: string[] };
      expect(read).to.deep.include({ entries: 200, futures: ['2024-01-02 09:33:28.000', '2024-01-02 09:34:18.000'] });
      expect(last[0]).to.equal(future);
    });

    it('reads the three forms of an answer by the client of openapi-python-client', async function () {
      if (!hasPythonTools()) skip(this, 'Python has no openapi-python-client (PYTHON names another one)');
      const { last, ...read } = callByPython(own('python'), await text(), call()) as { last: string[] };
      expect(read).to.deep.equal({
        kinds: ['TickAnswer', 'LastAnswer', 'HorizonsAnswer', 'LastAnswer'],
        entries: 200,
        futures: ['10s', '10s', '60s', '60s'].map((horizon) => (horizon === '10s' ? '2024-01-02 09:33:28.000' : '2024-01-02 09:34:18.000')),
      });
      expect(last[0]).to.equal(future);
    });
  });

  it('answers 304 on every route that documents it', async () => {
    const revalidated = operations().filter(({ operation }) => '304' in operation.responses);
    expect(revalidated.map(({ template }) => template)).to.include.members(['/models', '/rules', '/openapi.json', '/sample', '/docs']);
    for (const { template, operation } of revalidated) {
      const url = service.url + template.replace('{id}', String(operation.parameters?.find((each) => each.in === 'path')?.example));
      const tag = (await fetch(url, { headers: { 'Api-Key': key } })).headers.get('etag') ?? '';
      const again = await fetch(url, { headers: { 'Api-Key': key, 'If-None-Match': tag } });
      expect([again.status, await again.text()], url).to.deep.equal([304, '']);
    }
  });
});
