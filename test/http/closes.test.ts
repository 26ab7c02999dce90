import { expect } from 'chai';
import { MarketModel } from '../../src/engine/model/MarketModel.ts';
import type { ForecastDetail } from '../../src/contract/forecastDetail.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { fakeForecaster } from '../support/fakeForecaster.ts';
import { fakeParts, GOOD_KEY } from '../support/fakeParts.ts';
import { realParts, withServer } from '../support/liveSocket.ts';
import { request } from '../support/request.ts';
import { smallMarket } from '../support/smallMarket.ts';
import { walkTicks } from '../support/walkTicks.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';

const TICKS = walkTicks({ seed: 3, count: 1200, meanGapMs: 4000 });
const STAMPS = Array.from(TICKS.timesUs, (us) => formatTimestamp(us));
const MINUTE_US = 60e6;
const headers = { 'Api-Key': GOOD_KEY };

type Lists = { Timestamp: string[]; Price: number[] };

/** Whole milliseconds before the first tick. */
const BEFORE_US = Array.from({ length: 300 }, (_, i) => TICKS.timesUs[0]! - (300 - i) * MINUTE_US);
/** 300 closes before the first tick. */
const BEFORE: Lists = {
  Timestamp: BEFORE_US.map((us) => formatTimestamp(us)),
  Price: Array.from({ length: 300 }, (_, i) => 1.38 + (i % 2) / 1e4),
};

/** `BEFORE` and the last price of each minute of the ticks before a tick. */
function closesBefore(tick: number): Lists {
  const at = Array.from({ length: tick }, (_, i) => i).filter((i) => i + 1 === tick || minuteOf(i + 1) !== minuteOf(i));
  const isOver = (i: number): boolean => minuteOf(i) < minuteOf(tick);
  return {
    Timestamp: [...BEFORE.Timestamp, ...at.filter(isOver).map((i) => STAMPS[i]!)],
    Price: [...BEFORE.Price, ...at.filter(isOver).map((i) => TICKS.prices[i]!)],
  };
}
const minuteOf = (i: number): number => Math.floor(TICKS.timesUs[i]! / MINUTE_US);

function marketParts(): HttpParts {
  const { forecaster } = fakeForecaster({ market: new MarketModel(smallMarket()) });
  const parts = fakeParts({ forecast: (ticks, options) => forecaster.forecast(ticks, options) });
  return { ...parts, models: { ...parts.models, usesCloses: () => true } };
}

const detailOf = (answer: string): ForecastDetail =>
  (Object.values(JSON.parse(answer) as Record<string, { detail?: ForecastDetail }>).at(-1) as { detail: ForecastDetail }).detail;

const body = (from: number, to: number, future: string, Closes?: Lists): object => ({
  ...{ Timestamp: [...STAMPS.slice(from, to), future], Price: [...TICKS.prices.slice(from, to), 0] },
  ...(Closes === undefined ? {} : { Closes }),
});

