import { randomBytes } from 'node:crypto';
import type * as net from 'node:net';
import { expect } from 'chai';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { forecastLimit, rateLimit } from '../../src/service/accounts/limits/RateLimit.ts';
import { openService } from '../../src/cli/liveService.ts';
import type { Printed } from '../../src/cli/liveText.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { horizonClass } from '../../src/engine/live/SeriesRates.ts';
import type { Tally } from '../../src/engine/live/score.ts';
import { EMPTY_TALLY, mergeTallies } from '../../src/engine/live/score.ts';
import type { RecordKey } from '../../src/service/live/TrackRecord.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { fakeForecaster } from '../support/fakeForecaster.ts';
import { CALLER, fakeParts, GOOD_KEY, keyLimit } from '../support/fakeParts.ts';
import { LiveSocket, OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { exchange, OPTIONS, parseRaw, startTestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';

const MODEL_ID = fakeForecaster().served.id;

/** Sends a part of the ticks in messages of this size, and returns what came back. */
async function replay(client: LiveSocket, size: number): Promise<void> {
  client.send(OPEN);
  for (let from = 0; from < STAMPS.length; from += size) client.send(ticksMessage(from, Math.min(from + size, STAMPS.length)));
  client.send({ type: 'close', series: 'a' });
  await client.next('score');
}

describe('GET /auth/live', () => {
  it('gives the forecasts of POST /auth/ti-tick, bit for bit, in messages of any size', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const [whole, single, odd] = [await connect(), await connect(), await connect()];
      await replay(whole, 900);
      await replay(single, 1);
      await replay(odd, 37);
      expect(whole.of('error')).to.deep.equal([]);
      const forecasts = whole.of('forecast');
      expect(forecasts.length).to.be.greaterThan(30);
      const inOrder = (client: LiveSocket) => [...client.of('forecast')].sort((a, b) => a.n - b.n);
      expect(inOrder(single)).to.deep.equal(inOrder(whole));
      expect(inOrder(odd)).to.deep.equal(inOrder(whole));
      const outcomes = (client: LiveSocket) => [...client.of('outcome')].sort((a, b) => a.n - b.n);
      expect(outcomes(single)).to.deep.equal(outcomes(whole));
      expect(single.of('score')).to.deep.equal(whole.of('score'));
      for (const { timestamp, future, ...live } of forecasts) {
        const end = STAMPS.lastIndexOf(timestamp) + 1;
        const first = STAMPS.indexOf(timestamp);
        // A forecast falls due at the first tick of its timestamp.
        const to = Math.min(first + 1, end);
        const from = Math.max(0, to - 500);
        const body = { Timestamp: [...STAMPS.slice(from, to), future], Price: [...TICKS.prices.slice(from, to), 0] };
        const answer = await request(server.url, '/auth/ti-tick?detail=full', { body, headers: { 'Api-Key': GOOD_KEY } });
        const { trend_identified: mark, detail } = (JSON.parse(answer.text) as Record<string, Record<string, never>>)[future];
        const { opportunity, reasons, model } = detail as unknown as {
          opportunity: Record<string, number>;
          reasons: { code: string }[];
          model: { id: string };
        };
        expect({
          ...{ trend_identified: mark, probability: opportunity['probability'], decision_threshold: opportunity['decision_threshold'] },
          ...{ min_move_bps: opportunity['min_move_bps'], reasons: reasons.map(({ code }) => code), model: model.id },
        }).to.deep.equal({
          ...{ trend_identified: live.trend_identified, probability: live.probability, decision_threshold: live.decision_threshold },
          ...{ min_move_bps: live.min_move_bps, reasons: live.reasons, model: live.model },
        });
      }
    });
  });

  it('keeps the moves of tokens of 1e-7, by price and by quotes', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const factor = 1e-7 / TICKS.prices[0];
      const cheap = [...TICKS.prices].slice(0, 900).map((price) => price * factor);
      const Timestamp = STAMPS.slice(0, 900);
      const half = factor / 4;
      const messages = [
        ticksMessage(0, 900),
        { type: 'ticks', series: 'a', Timestamp, Price: cheap },
        { type: 'ticks', series: 'a', Timestamp, Bid: cheap.map((each) => each - half), Ask: cheap.map((each) => each + half) },
      ];
      const [usual, ...others] = await Promise.all(
        messages.map(async (message) => {
          const client = await connect();
          client.send(OPEN);
          client.send(message);
          client.send({ type: 'close', series: 'a' });
          await client.next('score');
          return [...client.of('forecast')].sort((one, next) => one.n - next.n).map(({ probability }) => probability);
        }),
      );
      expect(usual!.filter((each) => each !== null).length).to.be.greaterThan(10);
      for (const found of others)
        found.forEach((each, i) =>
          expect(each ?? NaN, String(i)).to.satisfy((own: number) => Object.is(own, usual![i] ?? NaN) || Math.abs(own - usual![i]!) < 1e-5),
        );
    });
  });

  it('observes the cost of Bid and Ask, takes it as the threshold, and answers as POST /auth/ti-tick does', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const client = await connect();
      const sides = (from: number, to: number) => ({
        Timestamp: STAMPS.slice(from, to),
        Bid: [...TICKS.prices.slice(from, to)].map((price, i) => price * (1 - ((from + i) % 3) * 1e-4)),
        Ask: [...TICKS.prices.slice(from, to)].map((price, i) => price * (1 + ((from + i) % 3) * 1e-4)),
      });
      const [forecast] = OPEN.forecasts;
      client.send({ ...OPEN, forecasts: [{ ...forecast, min_move_bps: 'cost' }] });
      expect((await client.next('opened')).forecasts[0].min_move_bps).to.equal('cost');
      client.send(ticksMessage(0, 1));
      const [refused] = (await client.next('error')).errors!;
      expect([refused!.pointer, refused!.code]).to.deep.equal(['/Price', 'min_move_bps.cost_unknown']);
      for (let from = 0; from < 900; from += 300) client.send({ type: 'ticks', series: 'a', ...sides(from, from + 300) });
      client.send({ type: 'ask', series: 'a', horizon: '30s', detail: true });
      client.send({ type: 'ask', series: 'a', horizon: '30s', min_move_bps: 0.5, detail: true });
      client.send({ type: 'close', series: 'a' });
      await client.next('score');
      const [plain, below] = client.of('forecast').filter(({ id }) => id === 'ask');
      expect(plain!.detail!.input.notes).to.not.include('cost_from_prices_alone');
      expect(below!.detail!.input.notes).to.include('threshold_below_cost');
      expect(below!.detail!.input.cost_bps).to.be.closeTo(2, 1e-6);
      for (const { notes, detail } of [plain!, below!])
        expect(notes?.join()).to.equal(detail!.input.notes.includes('threshold_below_cost') ? 'threshold_below_cost' : undefined);
      const planned = client.of('forecast').filter(({ id }) => id !== 'ask');
      expect(planned).to.not.have.lengthOf(0);
      expect(planned.some((message) => 'notes' in message)).to.equal(false);
      for (const { timestamp, future, min_move_bps: bps, probability } of planned.slice(-3)) {
        const to = STAMPS.indexOf(timestamp) + 1;
        const { Timestamp, Bid, Ask } = sides(Math.max(0, to - 500), to);
        const body = { Timestamp: [...Timestamp, future], Bid: [...Bid, 0], Ask: [...Ask, 0] };
        const answer = await request(server.url, '/auth/ti-tick?answer=last&detail=full&min_move_bps=cost', {
          ...{ body, headers: { 'Api-Key': GOOD_KEY } },
        });
        expect((answer.json['detail'] as { opportunity: object }).opportunity).to.include({ min_move_bps: bps, probability });
      }
    });
  });

  it('marks by the rate of the series, live and over HTTP, and neither marks nor knows a cut before 200 forecasts', async () => {
    const parts = realParts();
    await withServer(parts, {}, async (server, connect) => {
      const future = formatTimestamp(TICKS.timesUs[299] + 10e6);
      const body = { Timestamp: [...STAMPS.slice(0, 300), future], Price: [...TICKS.prices.slice(0, 300), 0] };
      for (const [series, filled, status, reason] of [
        ['low', 0, 'identified', null],
        ['high', 1, 'none', 'below_threshold'],
        ['new', null, 'abstained', 'rate_unknown'],
      ] as const) {
        for (let at = 0; at < 200 && filled !== null; at++) {
          parts.rates.add({ accountId: CALLER.accountId, series, horizon: horizonClass(10), minMoveBps: null }, MODEL_ID, at, filled);
        }
        const headers = { 'Api-Key': GOOD_KEY };
        const { json } = await request(server.url, `/auth/ti-tick?answer=last&detail=full&series=${series}&mark_rate=0.05`, {
          body,
          headers,
        });
        expect(json).to.include({ status, reason });
        expect((json['detail'] as { opportunity: object }).opportunity).to.include({ decision_threshold: filled });
        const several = { Timestamp: STAMPS.slice(0, 301), Price: [...TICKS.prices.slice(0, 301)] };
        const all = await request(server.url, `/auth/ti-tick?horizons=10s&series=${series}&mark_rate=0.05`, { body: several, headers });
        expect((all.json['forecasts'] as object[])[0]).to.include({ status, reason, decision_threshold: filled });
        const client = await connect();
        client.send({ ...OPEN, series, forecasts: [{ ...OPEN.forecasts[0], mark_rate: 0.05 }] });
        expect((await client.next('opened')).forecasts[0]).to.include({ mark_rate: 0.05 });
        client.send({ ...ticksMessage(0, 400), series });
        const first = await client.next('forecast');
        expect([first.status, first.reasons[0] ?? null, first.decision_threshold]).to.deep.equal([status, reason, filled]);
      }
    });
  });

  it('refuses to ask for the cost of a series without a spread', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 500));
      client.send({ type: 'ask', series: 'a', horizon: '30s', min_move_bps: 'cost' });
      const [first] = (await client.next('error')).errors!;
      expect([first!.pointer, first!.code]).to.deep.equal(['/min_move_bps', 'min_move_bps.cost_unknown']);
    });
  });

  it('accepts ticks in every form of POST /auth/ti-tick, message by message, and refuses a mixed list', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const [texts, forms] = [await connect(), await connect()];
      await replay(texts, 100);
      forms.send(OPEN);
      for (let from = 0, i = 0; from < STAMPS.length; from += 100, i++) {
        const { Price, ...head } = ticksMessage(from, from + 100) as { Timestamp: string[]; Price: number[] };
        const quotes = { Bid: Price, Ask: Price };
        const epoch = { Timestamp: head.Timestamp.map((text) => Date.parse(`${text.replace(' ', 'T')}Z`)) };
        const micros = { Timestamp: epoch.Timestamp.map((ms) => ms * 1000) };
        const [lists, stamps] = [[{ Price }, quotes][i % 2], [{}, epoch, micros][i % 3]];
        forms.send({ ...head, ...stamps, ...lists });
      }
      const bad = { type: 'ticks', series: 'a' };
      const last = Date.parse('2030-01-01T00:00:00Z');
      forms.send({ ...bad, Timestamp: [last, '2030-01-01 00:00:00'], Price: [1, 1] });
      forms.send({ ...bad, Timestamp: [last], Bid: [1] });
      forms.send({ ...bad, Timestamp: [last], Bid: [1], Ask: [] });
      forms.send({ ...bad, Timestamp: [1_893_456_000], Bid: [1], Ask: [1] });
      forms.send({ ...bad, Timestamp: [last], Bid: [1], Ask: [1], Price: [1] });
      await forms.next('error', 5);
      const faults = forms.of('error').map(({ errors = [] }) => `${errors[0]?.pointer} ${errors[0]?.code}`);
      expect(faults).to.deep.equal([
        '/Timestamp/0 field.wrong_type',
        '/Ask field.missing',
        '/Ask ticks.lengths_differ',
        '/Timestamp/0 timestamp.epoch_malformed',
        '/Bid field.unknown',
      ]);
      forms.send({ type: 'close', series: 'a' });
      await forms.next('score');
      const inOrder = (client: LiveSocket) => [...client.of('forecast')].sort((a, b) => a.n - b.n);
      expect(inOrder(forms)).to.deep.equal(inOrder(texts));
      expect(forms.of('score')).to.deep.equal(texts.of('score'));
    });
  });

  it('scores its forecasts, adds them to the track record, and counts what is pending as unscored at close', async () => {
    let recorded: Tally = EMPTY_TALLY;
    const keys = new Set<string>();
    const trackRecord = {
      add: (key: object, tally: Tally) => {
        keys.add(JSON.stringify(key));
        recorded = mergeTallies(recorded, tally);
      },
      storeSoon: () => {},
      rows: () => Promise.resolve([]),
    };
    await withServer(realParts({ trackRecord }), {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 900));
      client.send({ type: 'score', series: 'a' });
      const [running] = (await client.next('score')).scores;
      expect(running).to.include({ id: '10s', unscored: 0, conclusion: 'too_few', since: STAMPS[0] });
      client.send({ type: 'close', series: 'a' });
      const [last] = (await client.next('score', 2)).scores;
      expect(last!.outcomes).to.equal(client.of('outcome').length);
      expect(last!.outcomes + last!.unscored)
        .to.equal(last!.forecasts)
        .and.to.equal(client.of('forecast').length);
      expect(recorded).to.include({ forecasts: last!.forecasts, outcomes: last!.outcomes, unscored: last!.unscored, hits: last!.hits });
      const [key] = [...keys].map((text) => JSON.parse(text) as Record<string, unknown>);
      expect(key).to.include({ accountId: CALLER.accountId, series: 'a', model: 'fake', bucket: 'h30s', ownThreshold: false });
      // The day of the ticks of each forecast, not that of the clock.
      expect([...keys].map((text) => (JSON.parse(text) as RecordKey).day)).to.deep.equal([STAMPS[0].slice(0, 10)]);
    });
  });

  it('refuses a bad message with pointer and index, and the series stays as it was', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect();
      const refused = async (message: object | string, pointer: string, code: string): Promise<void> => {
        const count = client.of('error').length + 1;
        client.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
        const error = await client.next('error', count);
        expect([error.errors?.[0]?.pointer, error.errors?.[0]?.code ?? error.code], JSON.stringify(error)).to.deep.equal([pointer, code]);
      };
      const one = { ...OPEN.forecasts[0] };
      await refused({ type: 'ticks', series: 'a', Timestamp: STAMPS.slice(0, 1), Price: [1] }, '/series', 'series.unknown');
      await refused({ ...OPEN, series: 'a b' }, '/series', 'field.malformed');
      await refused({ ...OPEN, forecasts: [] }, '/forecasts', 'forecasts.too_few');
      await refused({ ...OPEN, forecasts: Array(9).fill(one) }, '/forecasts', 'forecasts.too_many');
      await refused({ ...OPEN, forecasts: [one, one] }, '/forecasts/1/id', 'forecast.id_repeated');
      await refused({ ...OPEN, forecasts: [{ ...one, id: 'ask' }] }, '/forecasts/0/id', 'forecast.id_repeated');
      await refused({ ...OPEN, forecasts: [{ ...one, horizon: '0s' }] }, '/forecasts/0/horizon', 'field.malformed');
      await refused({ ...OPEN, forecasts: [{ ...one, every: '2d' }] }, '/forecasts/0/every', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, min_move_bps: 0 }] }, '/forecasts/0/min_move_bps', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, min_move_bps: 10_001 }] }, '/forecasts/0/min_move_bps', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, mark_rate: 0.6 }] }, '/forecasts/0/mark_rate', 'field.out_of_range');
      const twice = { ...one, mark_rate: 0.05, min_probability: 0.4 };
      await refused({ ...OPEN, forecasts: [twice] }, '/forecasts/0/mark_rate', 'mark_rate.with_probability');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 198 }] }, '/forecasts/0/ticks', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 3001 }] }, '/forecasts/0/ticks', 'field.out_of_range');
      await refused({ ...OPEN, forecasts: [{ ...one, ticks: 250.5 }] }, '/forecasts/0/ticks', 'field.wrong_type');
      const resume = { ...one, resume_after: '2024-02-30 09:00:00' };
      await refused({ ...OPEN, forecasts: [resume] }, '/forecasts/0/resume_after', 'timestamp.not_a_time');
      await refused({ ...OPEN, extra: 1 }, '/extra', 'field.unknown');
      await refused({ ...OPEN, type: 'opne' }, '/type', 'message.type_unknown');
      await refused({ series: 'a' }, '/type', 'field.missing');
      await refused('[]', '', 'body.not_object');
      await refused({ type: 'auth', api_key: GOOD_KEY }, '/type', 'message.type_unknown');
      client.send(OPEN);
      await client.next('opened');
      await refused(OPEN, '/series', 'series.already_open');
      await refused({ type: 'ask', series: 'a', horizon: '10s' }, '/series', 'ticks.too_few');
      client.send(ticksMessage(0, 300));
      await refused(ticksMessage(299 - 10, 320), '/Timestamp/0', 'timestamp.step_back');
      const good = ticksMessage(300, 320) as { Timestamp: string[]; Price: number[] };
      await refused({ ...good, Price: good.Price.map((price, i) => (i === 7 ? -1 : price)) }, '/Price/7', 'price.not_positive');
      await refused({ ...good, Price: good.Price.slice(1) }, '/Price', 'ticks.lengths_differ');
      await refused(
        { ...good, Timestamp: good.Timestamp.map((text, i) => (i === 3 ? STAMPS[0] : text)) },
        '/Timestamp/3',
        'timestamp.step_back',
      );
      await refused({ ...good, Timestamp: [], Price: [] }, '/Timestamp', 'ticks.empty');
      await refused({ ...good, Timestamp: ['2199-12-31 12:00:00'], Price: [1] }, '/Timestamp/0', 'timestamp.out_of_range');
      const big = { ...good, Timestamp: Array(3001).fill(STAMPS[899]), Price: Array(3001).fill(1) };
      await refused(big, '/Timestamp', 'ticks.too_many');
      client.send(ticksMessage(300, 900));
      client.send({ type: 'score', series: 'a' });
      await client.next('score');
      const fresh = await connect();
      fresh.send(OPEN);
      fresh.send(ticksMessage(0, 900));
      fresh.send({ type: 'score', series: 'a' });
      await fresh.next('score');
      const seen = ({ n, probability }: { n: number; probability: number | null }) => [n, probability];
      await until(() => client.of('forecast').length === fresh.of('forecast').length);
      expect(client.of('forecast').map(seen)).to.deep.equal(fresh.of('forecast').map(seen));
      await refused('{"type":"score","series":"a"', undefined as never, 'request.malformed_json');
      await refused('{"type":"score","series":"a","series":"a"}', undefined as never, 'request.duplicate_key');
    });
  });

  it('answers ask with one forecast, with its explanation on request', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect();
      client.send({ ...OPEN, forecasts: [{ horizon: '10s', every: '1d' }] });
      client.send(ticksMessage(0, 100));
      const { detail } = await client.next('status');
      expect(detail).to.equal('The series has 100 ticks; forecasts start at 199.');
      client.send(ticksMessage(100, 500));
      client.send({ type: 'ask', series: 'a', horizon: '30s', min_move_bps: 2.5, detail: true });
      const forecast = await client.next('forecast');
      expect(forecast).to.include({ id: 'ask', n: 0, min_move_bps: 2.5, timestamp: STAMPS[499] });
      expect(forecast.detail?.horizon_ms).to.equal(30_000);
      client.send({ type: 'ask', series: 'a', horizon: '30s' });
      expect(await client.next('forecast', 2)).to.not.have.property('detail');
    });
  });

  it('makes no forecast again that a lost connection has the outcome of, so the record counts it once', async () => {
    let recorded: Tally = EMPTY_TALLY;
    const trackRecord = {
      add: (_key: object, tally: Tally) => void (recorded = mergeTallies(recorded, tally)),
      storeSoon: () => {},
      rows: () => Promise.resolve([]),
    };
    await withServer(realParts({ trackRecord }), {}, async (_server, connect) => {
      const whole = await connect();
      await replay(whole, 900);
      const all = recorded;
      recorded = EMPTY_TALLY;
      const lost = await connect();
      lost.send(OPEN);
      lost.send(ticksMessage(0, 600));
      lost.send({ type: 'score', series: 'a' });
      await lost.next('score');
      lost.socket.terminate();
      const settled = new Set(lost.of('outcome').map(({ n }) => n));
      const resume_after = lost
        .of('forecast')
        .filter(({ n }) => settled.has(n))
        .map(({ timestamp }) => timestamp)
        .sort()
        .at(-1)!;
      const again = await connect();
      again.send({ ...OPEN, forecasts: [{ ...OPEN.forecasts[0], resume_after }] });
      again.send(ticksMessage(0, 900));
      again.send({ type: 'close', series: 'a' });
      await again.next('score');
      expect(
        again
          .of('forecast')
          .map(({ timestamp }) => timestamp)
          .sort()[0] > resume_after,
      ).to.equal(true);
      expect(recorded).to.include({ outcomes: all.outcomes, moved: all.moved, marks: all.marks, hits: all.hits });
      expect(recorded.brierSum).to.be.closeTo(all.brierSum, 1e-9);
      // Those that were pending are made again, and were counted as unscored.
      expect(recorded.forecasts - all.forecasts)
        .to.equal(recorded.unscored - all.unscored)
        .and.to.be.within(1, 3);
    });
  });

  it('accepts the key in the first message, from callers that cannot set headers', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect({ key: '' });
      client.send({ type: 'auth', api_key: GOOD_KEY });
      client.send(OPEN);
      expect((await client.next('opened')).limits).to.include({ series_per_connection: 64, ticks_kept: 3000 });
      const bad = await connect({ key: '' });
      bad.send({ type: 'auth', api_key: 'tkm_live_wrong' });
      expect((await bad.next('error')).code).to.equal('auth.key_refused');
      expect(await bad.closed()).to.equal(4401);
      const none = await connect({ key: '' });
      none.send(OPEN);
      expect(await none.closed()).to.equal(4401);
    });
  });

  it('answers 401 to a bad key before the upgrade, and other requests at its path with 404', async () => {
    await withServer(realParts(), {}, async (server) => {
      const upgrade = (headers: string): Promise<string> =>
        exchange(
          server.port,
          `GET /auth/live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${headers}\r\n`,
        );
      const refused = parseRaw(await upgrade('Api-Key: wrong\r\n'));
      expect([refused.status, refused.problem['code']]).to.deep.equal([401, 'auth.key_refused']);
      expect(refused.head).to.include('WWW-Authenticate: ApiKey');
      const many = parseRaw(await upgrade('X-A: 1\r\n'.repeat(101)));
      expect(many.status).to.equal(431);
      const plain = await request(server.url, '/auth/live', { headers: { 'Api-Key': GOOD_KEY } });
      expect(plain.status).to.equal(404);
      expect(plain.text).to.include('WebSocket');
      const h2c = await request(server.url, '/health/live', { headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' } });
      expect(h2c.status).to.equal(200);
    });
  });

  it('skips forecasts over the limit of the key or under overload, and reports their number', async () => {
    const policy = { name: 'forecasts', quota: 5, windowSeconds: 60 };
    const used = { forecasts: 0, refused: 0 };
    const counter = new MemoryCounter(policy, systemClock);
    const forecasts = forecastLimit(rateLimit(policy, counter), rateLimit({ ...policy, quota: 0 }, counter), (_caller, taken, refused) => {
      used.forecasts += taken;
      used.refused += refused;
      return '';
    });
    const limited = realParts();
    await withServer({ ...limited, limits: { ...limited.limits, forecasts } }, {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 900));
      client.send({ type: 'score', series: 'a' });
      await client.next('score');
      const { skipped } = await client.next('status');
      expect(client.of('forecast')).to.have.length(5);
      expect(Object.keys(skipped!)).to.deep.equal(['limit.exceeded']);
      expect(used, 'the use of the key').to.deep.equal({ forecasts: 5, refused: skipped!['limit.exceeded'] });
      expect(client.of('error')).to.deep.equal([]);
    });
    const busy = fakeParts({ forecast: () => Promise.reject(new ServiceError('inference.overloaded', 'busy')) });
    await withServer(busy, {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 900));
      expect((await client.next('status')).skipped)
        .to.have.property('inference.overloaded')
        .greaterThan(30);
    });
  });

  it('lets tickmark live wait at the limit of the key, and say how many forecasts were skipped and why', async () => {
    const policy = { name: 'forecasts', quota: 40, windowSeconds: 60 };
    const clock = new FakeClock();
    const forecasts = keyLimit(policy, new MemoryCounter(policy, clock));
    const limited = realParts();
    await withServer({ ...limited, limits: { ...limited.limits, forecasts } }, {}, async ({ url }) => {
      const { timesUs, prices } = walkTicks({ seed: 9, count: 4000 });
      const printed: Printed[] = [];
      const waitsMs: number[] = [];
      let errors = '';
      // Quotes with a spread of 2 bps, which is the threshold.
      const plan = { ...OPEN.forecasts[0], ticks: 500, options: { minMoveBps: 'cost' as const } };
      const [bids, asks] = [0.9999, 1.0001].map((side) => prices.map((price) => side * price));
      const target = openService(
        { url, key: GOOD_KEY, forecasts: [plan], waitsForLimit: true },
        { print: (message) => printed.push(message), err: (text) => (errors += text) },
        {
          after: (delayMs, run) => {
            waitsMs.push(delayMs);
            clock.advance(delayMs);
            setImmediate(run);
            return () => {};
          },
        },
      );
      await target.push({ series: Array<string>(4000).fill('a'), timesUs, prices, bids, asks, replaces: new Map() } as never, 0, 4000);
      await target.close();
      const made = printed.filter(({ type }) => type === 'forecast').length;
      const last = printed.at(-1) as Extract<Printed, { type: 'score' }>;
      expect(last.scores[0].forecasts).to.equal(made);
      expect(made).to.be.above(100);
      for (const message of printed) if (message.type === 'forecast') expect(message.min_move_bps).to.be.closeTo(2, 1e-6);
      expect(new Set(waitsMs)).to.deep.equal(new Set([5000]));
      const [waiting, skipped, ...more] = errors.split('\n');
      expect(waiting).to.equal('The limit of the key is used up: waiting, 5 s at a time.');
      expect(skipped).to.match(/^\d+ forecasts skipped: the limit of the key was used up\.$/);
      expect(more).to.deep.equal(['']);
    });
  });

  it('lets tickmark live close the series before each gap, however many there are', async () => {
    await withServer(realParts(), {}, async ({ url }) => {
      const { timesUs, prices } = walkTicks({ seed: 9, count: 700 });
      const printed: Printed[] = [];
      const target = openService(
        { url, key: GOOD_KEY, forecasts: [{ ...OPEN.forecasts[0], options: {} }], waitsForLimit: false },
        { print: (message) => printed.push(message), err: () => {} },
      );
      const names = Array.from(prices, (_, i) => `a.${Math.floor(i / 10)}`);
      const replaces = new Map(Array.from({ length: 69 }, (_, i) => [`a.${i + 1}`, `a.${i}`]));
      const none = Array.from(prices, () => NaN);
      await target.push({ series: names, timesUs, prices, bids: none, asks: none, replaces } as never, 0, 700);
      await target.close();
      expect(printed.map(({ type, series }) => `${type} ${series}`)).to.deep.equal(Array.from({ length: 70 }, (_, i) => `score a.${i}`));
    });
  });

  it('closes a connection whose key was revoked', async () => {
    let isRevoked = false;
    const parts = realParts({ authenticate: (header) => Promise.resolve(header === GOOD_KEY && !isRevoked ? CALLER : undefined) });
    await withServer(parts, {}, async (_server, connect) => {
      const [first, second] = [await connect(), await connect()];
      isRevoked = true;
      expect(await first.closed()).to.equal(4401);
      expect(await second.closed()).to.equal(4401);
    });
  });

  it('keeps connections while the account store does not answer', async () => {
    let isDown = false;
    let asked = 0;
    const authenticate: HttpParts['authenticate'] = () => {
      asked++;
      return isDown ? Promise.reject(new ServiceError('store.unavailable', 'down')) : Promise.resolve(CALLER);
    };
    await withServer(realParts({ authenticate }), {}, async (_server, connect) => {
      const client = await connect();
      isDown = true;
      const before = asked;
      await until(() => asked > before + 2);
      expect(client.closeCode).to.equal(undefined);
    });
  });

  it('refuses more connections than an account may have, and accepts one again after another closed', async () => {
    await withServer(realParts(), { live: { ...OPTIONS.live, connectionsPerAccount: 2 } }, async (server, connect) => {
      const [first] = [await connect(), await connect()];
      let message = '';
      await connect().catch((error: unknown) => (message = String(error)));
      expect(message).to.include('429');
      first.socket.close();
      await until(() => server.logged.some(({ msg }) => msg === 'live connection closed'));
      await connect();
    });
  });

  it('refuses more series than a connection may have', async () => {
    await withServer(realParts(), { live: { ...OPTIONS.live, seriesPerConnection: 2 } }, async (_server, connect) => {
      const client = await connect();
      for (const series of ['a', 'b', 'c']) client.send({ ...OPEN, series });
      expect((await client.next('error')).errors?.[0]?.code).to.equal('series.too_many');
      client.send({ type: 'close', series: 'a' });
      client.send({ ...OPEN, series: 'c' });
      await client.next('opened', 3);
    });
  });

  it('closes connections that send a binary frame, or one larger than 1 MiB, and reads no more of it', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const binary = await connect();
      binary.socket.send(Buffer.from('{}'), { binary: true });
      expect(await binary.closed()).to.equal(1003);
      const large = await connect();
      large.socket.send('x'.repeat(1024 * 1024 + 1));
      expect(await large.closed()).to.equal(1009);
    });
  });

  it('cuts a connection off that sends more than 4 KiB before its key', async () => {
    await withServer(realParts(), {}, async (_server, connect) => {
      const client = await connect({ key: '' });
      client.socket.send('x'.repeat(5000));
      expect(await client.closed()).to.be.oneOf([1006, 4401]);
      const header = Buffer.alloc(14 + 5000);
      header[0] = 0x81;
      header[1] = 0x80 | 127;
      header.writeBigUInt64BE(1_000_000n, 2);
      const slow = await connect({ key: '' });
      (slow.socket as unknown as { _socket: net.Socket })._socket.write(header);
      expect(await slow.closed()).to.equal(1006);
      // What follows the key in the same piece counts as its messages.
      const good = await connect({ key: '' });
      good.send({ type: 'auth', api_key: GOOD_KEY });
      good.send(OPEN);
      good.send(ticksMessage(0, 900));
      await good.next('forecast');
    });
  });

  it('answers an upgrade that is no WebSocket with a problem', async () => {
    await withServer(realParts(), {}, async (server) => {
      const head = `GET /auth/live HTTP/1.1\r\nHost: x\r\nApi-Key: ${GOOD_KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
      for (const fields of ['', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 99\r\n']) {
        const raw = parseRaw(await exchange(server.port, `${head}${fields}\r\n`));
        expect([raw.status, raw.problem['code']]).to.deep.equal([400, 'request.malformed_http']);
      }
    });
  });

  it('refuses a frame of 100 MB by its header', async () => {
    await withServer(realParts(), {}, async (server, connect) => {
      const client = await connect();
      const raw = (client.socket as unknown as { _socket: net.Socket })._socket;
      const header = Buffer.alloc(14);
      header[0] = 0x81;
      header[1] = 0x80 | 127;
      header.writeBigUInt64BE(100_000_000n, 2);
      raw.write(header);
      expect(await client.closed()).to.equal(1009);
      expect(server.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
  });

  it('skips forecasts for a client that never reads, and then cuts it off', async () => {
    const parts = realParts();
    await withServer(parts, {}, async (server, connect) => {
      const client = await connect();
      client.send(OPEN);
      await client.next('opened');
      client.socket.pause();
      // Each refusal is an answer that nothing reads.
      const refused = JSON.stringify({ type: 'score', series: 'x'.repeat(64) });
      const isOver = (): boolean => server.logged.some(({ msg }) => msg === 'live connection closed');
      for (let i = 0; i < 400_000 && !isOver(); i++) {
        client.socket.send(refused);
        if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      await until(isOver);
    });
  }).timeout(60_000);

  it('closes connections that answer no ping, and those without a key after 5 s', async () => {
    const clock = new FakeClock();
    const server = await startTestServer(realParts(), { keyCheckMs: 1e9 }, 'ready', clock);
    const [silent, alive, unknown] = [new LiveSocket(server.url), new LiveSocket(server.url), new LiveSocket(server.url, { key: '' })];
    await Promise.all([silent.opened, alive.opened, unknown.opened]);
    (silent.socket as unknown as { pong: () => void }).pong = () => {};
    let pings = 0;
    alive.socket.on('ping', () => pings++);
    await until(() => server.logged.filter(({ msg }) => msg === 'live connection opened').length === 2);
    clock.advance(5000);
    expect(await unknown.closed()).to.equal(4401);
    for (let i = 1; i <= 3; i++) {
      clock.advance(20_000);
      await until(() => pings === i);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await silent.closed()).to.equal(1006);
    expect(alive.closeCode).to.equal(undefined);
    alive.socket.terminate();
    await server.close();
  });

  it('logs each connection by the id that a proxy sent, with the address that TRUST_PROXY says', async () => {
    const id = 'Root=1-67891233-abcdef012345678912345678';
    const rows = [
      [{ trustProxy: false }, '127.0.0.1'],
      [{ trustProxy: true }, '203.0.113.7'],
      [{ trustProxy: true, logAddresses: false }, null],
    ] as const;
    for (const [options, address] of rows) {
      const clock = new FakeClock();
      const server = await startTestServer(realParts(), options, 'ready', clock);
      const connect = (key: string): LiveSocket =>
        new LiveSocket(server.url, { key, headers: { 'X-Request-Id': id, 'X-Forwarded-For': '198.51.100.1, 203.0.113.7' } });
      const linesOf = (text: string): Record<string, unknown>[] => server.logged.filter(({ msg }) => msg === text);

      const accepted = connect(GOOD_KEY);
      await accepted.opened;
      accepted.socket.close();
      await until(() => linesOf('live connection closed').length === 1);
      const { keyPrefix } = CALLER;
      for (const text of ['live connection opened', 'live connection closed'])
        expect(linesOf(text)[0]).to.include({ id, address, keyPrefix });
      expect(linesOf('live connection opened')[0]).to.include({ client: null });

      // A key that is not valid, in the header and in a message, and none in time.
      connect(`${GOOD_KEY}x`);
      await until(() => linesOf('connection refused').length === 1);
      const [wrong, silent] = [connect(''), connect('')];
      await Promise.all([wrong.opened, silent.opened]);
      // Its end is not complete when the time of the other one is over.
      wrong.socket.pause();
      wrong.send({ type: 'auth', api_key: `${GOOD_KEY}x` });
      await until(() => linesOf('connection refused').length === 2);
      clock.advance(5000);
      await until(() => linesOf('connection refused').length === 3);
      expect(linesOf('connection refused').map(({ cause }) => cause)).to.deep.equal(['upgrade', 'key message', 'no key message']);
      for (const line of linesOf('connection refused')) expect(line).to.include({ id, address, code: 'auth.key_refused' });
      expect(JSON.stringify(server.logged)).to.not.include(GOOD_KEY);
      await server.close();
    }
  });
});
