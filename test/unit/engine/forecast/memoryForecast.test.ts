import { expect } from 'chai';
import fc from 'fast-check';
import type { ForecastDetail } from '../../../../src/contract/forecastDetail.ts';
import type { Forecaster, ForecastCall } from '../../../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../../../src/engine/forecast/memoryAt.ts';
import { rememberTicks, replayTicks } from '../../../../src/engine/forecast/replayTicks.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { TickRequest } from '../../../../src/ticks/parseTickRequest.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { fakeForecaster, MEMORY_LINE } from '../../../support/fakeForecaster.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const HORIZON_US = 10_000_000;
const TICKS = walkTicks({ seed: 3, count: 4000 });
const OPTIONS = { ticks: 300, horizonUs: HORIZON_US, everyUs: HORIZON_US + 1_000_000 };

const cut = ({ timesUs, prices }: TickSeries, from: number, to?: number): TickSeries => ({
  timesUs: timesUs.slice(from, to),
  prices: prices.slice(from, to),
});
const requestAt = (series: TickSeries, end: number, horizonUs = HORIZON_US): TickRequest => {
  const window = cut(series, end - 300, end);
  return { series: window, futureUs: window.timesUs.at(-1)! + horizonUs };
};
const detailOf = async (forecaster: Forecaster, request: TickRequest, options: ForecastCall): Promise<ForecastDetail> =>
  (await forecaster.forecast(request, { detail: true, ...options })).detail!;

describe('a forecast with the memory of its series', () => {
  const { forecaster } = fakeForecaster({
    memory: MEMORY_LINE,
    answer: (row) => ({ baselineLogit: row.baseline - 1, residualLogit: 0.2, directionLogit: 0 }),
  });

  it('is the base plus a line of what the memory says, and remembers the base', async () => {
    const memory = await rememberTicks(forecaster, TICKS, { ...OPTIONS, most: 100 });
    const request = requestAt(TICKS, TICKS.timesUs.length);
    const view = memory.view(originOf(request).horizonMs);
    const [alone, known] = [await detailOf(forecaster, request, {}), await detailOf(forecaster, request, { memory: view })];
    expect(known.memory).to.include({ used: true, reason: null });
    expect(known.memory!.outcomes).to.be.within(90, 100);
    expect(Math.abs(known.logit!.memory!)).to.be.above(0.01);
    expect(known.logit!.total).to.be.closeTo(alone.logit!.total + known.logit!.memory!, 1e-12);
    expect([known.logit!.baseline, known.logit!.network]).to.deep.equal([alone.logit!.baseline, alone.logit!.network]);
    const { remembered, summary } = await forecaster.forecast(request, { memory: view });
    expect(summary.probability).to.equal(known.opportunity.probability);
    expect(remembered!.theta).to.be.closeTo(known.opportunity.min_move_bps! / 10_000, 1e-15);
    const { baseline, network } = alone.logit!;
    expect(remembered!.probability).to.be.closeTo(1 / (1 + Math.exp(-baseline - network)), 1e-12);
    expect((await forecaster.forecast(request)).remembered).to.equal(undefined);
  });

  it('has the same bits with and without the ticks after the origin', async () => {
    const probabilities = async (series: TickSeries): Promise<(number | null)[]> => {
      const all = [];
      for await (const { probability } of replayTicks(forecaster, series, OPTIONS)) all.push(probability);
      return all;
    };
    const whole = await probabilities(TICKS);
    const part = await probabilities(cut(TICKS, 0, 2500));
    expect(part).to.have.length.above(40);
    // The last origins of the part may have no horizon of their own in it; those of the whole are the same up to there.
    expect(whole.slice(0, part.length)).to.deep.equal(part);
    const alone: (number | null)[] = [];
    for await (const { probability } of replayTicks(forecaster, TICKS, { ...OPTIONS, memory: 'off' })) alone.push(probability);
    expect(alone).to.have.length(whole.length);
    expect(alone.at(-1)).to.not.equal(whole.at(-1));
  });

  it('never rises with the threshold, for any line that a version may have', async () => {
    const memory = await rememberTicks(forecaster, TICKS, { ...OPTIONS, most: 60 });
    const request = requestAt(TICKS, TICKS.timesUs.length);
    const view = memory.view(originOf(request).horizonMs);
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          slope: fc.double({ min: 0.3, max: 2, noNaN: true }),
          intercept: fc.double({ min: -2, max: 2, noNaN: true }),
          share: fc.double({ min: 0, max: 0.3, noNaN: true }),
          cal: fc.double({ min: 0, max: 2, noNaN: true }),
        }),
        async ({ slope, intercept, share, cal }) => {
          const line = { slope, intercept, weights: { cal, share_30: share / 2, share_100: share / 2 } };
          const { forecaster: drawn } = fakeForecaster({
            memory: line,
            answer: (row) => ({ baselineLogit: row.baseline, residualLogit: 0, directionLogit: 0 }),
          });
          let last = 1;
          for (let step = 0; step < 12; step++) {
            const { summary } = await drawn.forecast(request, { minMoveBps: 0.1 * 1.5 ** step, memory: view });
            expect(summary.probability).to.be.at.most(last + 1e-12);
            last = summary.probability!;
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('says why a memory is not used, and answers as without one', async () => {
    const request = requestAt(TICKS, 2000);
    const alone = await detailOf(forecaster, request, {});
    const later = new SeriesMemory();
    later.add(TICKS);
    const earlier = new SeriesMemory();
    earlier.add(TICKS, 0, 1500);
    const here = new SeriesMemory();
    here.add(TICKS, 0, 2000);
    for (const [memory, reason] of [
      [later.view(10_000), 'other_origin'],
      [earlier.view(10_000), 'other_origin'],
      [here.view(20_000), 'other_origin'],
      ['store_unavailable', 'store_unavailable'],
    ] as const) {
      const { memory: told, logit, opportunity } = await detailOf(forecaster, request, { memory });
      expect(told).to.deep.equal({ used: false, reason, since: null, outcomes: 0, inputs: null });
      expect([logit, opportunity]).to.deep.equal([alone.logit, alone.opportunity]);
    }
    const { memory: told } = await detailOf(fakeForecaster().forecaster, request, { memory: here.view(10_000) });
    expect(told!.reason).to.equal('version_without_memory');
  });
});
