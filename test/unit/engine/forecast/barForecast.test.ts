import { expect } from 'chai';
import type { ForecastDetail } from '../../../../src/contract/forecastDetail.ts';
import type { Forecaster, ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import { type ReplayedWindow, replayTicks } from '../../../../src/engine/forecast/replayTicks.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import { BAR_MODEL, fakeForecaster, MEMORY_LINE } from '../../../support/fakeForecaster.ts';
import { barRequest, walkBars } from '../../../support/walkBars.ts';

const HORIZON_MS = 1_800_000;
const BARS = walkBars({ count: 1440 * 7 });
const WINDOW = barRequest(BARS, HORIZON_MS, BARS.series.timesUs.length - 500);

describe('a forecast from bars', () => {
  const { forecaster, rows } = fakeForecaster({ memory: MEMORY_LINE, bars: BAR_MODEL });
  const detailOf = async (request: TickRequest, options: ForecastCall = {}, by: Forecaster = forecaster): Promise<ForecastDetail> =>
    (await by.forecast(request, { detail: true, ...options })).detail!;

  it('is that of the bar model, without the network and the rules of ticks', async () => {
    const detail = await detailOf(WINDOW, { range: [0.5, 0.9], above: 106.3 });
    const { baseline, network, rules, total } = detail.logit!;
    expect(rows).to.deep.equal([]);
    expect(detail.model.head).to.equal('1m/30m');
    expect([rules, detail.rules, detail.direction.probability_up]).to.deep.equal([0, [], null]);
    expect(total).to.be.closeTo(baseline + network, 1e-12);
    expect(detail.opportunity.probability).to.be.closeTo(1 / (1 + Math.exp(-total)), 1e-12);
    expect(detail.input).to.include({ ticks: 500, distinct_ticks: 500, median_gap_ms: 60_000, cost_bps: null });
    const [half, most] = detail.range!;
    expect(half!.move_bps).to.be.above(0).and.below(most!.move_bps!);
    expect(detail.above!.probability).to.be.within(0, 1);
    expect((await detailOf(WINDOW, { minProbability: 0.05 })).status).to.equal('identified');
  });

  it('without highs and lows reads the closes', async () => {
    const { ranges: _, ...bars } = WINDOW.bars!;
    const [closes, full] = [await detailOf({ ...WINDOW, bars }), await detailOf(WINDOW)];
    expect(closes.logit!.baseline).to.equal(full.logit!.baseline);
    expect(closes.logit!.total).to.not.equal(full.logit!.total);
  });

  it('is null for other periods and says which one works, and for other horizons', async () => {
    const daily = { ...WINDOW, bars: { periodMs: 86_400_000 } };
    const { mark, detail, summary } = await forecaster.forecast(daily, { detail: true, range: [0.9] });
    expect([mark, summary.probability, summary.reasons]).to.deep.equal([null, null, ['density_untrained']]);
    expect(detail!.reasons[0].text).to.contain('86400 s are outside 10 to 300 s; the nearest period that works is 300 s');
    expect(detail!.range![0].reason).to.equal('density_untrained');
    for (const horizonMs of [299_000, 7_201_000]) {
      const { reasons, opportunity } = await detailOf(barRequest(BARS, horizonMs, 9000));
      expect(reasons[0].code).to.equal('horizon_untrained');
      expect(opportunity.probability).to.be.within(0, 1);
    }
    expect((await detailOf(barRequest(BARS, 300_000, 9500))).reasons.map(({ code }) => code)).to.not.include('horizon_untrained');
    const older = fakeForecaster({ memory: MEMORY_LINE }).forecaster;
    const { reasons } = await detailOf(WINDOW, {}, older);
    expect(reasons.map(({ code }) => code)).to.deep.equal(['density_untrained']);
    expect(reasons[0].text).to.contain('cannot read bars');
  });

  it('has touches, which its series learns from closes alone or with high and low', async () => {
    const memory = new SeriesMemory(WINDOW.bars!.periodMs);
    memory.join(WINDOW.series);
    const options = { touch: [106.3], memory: memory.view(HORIZON_MS) };
    const { ranges: _, ...bars } = WINDOW.bars!;
    for (const request of [WINDOW, { ...WINDOW, bars }]) {
      const { outlook, remembered } = await forecaster.forecast(request, options);
      expect(outlook!.touch!.levels[0].probability).to.be.within(0, 1);
      expect(remembered).to.have.property('touches');
    }
  });

  it('uses the profile of the clock of its own series', async () => {
    const memory = new SeriesMemory(60_000);
    const end = BARS.series.timesUs.findIndex((us) => new Date(us / 1000).getUTCHours() === 12 && us > BARS.series.timesUs[8000]);
    memory.add(BARS.series, 0, end);
    const before = barRequest(BARS, HORIZON_MS, end - 500, end);
    const alone = await detailOf(before);
    const known = await detailOf(before, { memory: memory.view(HORIZON_MS), minMoveBps: alone.opportunity.min_move_bps! });
    // From 12:00 on, moves are three times as large.
    expect(known.opportunity.probability).to.be.above(alone.opportunity.probability! + 0.1);
    expect(known.logit!.total).to.be.closeTo(known.logit!.baseline + known.logit!.network + known.logit!.memory!, 1e-12);
    expect(known.memory!.inputs!['prof']).to.be.above(0.4);
  });

  it('does not use a memory of ticks, of another period, or of another origin', async () => {
    for (const [periodMs, reason] of [
      [0, 'other_period'],
      [300_000, 'other_period'],
      [60_000, 'other_origin'],
    ] as const) {
      const memory = new SeriesMemory(periodMs);
      memory.add(BARS.series, 0, periodMs === 60_000 ? BARS.series.timesUs.length - 1 : undefined);
      const { memory: told, opportunity } = await detailOf(WINDOW, { memory: memory.view(HORIZON_MS) });
      expect(told).to.include({ used: false, reason });
      expect(opportunity.probability).to.equal((await detailOf(WINDOW)).opportunity.probability);
    }
  });

  it('is replayed from close to close over the whole horizon, with a memory that learns', async () => {
    const options = { ticks: 300, horizonUs: HORIZON_MS * 1000, everyUs: HORIZON_MS * 1000, bars: BARS.bars, range: [0.9] };
    const replayed: ReplayedWindow[] = [];
    for await (const window of replayTicks(forecaster, BARS.series, options)) replayed.push(window);
    const known = replayed.filter(({ outcome }) => typeof outcome === 'number');
    expect(known.length).to.be.above(300);
    const { timesUs, prices } = BARS.series;
    for (const { timeUs, moveBps } of known) {
      const at = timesUs.indexOf(timeUs);
      expect(moveBps).to.be.closeTo(Math.log(prices[at + 30] / prices[at]) * 1e4, 1e-9);
    }
    const alone: ReplayedWindow[] = [];
    for await (const window of replayTicks(forecaster, BARS.series, { ...options, memory: 'off' })) alone.push(window);
    const brier = (some: readonly ReplayedWindow[]): number =>
      some.reduce((sum, { outcome, probability }) => sum + (typeof outcome === 'number' ? (outcome - probability!) ** 2 : 0), 0);
    expect(brier(replayed)).to.be.below(0.97 * brier(alone));
  });
});
