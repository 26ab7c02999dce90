import { Ajv } from 'ajv';
import { expect } from 'chai';
import { ForecastDetailSchema, type ForecastDetail } from '../../../../src/contract/forecastDetail.ts';
import type { ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import { MarketClock } from '../../../../src/engine/features/MarketClock.ts';
import { type MarketFile, MarketModel } from '../../../../src/engine/model/MarketModel.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { fakeForecaster, tickRequest } from '../../../support/fakeForecaster.ts';
import { smallMarket } from '../../../support/smallMarket.ts';

const matchesSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(ForecastDetailSchema);
const WEEK_US = 604_800_000_000;

/** A close each minute before the first tick, with moves of one size. */
function closesBefore(firstUs: number, count: number, step: number): TickSeries {
  const timesUs = Float64Array.from({ length: count }, (_, i) => firstUs - (count - i) * 60e6);
  return { timesUs, prices: timesUs.map((_, i) => 100 * Math.exp((i % 2) * step)) };
}

async function detailOf(market: MarketFile | null, options: ForecastCall = {}, shiftUs = 0, closes?: TickSeries): Promise<ForecastDetail> {
  const { series, futureUs } = tickRequest();
  const request = {
    series: { ...series, timesUs: series.timesUs.map((us) => us + shiftUs) },
    futureUs: futureUs + shiftUs,
    ...(closes === undefined ? {} : { closes }),
  };
  const { forecaster } = fakeForecaster(market === null ? {} : { market: new MarketModel(market) });
  const { detail } = await forecaster.forecast(request, { detail: true, ...options });
  expect(matchesSchema(detail), JSON.stringify(matchesSchema.errors)).to.equal(true);
  return detail as ForecastDetail;
}

type Logit = NonNullable<ForecastDetail['logit']>;
const logitOf = ({ logit }: ForecastDetail): Logit => logit as Logit;
const codesOf = ({ reasons }: ForecastDetail): string[] => reasons.map(({ code }) => code);

describe('a forecast of a version with a market', () => {
  it('adds the clock to the log-odds, and the parts sum to the total', async () => {
    const detail = await detailOf(smallMarket());
    const { baseline, network, clock, rules, total } = logitOf(detail);
    expect(baseline + network + (clock as number) + rules).to.equal(total);
    const { series, futureUs } = tickRequest();
    const lastUs = series.timesUs.at(-1) as number;
    const horizonS = (futureUs - lastUs) / 1e6;
    const { shape, level, openHours } = smallMarket();
    const read = new MarketClock({ daylight: 'none', level, shape: Float64Array.from(shape), openHours: Uint8Array.from(openHours) });
    const windowS = (lastUs - (series.timesUs[0] as number)) / 1e6;
    const { clock: hour, usualMove } = read.read(lastUs / 1e6, windowS, horizonS, { clock: 0, usualMove: 0 });
    const base = baseline + network;
    const theta = Math.log((detail.opportunity.min_move_bps as number) / 1e4);
    expect(clock).to.be.closeTo(-0.2 + 0.9 * base + 0.7 * hour + 0.5 * (usualMove - theta) - base, 1e-6);
  });

  it('sums to the total also at other thresholds, and the probability falls as the threshold rises', async () => {
    let before = 1;
    for (const minMoveBps of [0.5, 1, 2, 4, 8, 16]) {
      const detail = await detailOf(smallMarket(), { minMoveBps });
      const { baseline, network, clock, rules, total } = logitOf(detail);
      expect(baseline + network + (clock as number) + rules).to.be.closeTo(total, 1e-9);
      expect(detail.opportunity.probability).to.be.at.most(before);
      before = detail.opportunity.probability as number;
    }
  });

  it('is the same after a shift by whole weeks while the level is new', async () => {
    const [here, later] = [await detailOf(smallMarket()), await detailOf(smallMarket(), {}, 3 * WEEK_US)];
    expect(later.logit).to.deep.equal(here.logit);
  });

  it('is that of the base with clock off, without a head, and when it is stale', async () => {
    const base = await detailOf(null);
    expect(logitOf(base)).to.not.have.property('clock');
    const off = await detailOf(smallMarket(), { clockOff: true });
    const none = await detailOf(smallMarket({ heads: [null, null, null, null] }));
    const stale = await detailOf(smallMarket({ clockEndsUs: smallMarket().toUs + 1 }));
    const answerOf = ({ timings_ms, input, ...answer }: ForecastDetail): unknown => ({
      ...answer,
      ticks: input.ticks,
      stages: Object.keys(timings_ms),
    });
    for (const detail of [off, none, stale]) expect(answerOf(detail)).to.deep.equal(answerOf(base));
    expect(stale.input.notes).to.include('market_stale');
    expect(off.input.notes).to.not.include('market_stale');
  });

  it('loses the level with age and keeps the clock', async () => {
    const shift = 10 * WEEK_US;
    const aged = logitOf(await detailOf(smallMarket(), {}, 13 * WEEK_US)).clock as number;
    const between = logitOf(await detailOf(smallMarket(), {}, shift)).clock as number;
    const fresh = logitOf(await detailOf(smallMarket())).clock as number;
    expect(between).to.be.within(Math.min(aged, fresh), Math.max(aged, fresh));
    expect(aged).to.not.equal(fresh);
  });

  it('is null in hours in which the market was closed, with the probability of the base', async () => {
    const closed = await detailOf(smallMarket({ openHours: smallMarket().openHours.map((_, hour) => (hour === 100 ? 1 : 0)) }));
    expect(codesOf(closed)).to.include('clock_mismatch');
    expect(closed.logit).to.deep.equal((await detailOf(null)).logit);
  });

  const [firstUs] = tickRequest().series.timesUs as unknown as [number];

  it('uses the level of the closes before the window', async () => {
    const market = smallMarket();
    const [calm, lively] = [closesBefore(firstUs, 300, 1e-5), closesBefore(firstUs, 300, 1e-4)];
    const details = [await detailOf(market), await detailOf(market, {}, 0, calm), await detailOf(market, {}, 0, lively)];
    const [stored, low, high] = details.map((detail) => logitOf(detail).clock as number) as [number, number, number];
    // The weight of the recent level in `smallMarket` is 0.8, and ln(10) lies between the two.
    expect(high - low).to.be.closeTo(0.8 * Math.log(10), 1e-6);
    expect(stored).to.not.equal(low);
    for (const detail of details) {
      const { baseline, network, clock, rules, total } = logitOf(detail);
      expect(baseline + network + (clock as number) + rules).to.be.closeTo(total, 1e-12);
      expect(detail.input.notes).to.not.include('closes_not_used');
    }
  });

  it('gives the weight of the stored level to the recent one where the stored one is too old, and later uses neither', async () => {
    const aging = smallMarket({ clockEndsUs: smallMarket().levelEndsUs + 100 * WEEK_US });
    const ofClock = async (weeks: number, step: number): Promise<number> =>
      logitOf(await detailOf(aging, {}, weeks * WEEK_US, closesBefore(firstUs + weeks * WEEK_US, 300, step))).clock as number;
    const difference = async (weeks: number): Promise<number> => (await ofClock(weeks, 1e-4)) - (await ofClock(weeks, 1e-5));
    // The ticks are of week 52; the level ends in week 63, and the weights for closes fall from there to week 71.
    const shareAt = (weeks: number): number => {
      const lastUs = tickRequest().series.timesUs.at(-1)! + weeks * WEEK_US;
      return 1 - (lastUs - aging.levelEndsUs) / (8 * WEEK_US);
    };
    for (const weeks of [11, 15]) expect(await difference(weeks)).to.be.closeTo(shareAt(weeks) * (0.8 + 0.5) * Math.log(10), 1e-6);
    expect(await difference(19)).to.equal(0);
  });

  it('ignores closes, with a note, where they cannot be used', async () => {
    const enough = closesBefore(firstUs, 300, 1e-5);
    const noWeights = smallMarket({ heads: smallMarket().heads.map((head) => head && { ...head, recent: null }) });
    const cases: [string, MarketFile | null, ForecastCall, TickSeries][] = [
      ['no market', null, {}, enough],
      ['clock off', smallMarket(), { clockOff: true }, enough],
      ['no weights for closes', noWeights, {}, enough],
      ['an old profile', smallMarket({ clockEndsUs: smallMarket().toUs + 1 }), {}, enough],
      ['too few closes', smallMarket(), {}, closesBefore(firstUs, 20, 1e-5)],
    ];
    for (const [name, market, options, closes] of cases) {
      const [given, without] = [await detailOf(market, options, 0, closes), await detailOf(market, options)];
      expect(given.logit, name).to.deep.equal(without.logit);
      expect(given.input.notes, name).to.include('closes_not_used');
      expect(without.input.notes, name).to.not.include('closes_not_used');
    }
  });
});
