import { expect } from 'chai';
import { horizonClass } from '../../src/engine/live/SeriesRates.ts';
import type { Tally } from '../../src/engine/live/score.ts';
import { EMPTY_TALLY, mergeTallies } from '../../src/engine/live/score.ts';
import type { RecordKey } from '../../src/service/live/TrackRecord.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { fakeForecaster } from '../support/fakeForecaster.ts';
import { CALLER, GOOD_KEY } from '../support/fakeParts.ts';
import { type LiveSocket, OPEN, realParts, STAMPS, TICKS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';

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
      expect(single.inOrder('forecast')).to.deep.equal(whole.inOrder('forecast'));
      expect(odd.inOrder('forecast')).to.deep.equal(whole.inOrder('forecast'));
      expect(single.inOrder('outcome')).to.deep.equal(whole.inOrder('outcome'));
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
          await client.run(OPEN, message, { type: 'close', series: 'a' });
          return client.inOrder('forecast').map(({ probability }) => probability);
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
      expect(forms.inOrder('forecast')).to.deep.equal(texts.inOrder('forecast'));
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
      await lost.run(OPEN, ticksMessage(0, 600), { type: 'score', series: 'a' });
      lost.socket.terminate();
      const settled = new Set(lost.of('outcome').map(({ n }) => n));
      const resume_after = lost
        .of('forecast')
        .filter(({ n }) => settled.has(n))
        .map(({ timestamp }) => timestamp)
        .sort()
        .at(-1)!;
      const again = await connect();
      await again.run({ ...OPEN, forecasts: [{ ...OPEN.forecasts[0], resume_after }] }, ticksMessage(0, 900), {
        type: 'close',
        series: 'a',
      });
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
});
