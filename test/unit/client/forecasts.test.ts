import { expect } from 'chai';
import { TickmarkClient } from '../../../clients/typescript/src/index.ts';
import { BATCH_BYTES, BATCH_ITEMS, splitBatch } from '../../../clients/typescript/src/forecastBatches.ts';
import { readSettings } from '../../../src/core/config/settings.ts';
import { MAX_ITEMS } from '../../../src/contract/tickBatch.ts';
import { over, json, problem, BODY, ANSWER, login, type Sent, type Reply } from '../../support/clientReplies.ts';

describe('forecasts of the client', () => {
  const NO_SUMMARY = { probability: undefined, decision_threshold: undefined, min_move_bps: undefined };

  it('sends options as the query, and the password in UTF-8', async () => {
    const { client, sent } = over([json(200, ANSWER, { 'server-timing': 'network;dur=1', 'x-request-id': 'r' })]);
    const made = await client.forecast(BODY, { detail: true, minMoveBps: 2.5, model: 'a&b', series: 's:1', timing: true });
    expect(sent[0]?.path).to.equal('/auth/ti-tick?answer=summary&detail=full&min_move_bps=2.5&model=a%26b&series=s%3A1&timing=server');
    expect(made).to.deep.equal({
      timestamp: 'b',
      trend_identified: 1,
      status: undefined,
      reason: undefined,
      ...NO_SUMMARY,
      range: undefined,
      above: undefined,
      touch: undefined,
      detail: undefined,
      answer: ANSWER,
      request_id: 'r',
      server_timing: 'network;dur=1',
    });
    await client.trackRecord({ series: 's:1', from: '2026-01-25' });
    expect(sent[1]?.path).to.equal('/auth/track-record?series=s%3A1&from=2026-01-25');
    await client.listKeys(login);
    expect(Buffer.from(sent[2].headers['Authorization'].slice('Basic '.length), 'base64').toString('utf8')).to.equal('ä@example.com:p:ß');
  });

  it('asks for the last entry alone, one at a time and in batches, and gives status and reason', async () => {
    const last = { timestamp: 'b', trend_identified: null, status: 'abstained', reason: 'horizon_untrained', detail: { horizon_ms: 1 } };
    const { client, sent } = over([json(200, last), json(200, { results: [{ status: 200, body: last }] })]);
    const options = { lastOnly: true, detail: true };
    const made = await client.forecast(BODY, options);
    const [batched] = await client.forecastBatch([BODY], options);
    expect(sent.map(({ path }) => path)).to.deep.equal([
      '/auth/ti-tick?answer=summary&detail=full',
      '/auth/ti-tick/batch?answer=summary&detail=full',
    ]);
    expect(made).to.deep.equal({
      timestamp: 'b',
      trend_identified: null,
      status: 'abstained',
      reason: 'horizon_untrained',
      ...NO_SUMMARY,
      detail: { horizon_ms: 1 },
      answer: { b: { trend_identified: null, detail: { horizon_ms: 1 } } },
      request_id: undefined,
      server_timing: undefined,
      range: undefined,
      above: undefined,
      touch: undefined,
    });
    expect(batched).to.deep.equal({ ok: true, forecast: made });
  });

  it('gives status, reason and probability without any option, and entries for all timestamps', async () => {
    const summary = {
      ...{ timestamp: 'b', trend_identified: null, status: 'none', reason: 'below_threshold' },
      ...{ probability: 0.25, decision_threshold: 0.5, min_move_bps: 2 },
    };
    const { client } = over([json(200, summary)]);
    const made = await client.forecast(BODY);
    expect(made).to.include({ status: 'none', reason: 'below_threshold', probability: 0.25, decision_threshold: 0.5, min_move_bps: 2 });
    expect(made.answer).to.deep.equal({ a: { trend_identified: null }, b: { trend_identified: null } });
  });

  it('names the series of a batch, one after the other, and asks for several horizons of each body', async () => {
    const last = { timestamp: 'b', trend_identified: null, status: 'none', reason: 'below_threshold' };
    const ofHorizons = [1, 2, 3, 4].map(() => ({ ...last, probability: 0.25 }));
    const results = (count: number, body: object) => json(200, { results: Array.from({ length: count }, () => ({ status: 200, body })) });
    const { client, sent } = over([results(64, last), results(1, last), results(1, { forecasts: ofHorizons })]);
    const bodies = Array.from({ length: 65 }, () => BODY);
    await client.forecastBatch(bodies, { series: bodies.map((_, i) => `s${i % 3}`) });
    expect(sent[0].path).to.match(/&series=s0%2Cs1%2Cs2%2Cs0.*%2Cs0$/);
    expect(sent[1].path).to.equal('/auth/ti-tick/batch?answer=summary&series=s1');
    const [found] = await client.forecastHorizonsBatch([BODY], { horizons: ['10s', '60s'], minMovesBps: [1, 2], series: 's' });
    expect(sent[2].path).to.equal('/auth/ti-tick/batch?horizons=10s,60s&min_move_bps=1,2&series=s');
    expect(found).to.deep.equal({ ok: true, forecasts: ofHorizons });
    const wrong: unknown = await client.forecastBatch([BODY], { series: ['a', 'b'] }).catch((error: unknown) => error);
    expect(String(wrong)).to.include('one for each of 1 bodies; it is 2 names');
  });

  it('reads no answer of more than 64 MiB', async () => {
    let sent = 0;
    const part = new Uint8Array(2 ** 20).fill(32);
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => (sent++, controller.enqueue(part)) });
    const client = new TickmarkClient({ apiKey: 'k', fetch: async () => new Response(endless), retries: 0 });
    const error: unknown = await client.me().catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('the answer is longer than 64 MiB');
    expect(sent).to.be.below(70);
  });

  it('asks for forecasts without the memory of the series', async () => {
    const last = { timestamp: 'b', trend_identified: null, status: 'none', reason: 'below_threshold' };
    const { client, sent } = over([json(200, { ...last, above: { price: 1.5, probability: 0.25, reason: null } })]);
    const { range, above } = await client.forecast(BODY, { series: 's', memoryOff: true, range: [0.5, 0.9], above: 1.5, lastOnly: true });
    expect([range, above]).to.deep.equal([undefined, { price: 1.5, probability: 0.25, reason: null }]);
    expect(sent.map(({ path }) => path)).to.deep.equal(['/auth/ti-tick?answer=summary&above=1.5&range=0.5,0.9&memory=off&series=s']);
  });

  it('asks for several horizons and thresholds in one request', async () => {
    const none = { trend_identified: null, status: 'none' };
    const four = { forecasts: [none, none, none, none] };
    const { client, sent } = over([json(200, four), json(200, { forecasts: [none] })]);
    const options = { horizons: ['10s', '5m'], minMovesBps: [1, 2.5], detail: true, series: 's:1' };
    expect(await client.forecastHorizons({ Timestamp: [1_704_153_600_000], Bid: [1], Ask: [2] }, options)).to.deep.equal(four);
    await client.forecastHorizons({ Timestamp: ['a'], Price: [1] }, { horizons: ['1h'] });
    expect(sent.map(({ path }) => path)).to.deep.equal([
      '/auth/ti-tick?horizons=10s,5m&min_move_bps=1,2.5&detail=full&series=s%3A1',
      '/auth/ti-tick?horizons=1h',
    ]);
  });
});

