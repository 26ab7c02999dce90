import { Ajv } from 'ajv';
import { expect } from 'chai';
import { ForecastDetailSchema, type ForecastDetail } from '../../../src/contract/forecastDetail.ts';
import type { ForecastOptions } from '../../../src/forecast/Forecaster.ts';
import { MarketClock } from '../../../src/features/MarketClock.ts';
import { type MarketFile, MarketModel } from '../../../src/model/MarketModel.ts';
import { fakeForecaster, tickRequest } from '../../support/fakeForecaster.ts';
import { smallMarket } from '../../support/smallMarket.ts';

const matchesSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(ForecastDetailSchema);
const WEEK_US = 604_800_000_000;

async function detailOf(market: MarketFile | null, options: ForecastOptions = {}, shiftUs = 0): Promise<ForecastDetail> {
  const { series, futureUs } = tickRequest();
  const request = { series: { ...series, timesUs: series.timesUs.map((us) => us + shiftUs) }, futureUs: futureUs + shiftUs };
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
    const off = await detailOf(smallMarket(), { clock: false });
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
});
