import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { testOrigins, trainOrigins } from '../../../../training/data/planRows.ts';

const fromSteps = (stepsUs: readonly number[]): TickSeries => {
  let us = 1_700_000_000_000_000;
  return { timesUs: Float64Array.from(stepsUs, (step) => (us += step)), prices: new Float64Array(stepsUs.length).fill(1) };
};
const ms = (series: TickSeries, i: number): number => Math.floor(series.timesUs[i] / 1000);
const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000 })), { minLength: 1, maxLength: 120 });

describe('selectOrigins', () => {
  it('selects test origins greedily among the last ticks of their timestamps', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 }), (list, horizonS, minTicks) => {
        const series = fromSteps(list);
        const want: number[] = [];
        for (let i = 0; i < list.length; i++) {
          const isLastOfStamp = i + 1 === list.length || ms(series, i + 1) > ms(series, i);
          const isFar = want.length === 0 || ms(series, i) - ms(series, want.at(-1)!) >= (horizonS + 1) * 1000;
          if (isLastOfStamp && isFar && i + 1 >= minTicks) want.push(i);
        }
        expect([...testOrigins(series, horizonS, { minTicks })]).to.deep.equal(want);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps training origins max(H/4, 3 s) apart, even if some are dropped', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 }), (list, horizonS, maxCount) => {
        const series = fromSteps(list);
        const origins = trainOrigins(series, horizonS, { minTicks: 5 }, seededRandom(3), maxCount);
        expect(origins.length).to.be.at.most(maxCount);
        origins.forEach((origin, k) => {
          expect(origin).to.be.at.least(4);
          if (origin + 1 < list.length) expect(ms(series, origin + 1)).to.be.greaterThan(ms(series, origin));
          if (k > 0) expect(ms(series, origin) - ms(series, origins[k - 1])).to.be.at.least(Math.max(horizonS / 4, 3) * 1000);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('spreads the allowed number over the whole series, the same for one seed', () => {
    const series = fromSteps(Array.from({ length: 20_000 }, () => 1_000_000));
    const origins = trainOrigins(series, 8, { minTicks: 200 }, seededRandom(1), 2600);
    expect(origins.length).to.equal(2600);
    const quarter = origins.filter((origin) => origin < 200 + 19_800 / 4).length;
    expect(quarter / 2600).to.be.closeTo(0.25, 0.01);
    expect(trainOrigins(series, 8, { minTicks: 200 }, seededRandom(1), 2600)).to.deep.equal(origins);
    expect(trainOrigins(series, 8, { minTicks: 200 }, seededRandom(2), 2600)).not.to.deep.equal(origins);
  });

  it('stays in a span of time; the window may start before it', () => {
    const series = fromSteps(Array.from({ length: 1000 }, () => 1_000_000));
    const [fromUs, toUs] = [series.timesUs[500], series.timesUs[600]];
    const origins = testOrigins(series, 9, { minTicks: 200, fromUs, toUs });
    expect([...origins]).to.deep.equal([500, 510, 520, 530, 540, 550, 560, 570, 580, 590]);
  });

  it('finds none in a series shorter than the window', () => {
    expect(testOrigins(fromSteps([1, 1, 1]), 5, { minTicks: 4 }).length).to.equal(0);
    expect(() => testOrigins(fromSteps([1]), -1, { minTicks: 4 })).to.throw(RangeError);
  });
});