describe('batches of the client', () => {
  const found = (request: Sent): unknown[] => (JSON.parse(request.body!) as { items: unknown[] }).items;

  it('split by the limits of the service', () => {
    expect(BATCH_ITEMS).to.equal(MAX_ITEMS);
    expect(BATCH_BYTES).to.equal(readSettings({}).batchBodyLimitBytes);
    expect(splitBatch(Array<number>(130).fill(10)).map((group) => group.length)).to.deep.equal([64, 64, 2]);
    expect(splitBatch([5e6, 5e6, 1e6]).map((group) => group.length)).to.deep.equal([1, 2]);
    expect(splitBatch([])).to.deep.equal([]);
  });

  it('give a result for each body in order, and try again only those that met a limit', async () => {
    const ok = { status: 200, body: ANSWER };
    const later = { status: 429, problem: problem('limit.exceeded', { retryAfterSeconds: 0 }) };
    const broken = { status: 422, problem: problem('request.invalid') };
    const { client, sent } = over([json(200, { results: [later, broken, ok] }), json(200, { results: [ok] })]);
    const bodies = [1, 2, 3].map((price) => ({ ...BODY, Price: [price, 0] }));
    const results = await client.forecastBatch(bodies);
    expect(results.map((result) => (result.ok ? result.forecast.trend_identified : result.error.code))).to.deep.equal([
      1,
      'request.invalid',
      1,
    ]);
    expect(sent.map(found)).to.deep.equal([bodies, bodies.slice(0, 1)]);
  });

  it('send no more at once than asked', async () => {
    let [now, most] = [0, 0];
    const slow: Reply = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      return json(200, { results: Array(64).fill({ status: 200, body: ANSWER }) })();
    };
    const { client, sent } = over([slow]);
    expect(await client.forecastBatch(Array(640).fill(BODY), { concurrency: 3 })).to.have.length(640);
    expect([sent.length, most]).to.deep.equal([10, 3]);
  });
});