describe('closes over HTTP', () => {
  it('change the clock of a version with a market, alone and in a batch', async () => {
    await withServer(marketParts(), {}, async ({ url }) => {
      const future = formatTimestamp(TICKS.timesUs[499]! + MINUTE_US);
      const [plain, given] = [body(0, 500, future), body(0, 500, future, BEFORE)];
      const [without, with_] = [
        await request(url, '/auth/ti-tick?detail=full', { body: plain, headers }),
        await request(url, '/auth/ti-tick?detail=full', { body: given, headers }),
      ];
      expect([without.status, with_.status]).to.deep.equal([200, 200]);
      expect(detailOf(with_.text).logit?.clock).to.not.equal(detailOf(without.text).logit?.clock);
      const batch = await request(url, '/auth/ti-tick/batch?detail=full', { body: { items: [given, plain] }, headers });
      const items = (batch.json as { results: { body: unknown }[] }).results.map(
        ({ body: answer }) => detailOf(JSON.stringify(answer)).logit,
      );
      expect(items).to.deep.equal([detailOf(with_.text).logit, detailOf(without.text).logit]);
    });
  });

  it('count for every horizon of ?horizons=', async () => {
    await withServer(marketParts(), {}, async ({ url }) => {
      const future = formatTimestamp(TICKS.timesUs[499]! + MINUTE_US);
      const single = await request(url, '/auth/ti-tick?detail=full', { body: body(0, 500, future, BEFORE), headers });
      const observed = { Timestamp: STAMPS.slice(0, 500), Price: [...TICKS.prices.slice(0, 500)], Closes: BEFORE };
      const several = await request(url, '/auth/ti-tick?horizons=60s,5m&detail=full', { body: observed, headers });
      const { forecasts } = several.json as unknown as { forecasts: { detail: ForecastDetail }[] };
      expect(forecasts[0]?.detail.logit).to.deep.equal(detailOf(single.text).logit);
      expect(forecasts[1]?.detail.input.notes).to.not.include('closes_not_used');
    });
  });

  it('are ignored with a note by a version without a market, and a bad one is refused there too', async () => {
    await withServer(realParts(), {}, async ({ url }) => {
      const future = formatTimestamp(TICKS.timesUs[499]! + MINUTE_US);
      const answered = await request(url, '/auth/ti-tick?detail=full', { body: body(0, 500, future, BEFORE), headers });
      expect(detailOf(answered.text).input.notes).to.include('closes_not_used');
      const bad = { ...BEFORE, Price: [...BEFORE.Price.slice(1), -1] };
      const refused = await request(url, '/auth/ti-tick', { body: body(0, 500, future, bad), headers });
      expect(refused.status).to.equal(422);
      expect((refused.json as { errors: unknown[] }).errors).to.deep.include.members([
        {
          pointer: '/Closes/Price/299',
          code: 'price.not_positive',
          detail: 'Closes.Price[299] is -1; a price must be above 0.',
          hint: 'Send a price above 0; only the last one is 0.',
        },
      ]);
    });
  });

  const FORMS: [string, { Timestamp: string[] | number[]; Price: number[] }][] = [
    ['texts', BEFORE],
    ['milliseconds', { ...BEFORE, Timestamp: BEFORE_US.map((us) => us / 1000) }],
    ['microseconds', { ...BEFORE, Timestamp: BEFORE_US }],
  ];
  for (const [form, closes] of FORMS)
    it(`of a live series give the forecasts of POST /auth/ti-tick with the same closes, bit for bit, as ${form}`, async () => {
      await withServer(marketParts(), {}, async ({ url }, connect) => {
        const client = await connect();
        client.send({ type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '10m' }], closes });
        for (let from = 0; from < STAMPS.length; from += 100)
          client.send({
            type: 'ticks',
            series: 'a',
            Timestamp: STAMPS.slice(from, from + 100),
            Price: [...TICKS.prices.slice(from, from + 100)],
          });
        client.send({ type: 'close', series: 'a' });
        await client.next('score');
        expect(client.of('error')).to.deep.equal([]);
        const forecasts = client.of('forecast');
        expect(forecasts.length).to.be.greaterThan(5);
        for (const { timestamp, future, probability } of forecasts) {
          const to = STAMPS.indexOf(timestamp) + 1;
          const from = Math.max(0, to - 500);
          const ask = async (sent: object): Promise<ForecastDetail> =>
            detailOf((await request(url, '/auth/ti-tick?detail=full', { body: sent, headers })).text);
          expect((await ask(body(from, to, future, closesBefore(from)))).opportunity.probability).to.equal(probability);
          expect((await ask(body(from, to, future))).opportunity.probability).to.not.equal(probability);
        }
      });
    });

  it('of a live series are refused with pointer and value, also by a first tick that is not later', async () => {
    await withServer(marketParts(), {}, async (_server, connect) => {
      const client = await connect();
      const open = (closes: unknown): void =>
        client.send({ type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '5s' }], closes });
      const refusals = [
        { ...BEFORE, Price: BEFORE.Price.slice(1) },
        { ...BEFORE, Price: BEFORE.Price.map((price, i) => (i === 4 ? 0 : price)) },
        { Timestamp: [], Price: [] },
        { ...BEFORE, Timestamp: BEFORE_US.map((us, i) => (i === 7 ? us + 0.5 : us)) },
        { ...BEFORE, Timestamp: BEFORE_US.map((us, i) => (i === 8 ? String(us) : us)) },
        { Timestamp: BEFORE_US },
      ];
      refusals.forEach(open);
      await client.next('error', refusals.length);
      open(BEFORE);
      await client.next('opened');
      client.send({ type: 'ticks', series: 'a', Timestamp: [BEFORE.Timestamp.at(-1)], Price: [1] });
      await client.next('error', refusals.length + 1);
      expect(client.of('error').map(({ errors }) => errors?.[0])).to.deep.include.members([
        {
          pointer: '/closes/Price',
          code: 'ticks.lengths_differ',
          detail: 'closes.Price has 299 entries and closes.Timestamp has 300; both lists must have the same length.',
          hint: 'Send one price for each timestamp; the last price is 0.',
        },
      ]);
      expect(client.of('error').map(({ errors }) => errors?.map(({ pointer, code }) => `${pointer} ${code}`))).to.deep.equal([
        ['/closes/Price ticks.lengths_differ'],
        ['/closes/Price/4 price.not_positive'],
        ['/closes/Timestamp closes.empty'],
        ['/closes/Timestamp/7 timestamp.epoch_malformed'],
        ['/closes/Timestamp/8 field.wrong_type'],
        ['/closes/Price field.missing'],
        ['/Timestamp/0 closes.not_before_ticks'],
      ]);
    });
  });
});
