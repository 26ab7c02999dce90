import { expect } from 'chai';
import { naiveMeasures } from '../../../support/naiveMeasures.ts';
import { featuresOf } from '../../../support/buildFeatures.ts';
import { lastUs, walkTicks } from '../../../support/walkTicks.ts';

const closeRelative = (actual: number, expected: number, what: string): void => {
  expect(Math.abs(actual - expected), `${what}: ${actual} for ${expected}`).to.be.at.most(1e-12 * Math.abs(expected));
};

describe('measures of a window', () => {
  it('agree with a naive implementation of the formulas', () => {
    for (const [seed, count, meanGapMs, maxSteps, horizonMs] of [
      [1, 200, 400, 3, 60_000],
      [2, 501, 50, 1, 10_000],
      [3, 777, 3000, 8, 300_000],
      [4, 1000, 20, 2, 1_000],
      [5, 64, 60_000, 5, 3_600_000],
      [6, 1503, 700, 40, 333],
      // Prices up to 4 % apart, where each term of the series of the logarithm counts.
      [7, 300, 400, 600, 60_000],
    ] as const) {
      const series = walkTicks({ seed, count, meanGapMs, maxSteps });
      const { measures } = featuresOf(series, horizonMs);
      const naive = naiveMeasures(series, lastUs(series) + horizonMs * 1000);
      naive.sigmas.forEach((sigma, i) => closeRelative(measures.sigmas[i], sigma, `seed ${seed} sigma ${i}`));
      closeRelative(measures.quantileMove, naive.quantileMove, `seed ${seed} q`);
      closeRelative(measures.cost, naive.cost, `seed ${seed} c`);
      closeRelative(measures.thetaDefault, naive.thetaDefault, `seed ${seed} theta*`);
      closeRelative(measures.medianGapS, naive.medianGapS, `seed ${seed} median gap`);
      closeRelative(measures.windowS, naive.windowS, `seed ${seed} W`);
    }
  });

  it('agree on one-minute bars', () => {
    const walk = walkTicks({ seed: 7, count: 257, equalTimestampFraction: 0 });
    const series = { timesUs: walk.timesUs.map((_, i) => walk.timesUs[0] + i * 60e6), prices: walk.prices };
    const { measures } = featuresOf(series, 60_000);
    const naive = naiveMeasures(series, lastUs(series) + 60e6);
    closeRelative(measures.quantileMove, naive.quantileMove, 'q');
    closeRelative(measures.thetaDefault, naive.thetaDefault, 'theta*');
    expect(measures.medianGapS).to.equal(60);
  });

  it('count a log return of at most 1e-9 as 0', () => {
    const walk = walkTicks({ seed: 8, count: 300 });
    const clean = { timesUs: walk.timesUs, prices: walk.prices.map((_, i) => (i % 50 < 25 ? 1.5 : 1.6)) };
    const noisy = { timesUs: walk.timesUs, prices: clean.prices.map((price, i) => price * (1 + (i % 3) * 2e-10)) };
    const { measures } = featuresOf(noisy, 60_000);
    expect(measures.cost).to.be.closeTo(featuresOf(clean, 60_000).measures.cost, 1e-8);
    expect(new Set(measures.logPrices).size).to.be.at.most(26);
    for (let i = 1; i < measures.logPrices.length; i++) {
      const r = Math.abs(measures.logPrices[i] - measures.logPrices[i - 1]);
      expect(r === 0 || r > 1e-3, `return ${r}`).to.equal(true);
    }
  });
});
