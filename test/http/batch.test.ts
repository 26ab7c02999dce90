import * as http from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { exampleTickRequest } from '../../src/contract/tickForecast.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { fakeForecaster } from '../support/fakeForecaster.ts';
import { CALLER, fakeParts, GOOD_KEY, keyLimit } from '../support/fakeParts.ts';
import { hostileBodies } from '../support/hostileBodies.ts';
import { request, type Answer } from '../support/request.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

const OTHER_KEY = 'tkm_live_otherotherotherotherotherother';
const HEADERS = { 'Content-Type': 'application/json', 'Api-Key': GOOD_KEY };
const BATCH = '/auth/ti-tick/batch';

type Result = { status: number; problem?: { code: string; retryAfterSeconds?: number } };
const resultsOf = (answer: Answer): Result[] => answer.json['results'] as Result[];
const outcomes = (answer: Answer): unknown[] => resultsOf(answer).map(({ status, problem }) => problem?.code ?? status);
const good = JSON.stringify(exampleTickRequest());
const batchOf = (items: readonly string[]): string => `{"items":[${items.join(',')}]}`;

/** First price of a request, by which the test recognizes it. */
const SINGLE_PRICE = 777;

describe('batches of forecasts', () => {
  const forecaster = fakeForecaster().forecaster;
  const quota = new MemoryCounter({ name: 'forecasts', quota: 70, windowSeconds: 60 }, systemClock);
  let working = 0;
  let mostWorking = 0;
  /** Forecasts wait for it if a test sets it. */
  let held: Promise<void> | undefined;
  let begun: string[] = [];
  const parts = fakeParts({
    authenticate: (header) => {
      const keyId = header === GOOD_KEY ? 'key-1' : header === OTHER_KEY ? 'key-2' : undefined;
      return Promise.resolve(keyId === undefined ? undefined : { ...CALLER, keyId });
    },
    forecast: async (ticks, options) => {
      begun.push(ticks.series.prices[0] === SINGLE_PRICE ? 'single' : 'item');
      mostWorking = Math.max(mostWorking, ++working);
      try {
        await held;
        if (ticks.series.prices[0] === 666) throw new ServiceError('inference.failed', 'The network could not be run.');
        return await forecaster.forecast(ticks, { ...options, ...(options.model === 'base-fake' ? { model: 'fake' } : {}) });
      } finally {
        working--;
      }
    },
  });
  let limited = parts.limits;
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      ...parts,
      get limits() {
        return limited;
      },
    });
  });
  beforeEach(() => {
    [begun, mostWorking, held, limited] = [[], 0, undefined, parts.limits];
  });
  after(() => server.close());

  const post = (body: string | Buffer, headers: Record<string, string> = {}, path = BATCH): Promise<Answer> =>
    request(server.url, path, { method: 'POST', body, headers: { ...HEADERS, ...headers } });

  /** Valid and invalid bodies; each is also sent alone. */
  const SINGLES: readonly (readonly [what: string, body: string])[] = [
    ['plain', good],
    ['with spaces', JSON.stringify(exampleTickRequest(), null, 2)],
    ['escapes', good.replace('2024', '\\u0032024')],
    ['brackets in strings', good.replace('2024', ']}[{')],
    ['quotes in strings', good.replace('2024', '\\"\\\\')],
    ['no object', '[]'],
    ['a number', '1'],
    ['a string', '"]"'],
    ['null', 'null'],
    ['not JSON', 'NaN'],
    ['two values', '{} {}'],
    ['a broken price', good.replace(',0]', ',0x]')],
    ['an unknown field', good.replace('{', '{"extra":{"a":[1]},')],
    ['a key twice', good.replace('{', '{"Price":[],')],
    ['too few', '{"Timestamp":[],"Price":[]}'],
    ['a negative price', good.replace('"Price":[', '"Price":[-1,')],
    ['deep', `{"Price":${'['.repeat(5000)}${']'.repeat(5000)}}`],
    ['wide', hostileBodies().wide],
    ['larger than one may be', `{"Price":"${'x'.repeat(1024 * 1024)}"}`],
    ['a network that fails', good.replace(/"Price":\[[\d.]+/, '"Price":[666')],
  ];

  it('answers each item byte for byte as if it were sent alone, invalid ones among valid ones', async () => {
    for (const query of [
      '',
      '?detail=full&min_move_bps=2.5',
      '?answer=last',
      '?answer=last&detail=full',
      '?answer=summary',
      '?horizons=10s,60s&min_move_bps=1,2.5',
      '?series=s&memory=off',
      '?model=base-fake',
      '?model=nothing',
    ]) {
      const singles: string[] = [];
      for (const [, body] of SINGLES) {
        const { status, text, json } = await post(body, {}, `/auth/ti-tick${query}`);
        const result = status === 200 ? `{"status":200,"body":${text}}` : `{"status":${status},"problem":${text}}`;
        singles.push(result.replace(String(json['requestId']), 'ID'));
      }
      const batch = await post(batchOf(SINGLES.map(([, body]) => body)), {}, `${BATCH}${query}`);
      expect(batch.status).to.equal(200);
      const text = batch.text.replaceAll(String(batch.headers['x-request-id']), 'ID');
      expect(text.replace(/"timings_ms":\{[^}]*\}/g, '')).to.equal(
        `{"results":[${singles.join(',')}]}`.replace(/"timings_ms":\{[^}]*\}/g, ''),
      );
    }
  }).timeout(20_000);

  it('accepts 1 to 64 items and reports errors around them', async () => {
    expect(outcomes(await post(batchOf([good])))).to.deep.equal([200]);
    expect(outcomes(await post(batchOf(Array<string>(64).fill(good))))).to.deep.equal(Array(64).fill(200));
    const cases: [what: string, body: string, status: number, code: string, pointer?: string][] = [
      ['none', batchOf([]), 422, 'items.too_few', '/items'],
      ['65', batchOf(Array<string>(65).fill('1')), 422, 'items.too_many', '/items'],
      ['a million', batchOf(Array<string>(1_000_000).fill('1')), 422, 'items.too_many', '/items'],
      ['no items', '{}', 422, 'field.missing', '/items'],
      ['items of another kind', '{"items":{"a":[1]}}', 422, 'field.wrong_type', '/items'],
      ['a field more', `{"items":[1],"extra":[[1],{"a":2}]}`, 422, 'field.unknown', '/extra'],
      ['__proto__', `{"__proto__":{"a":1},"items":[1]}`, 422, 'field.unknown', '/__proto__'],
      ['a list', batchOf([good]).slice(9, -1), 422, 'body.not_object', ''],
      ['nothing', '', 400, 'request.malformed_json'],
      ['a comma more', '{"items":[1,]}', 400, 'request.malformed_json'],
      ['two commas', '{"items":[1,,1]}', 400, 'request.malformed_json'],
      ['cut off', batchOf([good]).slice(0, -3), 400, 'request.malformed_json'],
      ['cut off in a string', '{"items":["', 400, 'request.malformed_json'],
      ['closed by the other bracket', '{"items":[1}', 400, 'request.malformed_json'],
      ['more behind', `${batchOf(['1'])}1`, 400, 'request.malformed_json'],
      ['items twice', '{"items":[1],"items":[2]}', 400, 'request.duplicate_key'],
      ['items twice, escaped', '{"items":[1],"it\\u0065ms":[2]}', 400, 'request.duplicate_key'],
      ['deep around', '['.repeat(200_000), 422, 'body.not_object', ''],
      ['wide around', `{${'"a":1,'.repeat(200_000)}}`, 413, 'request.too_large'],
    ];
    for (const [what, body, status, code, pointer] of cases) {
      const answer = await post(body);
      const [first] = (answer.json['errors'] ?? []) as { code: string; pointer: string }[];
      if (what === 'deep around') expect(answer.status, what).to.be.oneOf([400, 422]);
      else expect([answer.status, first?.code ?? answer.json['code'], first?.pointer], what).to.deep.equal([status, code, pointer]);
    }
    expect(begun).to.have.length(65);
    expect((await post('{"it\\u0065ms" : [ 1 ] }')).status).to.equal(200);
    expect((await post(batchOf([good]), {}, `${BATCH}?detail=some`)).status).to.equal(422);
  }).timeout(20_000);

  it('accepts up to 8 MiB, decompressed, while a single body keeps its 1 MiB', async () => {
    const large = `{"x":"${'y'.repeat(1000 * 1000)}"}`;
    const body = batchOf(Array<string>(8).fill(large));
    expect(outcomes(await post(body))).to.deep.equal(Array(8).fill('request.invalid'));
    expect(outcomes(await post(gzipSync(body), { 'Content-Encoding': 'gzip' }))).to.deep.equal(Array(8).fill('request.invalid'));
    const over = batchOf(Array<string>(9).fill(large));
    for (const answer of [await post(over), await post(gzipSync(over), { 'Content-Encoding': 'gzip' })])
      expect([answer.status, answer.json['code']]).to.deep.equal([413, 'request.too_large']);
    expect((await post(body, {}, '/auth/ti-tick')).status).to.equal(413);
  }).timeout(20_000);

  it('uses quota for each valid item, and gives a 429 to each item above it', async () => {
    limited = { ...limited, forecasts: keyLimit({ name: 'forecasts', quota: 70, windowSeconds: 60 }, quota) };
    const bad = '{"Timestamp":[],"Price":[]}';
    const failing = good.replace(/"Price":\[[\d.]+/, '"Price":[666');
    const first = await post(batchOf([...Array<string>(60).fill(good), bad, bad, failing]));
    expect(outcomes(first).slice(60)).to.deep.equal(['request.invalid', 'request.invalid', 'inference.failed']);
    const second = await post(batchOf([bad, ...Array<string>(12).fill(good), bad]));
    expect(second.status).to.equal(200);
    expect(outcomes(second).filter((outcome) => outcome === 200)).to.have.length(10);
    const refused = resultsOf(second).filter(({ status }) => status === 429);
    expect(refused).to.have.length(2);
    for (const { problem } of refused) expect(problem?.retryAfterSeconds).to.be.within(1, 60);
    expect(second.headers['ratelimit']).to.match(/^"forecasts";r=0;t=\d+$/);
    expect(second.headers['retry-after']).to.equal(undefined);
    expect((await post(good, {}, '/auth/ti-tick')).json).to.deep.include({ code: 'limit.exceeded' });
  });

  it('leaves slots for another key: its request does not wait for the whole batch', async () => {
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    const batch = post(batchOf(Array<string>(64).fill(good)));
    await until(() => begun.length > 0);
    const body = good.replace(/"Price":\[[\d.]+/, `"Price":[${SINGLE_PRICE}`);
    const single = post(body, { 'Api-Key': OTHER_KEY }, '/auth/ti-tick');
    await until(() => begun.includes('single'));
    expect(begun.length).to.be.at.most(17);
    release();
    expect((await single).status).to.equal(200);
    expect(outcomes(await batch)).to.deep.equal(Array(64).fill(200));
    expect(mostWorking).to.be.at.most(17);
  });

  it('stops when the caller disconnects', async () => {
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    const sent = http.request(server.url + BATCH, { method: 'POST', headers: HEADERS });
    sent.on('error', () => {});
    sent.end(batchOf(Array<string>(64).fill(good)));
    await until(() => begun.length === 16);
    sent.destroy();
    await until(() => server.logged.some((line) => line['status'] === null && line['route'] === BATCH));
    release();
    await until(() => working === 0);
    expect((await post(good, {}, '/auth/ti-tick')).status).to.equal(200);
    expect(begun).to.have.length(17);
    // No error is reported: only the caller is gone.
    const reported = server.logged.filter((line) => line['msg'] === 'item of a batch failed' && line['code'] === 'internal.unexpected');
    expect(reported).to.have.length(0);
  });
});
