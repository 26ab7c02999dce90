import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  ApiError,
  ConnectionError,
  isApiError,
  TickmarkClient,
  UnexpectedAnswerError,
  type FieldProblem,
  type Problem,
  type TickForm,
} from '../../../clients/typescript/src/index.ts';
import { PASSING_CODES } from '../../../clients/typescript/src/Transport.ts';
import { ROUTES, type RouteSpec } from '../../../src/contract/routes.ts';
import { ERROR_TABLE } from '../../../src/core/errorTable.ts';
import { over, json, problem, refusal, BODY, ANSWER, refused, login, type Reply } from '../../support/clientReplies.ts';

describe('TickmarkClient', () => {
  const routeOf = (path: string): string => decodeURIComponent(path).replace('?answer=summary', '');

  it('has a method for every route of the table but pages and texts, which are no data, and sessions, which are for browsers', async () => {
    // sampleForecast reads the entry of the last key.
    const { client, sent } = over([json(200, { results: [{ status: 200, body: ANSWER }], ...ANSWER })]);
    const passwords = { email: 'a', password: 'b', confirm_password: 'b' };
    const calls: Promise<unknown>[] = [
      client.signUp(passwords),
      client.forecast(BODY),
      client.forecastBatch([BODY]),
      client.me(),
      client.trackRecord(),
      client.rotateKey(),
      client.listKeys(login),
    ];
    calls.push(client.issueKey(login), client.revokeKey(login, '{id}'), client.changePassword(login, 'n'), client.deleteAccount(login));
    calls.push(
      client.listWebhooks(login),
      client.addWebhook(login, { url: 'https://hooks.example.com' }),
      client.testWebhook(login, '{id}'),
      client.failedAlerts(login, '{id}'),
      client.changeWebhook(login, '{id}', { events: ['record.worse'] }),
      client.removeWebhook(login, '{id}'),
    );
    calls.push(
      client.markets(),
      client.addMarket({ exchange: 'binance', symbol: 'BTC/USDT', horizons: ['60s'] }),
      client.market('{id}'),
      client.changeMarket('{id}', { cost_bps: 2 }),
      client.marketForecasts('{id}'),
      client.removeMarket('{id}'),
    );
    calls.push(
      client.models(),
      client.model('{id}'),
      client.modelFiles('{id}'),
      client.rules(),
      client.ruleSet('{id}'),
      client.sample(),
      client.sampleForecast(),
      client.health(),
      client.liveness(),
    );
    await Promise.all(calls);
    const asked = sent.map(({ method, path }) => `${method} ${routeOf(path)}`).sort();
    const data = Object.values<RouteSpec>(ROUTES).filter(
      ({ path, answer }) =>
        !['/', '/openapi.json', '/asyncapi.json'].includes(path) &&
        !path.startsWith('/session') &&
        answer.type === undefined &&
        !path.startsWith('/console'),
    );
    expect(asked).to.deep.equal(data.map(({ method, path }) => `${method} ${path}`).sort());
    const needs = new Map<string, RouteSpec>(data.map((route) => [`${route.method} ${route.path}`, route] as const));
    for (const { method, path, headers } of sent) {
      const route = needs.get(`${method} ${routeOf(path)}`);
      expect([headers['Api-Key'] !== undefined, headers['Authorization'] !== undefined], path).to.deep.equal([
        route?.needsKey ?? false,
        route?.needsPassword ?? false,
      ]);
    }
  });

  it('lets no browser ask for another password where one is refused, and leaves what a proxy may need to all other calls', async () => {
    const { client, sent } = over([json(200, {})]);
    await client.listKeys(login);
    await client.revokeKey(login, 'id');
    await client.me();
    expect(sent.map(({ credentials }) => credentials)).to.deep.equal(['omit', 'omit', undefined]);
  });

  it('takes no answer without the forecast for a forecast', async () => {
    const mark = { timestamp: 'b', trend_identified: 1, status: 'identified', reason: null };
    const wrong: unknown[] = [{}, [], null, 1, 'x', { a: ANSWER.a }, { b: {} }, { b: null }, { b: { trend_identified: 0 } }];
    wrong.push({ ...mark, timestamp: 'c' }, { ...mark, status: 'none' }, { ...mark, trend_identified: null }, { forecasts: [] });
    for (const answer of wrong) {
      const { client } = over([json(200, answer)]);
      expect(await refused(client.forecast(BODY)), JSON.stringify(answer)).to.be.instanceOf(UnexpectedAnswerError);
      const batch = over([json(200, { results: [{ status: 200, body: answer }] })]).client;
      expect(await refused(batch.forecastBatch([BODY])), JSON.stringify(answer)).to.be.instanceOf(UnexpectedAnswerError);
      const horizons = over([json(200, answer)]).client.forecastHorizons(BODY, { horizons: ['1h'] });
      expect(await refused(horizons), JSON.stringify(answer)).to.be.instanceOf(UnexpectedAnswerError);
    }
    for (const results of [undefined, null, {}, [], [null], [{}]]) {
      const { client } = over([json(200, { results })]);
      expect(await refused(client.forecastBatch([BODY])), JSON.stringify(results)).to.be.instanceOf(UnexpectedAnswerError);
    }
  });

  it('follows no redirect: the key is for this service alone', async () => {
    const seen = new Array<string>();
    const other = createServer((request, response) => response.end(String(seen.push(String(request.headers['api-key'])))));
    const service = createServer((_request, response) => {
      response.writeHead(307, { Location: `http://127.0.0.1:${(other.address() as AddressInfo).port}/` }).end();
    });
    await Promise.all([other, service].map((server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))));
    const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const error = await refused(new TickmarkClient({ baseUrl, apiKey: 'k', retries: 0 }).me());
    for (const server of [other, service]) server.close();
    expect(error).to.be.instanceOf(ConnectionError);
    expect(seen).to.deep.equal([]);
  });

  it('says that an e-mail with a colon cannot be sent by HTTP Basic', async () => {
    const { client, sent } = over([json(200, {})]);
    expect(await refused(client.listKeys({ email: 'a:b@example.com', password: 'p' }))).to.be.instanceOf(RangeError);
    expect(sent).to.deep.equal([]);
  });

  it('refuses an id that would call another route, and sends nothing', async () => {
    const { client, sent } = over([json(200, {})]);
    for (const id of ['', '.', '..']) {
      const calls = [client.revokeKey(login, id), client.removeWebhook(login, id), client.model(id), client.ruleSet(id)];
      for (const error of await Promise.all(calls.map(refused)))
        expect(error, id)
          .to.be.instanceOf(RangeError)
          .with.property('message')
          .that.matches(/^id must not be empty/);
    }
    expect(sent).to.deep.equal([]);
    await client.revokeKey(login, '...');
    await client.trackRecord({ series: '..' });
    expect(sent.map(({ path }) => path)).to.deep.equal(['/account/keys/...', '/auth/track-record?series=..']);
  });

  it('refuses a key that no header can have, without its value', () => {
    for (const apiKey of ['tkm_live_x\n', 'tkm_live_x y', 'ключ', '']) {
      const make = (): TickmarkClient => new TickmarkClient({ apiKey });
      expect(make, apiKey).to.throw(RangeError, /^apiKey must be visible ASCII characters without white space$/);
    }
  });

  it('refuses an address that fetch would refuse, before a call is tried', () => {
    const wrong = [
      '127.0.0.1:8080',
      'localhost:8080',
      'desk.example.com',
      'ftp://x',
      'http://',
      'http://x:99999',
      '//x',
      'http://x?a=1',
      'http://x#a',
    ];
    for (const baseUrl of wrong) {
      const make = (): TickmarkClient => new TickmarkClient({ baseUrl });
      expect(make, baseUrl).to.throw(RangeError, `it is ${JSON.stringify(baseUrl)}`);
    }
    expect(() => new TickmarkClient({ baseUrl: 'http://a:secret@x' })).to.throw(RangeError, /^(?!.*secret)baseUrl must be/);
    for (const baseUrl of ['', '/', '/t/', 'https://x/t', 'HTTP://[::1]:80']) new TickmarkClient({ baseUrl });
  });

  it('takes every form of ticks that the API has, also of lists that cannot be changed', async () => {
    const answer = (stamp: string): Reply => json(200, { [stamp]: { trend_identified: 1 } });
    const [texts, epochs] = [{ Timestamp: ['a', 'b'] } as const, { Timestamp: [1_704_187_920_000, 1_704_187_921_000] } as const];
    const [prices, quotes] = [{ Price: [1, 0] } as const, { Bid: [1, 0], Ask: [2, 0] } as const];
    const forms: readonly TickForm[] = [
      { ...texts, ...prices },
      { ...texts, ...quotes },
      { ...epochs, ...prices },
      { ...epochs, ...quotes },
    ];
    for (const form of forms) {
      const stamp = String(form.Timestamp.at(-1));
      const { client, sent } = over([answer(stamp)]);
      expect(await client.forecast(form)).to.include({ timestamp: stamp, trend_identified: 1 });
      expect(JSON.parse(String(sent[0]?.body))).to.deep.equal(form);
    }
  });

  it('names itself and its version to the service', async () => {
    const { client, sent } = over([json(200, {})]);
    await client.models();
    await client.listKeys(login);
    const { version } = JSON.parse(readFileSync(new URL('../../../clients/typescript/package.json', import.meta.url), 'utf8'));
    for (const { headers } of sent) expect(headers['User-Agent']).to.equal(`tickmark-client-typescript/${version}`);
  });

  it('throws the problem, typed by its code', async () => {
    const errors: FieldProblem[] = [{ pointer: '/Price/3', code: 'price.not_positive', detail: 'd', hint: 'h' }];
    const { client, sent } = over([json(422, problem('request.invalid', { errors }))]);
    const error = await refused(client.forecast(BODY));
    if (!isApiError(error, 'request.invalid')) throw new Error('not that', { cause: error });
    const code: 'request.invalid' = error.code;
    expect([code, error.status, error.requestId, error.fieldErrors, error.kind]).to.deep.equal([
      'request.invalid',
      422,
      'r1',
      errors,
      'api',
    ]);
    expect(isApiError(error, 'auth.key_refused')).to.equal(false);
    expect(sent, 'it is not tried again').to.have.length(1);
  });

  it('tells what is no answer of tickmark from what is', async () => {
    const page: Reply = () => new Response('<html>', { status: 404 });
    expect(await refused(over([page]).client.models())).to.be.instanceOf(UnexpectedAnswerError);
    expect(await refused(over([() => new Response('<html>')]).client.models())).to.be.instanceOf(UnexpectedAnswerError);
  });

  it('tries a forecast again after a failure that passes, and no other', async () => {
    for (const code of Object.keys(ERROR_TABLE) as Problem['code'][]) {
      const { client, sent } = over([refusal(code, { 'retry-after': '0' }), json(200, ANSWER)]);
      await client.forecast(BODY).catch(() => {});
      expect(sent.length, code).to.equal(PASSING_CODES.includes(code) ? 2 : 1);
    }
    const unreachable: Reply = () => Promise.reject(new TypeError('fetch failed'));
    const { client, sent } = over([
      unreachable,
      () => new Response('gone', { status: 502, headers: { 'retry-after': '0' } }),
      json(200, ANSWER),
    ]);
    expect((await client.forecast(BODY)).trend_identified).to.equal(1);
    expect(sent).to.have.length(3);
  });

  it('never sends twice what may have been done', async () => {
    const calls = [
      (client: TickmarkClient) => client.signUp({ email: 'a', password: 'b', confirm_password: 'b' }),
      (client: TickmarkClient) => client.rotateKey(),
      (client: TickmarkClient) => client.issueKey(login),
      (client: TickmarkClient) => client.changePassword(login, 'n'),
      (client: TickmarkClient) => client.deleteAccount(login),
    ];
    for (const call of calls) {
      const { client, sent } = over([refusal('service.not_ready', { 'retry-after': '0' })]);
      expect(await refused(call(client))).to.be.instanceOf(ApiError);
      expect(sent).to.have.length(1);
    }
  });

  it('stops after the tries that were asked for, with the last refusal', async () => {
    const { client, sent } = over([refusal('inference.overloaded', { 'retry-after': '0' })], { retries: 2 });
    expect(isApiError(await refused(client.forecast(BODY)), 'inference.overloaded')).to.equal(true);
    expect(sent).to.have.length(3);
  });

  it('does not begin a wait that the time limit would cut: the refusal comes at once', async () => {
    const { client, sent } = over([refusal('limit.exceeded', { 'retry-after': '3600' })]);
    const error = await refused(client.forecast(BODY));
    expect(isApiError(error, 'limit.exceeded') && error.retryAfterMs).to.equal(3_600_000);
    expect(sent).to.have.length(1);
  });

  it('waits as long as Retry-After says before it tries again', async () => {
    const { client } = over([refusal('limit.exceeded', { 'retry-after': '1' }), json(200, ANSWER)]);
    const startMs = performance.now();
    await client.forecast(BODY);
    expect(performance.now() - startMs).to.be.at.least(990);
  });

  const hanging = (_url: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)));

  it('ends at its time limit, and at the caller’s signal with its reason', async () => {
    const client = new TickmarkClient({ fetch: hanging, timeoutMs: 20 });
    expect(await refused(client.forecast(BODY))).to.include({ kind: 'timeout', timeoutMs: 20 });
    const [aborter, reason] = [new AbortController(), new Error('enough')];
    const call = refused(client.forecast(BODY, { signal: aborter.signal, timeoutMs: 0 }));
    aborter.abort(reason);
    expect(await call).to.equal(reason);
    expect(await refused(client.forecast(BODY, { signal: aborter.signal }))).to.equal(reason);
  });

  it('has no time limit and begins no wait beyond the longest timer', async () => {
    const slow: Reply = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return json(200, {})();
    };
    for (const timeoutMs of [Infinity, 2 ** 31]) await over([slow], { timeoutMs }).client.models();
    const { client, sent } = over([refusal('limit.exceeded', { 'retry-after': '2147484' })], { timeoutMs: 0 });
    expect(isApiError(await refused(client.forecast(BODY)), 'limit.exceeded')).to.equal(true);
    expect(sent).to.have.length(1);
  });

  it('ends a wait before another try at the signal, too', async () => {
    const { client, sent } = over([refusal('limit.exceeded', { 'retry-after': '3600' })]);
    const aborter = new AbortController();
    const call = refused(client.forecast(BODY, { signal: aborter.signal, timeoutMs: 0 }));
    setImmediate(() => aborter.abort(new Error('enough')));
    expect(await call).to.have.property('message', 'enough');
    expect(sent).to.have.length(1);
  });
});
