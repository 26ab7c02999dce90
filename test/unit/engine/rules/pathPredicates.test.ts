import { expect } from 'chai';
import type { WindowMeasures } from '../../../../src/engine/features/WindowMeasures.ts';
import { findPredicate } from '../../../../src/engine/rules/predicates.ts';
import { type PredicateResult, ruleContext } from '../../../../src/engine/rules/Predicate.ts';
import { makeMeasures } from '../../../support/makeMeasures.ts';

function evaluate(name: string, measures: WindowMeasures, theta = 4e-4): PredicateResult {
  return findPredicate(name)!.evaluate(ruleContext(measures, theta));
}
/** Truth interval and value of a predicate on a constructed window. */
function gives(name: string, measures: WindowMeasures, [lower, upper]: readonly [number, number], value: number, theta?: number): void {
  const found = evaluate(name, measures, theta);
  expect([found.lower, found.upper, found.value]).to.satisfy(
    (got: number[]) => [lower, upper, value].every((want, i) => Math.abs(got[i] - want) < 1e-9),
    `${name}: ${JSON.stringify(found)}, expected ${JSON.stringify([lower, upper, value])}`,
  );
}
const isUnknown = (name: string, measures: WindowMeasures): void => {
  expect(evaluate(name, measures)).to.deep.include({ lower: 0, upper: 1, value: null });
};
const line = (length: number, step: number): number[] => Array.from({ length }, (_, i) => step * i);
const zigzag = (length: number, size = 1e-4): number[] => Array.from({ length }, (_, i) => (i % 2) * size);

describe('momentum predicates', () => {
  it('rate_of_change: the change over a horizon in standard deviations of a random walk', () => {
    // 25 s at 4e-5 per second, over 1e-4 sqrt(25).
    gives('rate_of_change', makeMeasures(line(200, -4e-5)), [2 / 3, 2 / 3], -2);
    gives('rate_of_change', makeMeasures(line(200, 4e-5), { sigmas: [2e-4, 1e-4, 1e-4, 1e-4] }), [0, 2 / 3], 2);
    isUnknown('rate_of_change', makeMeasures([0, 1], { windowS: 0 }));
  });

  it('acceleration: true for a bend, false for a straight line', () => {
    gives('acceleration', makeMeasures(line(200, 4e-5)), [0, 0], 0);
    const bend = Array.from({ length: 200 }, (_, i) => 6e-5 * Math.max(0, i - 174));
    gives(
      'acceleration',
      makeMeasures(bend),
      [(1.5e-3 / (1e-4 * Math.sqrt(50)) - 1) / 1.5, (1.5e-3 / (1e-4 * Math.sqrt(50)) - 1) / 1.5],
      1.5e-3 / (1e-4 * Math.sqrt(50)),
    );
  });

  it('persistence weights changes by size, imbalance counts them', () => {
    // Over 25 s: 20 rises of 1e-5 and 5 falls of 6e-5.
    const steps = Array.from({ length: 100 }, (_, i) => (i % 5 === 4 ? -6e-5 : 1e-5));
    const path = steps.reduce<number[]>((all, step) => [...all, all.at(-1)! + step], [0]);
    const [rise, fall] = [20e-5, 30e-5];
    const slack = Math.sqrt(20 * 1e-10 + 5 * 36e-10) / (rise + fall);
    const size = (fall - rise) / (rise + fall);
    gives('persistence', makeMeasures(path), [0, Math.max(0, (size + slack - 0.3) / 0.4)], (100 * rise) / (rise + fall));
    gives('imbalance', makeMeasures(path), [(0.6 - 0.2 - 0.2) / 0.3, 1], 0.6);
    expect(evaluate('imbalance', makeMeasures(path)).numbers).to.deep.equal({ ups: 20, downs: 5 });
    isUnknown('persistence', makeMeasures(Array.from({ length: 100 }, () => 0)));
    isUnknown('imbalance', makeMeasures(Array.from({ length: 100 }, () => 0)));
  });
});

describe('path predicates', () => {
  it('efficiency_ratio: true for a straight path, false for a return to the start', () => {
    gives('efficiency_ratio', makeMeasures(line(100, 1e-5)), [1, 1], 1);
    const { value, lower, upper } = evaluate('efficiency_ratio', makeMeasures(zigzag(101), { cost: 1e-4 }));
    // 25 changes that end one step from the start; a bounce of one step could explain all of it.
    expect(value).to.be.closeTo(1 / 25, 1e-9);
    expect([lower, upper]).to.deep.equal([0, 0]);
    isUnknown('efficiency_ratio', makeMeasures(Array.from({ length: 100 }, () => 0)));
  });

  it('variance_ratio and reversals: a line continues, a bounce reverses', () => {
    gives('variance_ratio', makeMeasures(line(200, 1e-5)), [1, 1], 5);
    gives('variance_ratio', makeMeasures(zigzag(201)), [0, 0], 1 / 5);
    gives('reversals', makeMeasures(zigzag(201)), [1, 1], -199 / 200);
    gives('reversals', makeMeasures(line(200, 1e-5)), [0, 0], 198 / 199);
    isUnknown('reversals', makeMeasures(zigzag(20)));
  });

  it('unchanged_ticks: the fraction of ticks without a new price', () => {
    gives('unchanged_ticks', makeMeasures(Array.from({ length: 101 }, (_, i) => Math.floor(i / 10) * 1e-4)), [0.925, 1], 0.9);
    gives('unchanged_ticks', makeMeasures(line(101, 1e-5)), [0, 0], 0);
  });

  it('jump_share: one large change among small ones', () => {
    const path = Array.from({ length: 201 }, (_, i) => 1e-6 * i + (i > 100 ? 1e-2 : 0));
    const { value, lower, upper } = evaluate('jump_share', makeMeasures(path));
    expect(value).to.be.within(0.99, 1);
    expect([lower, upper]).to.deep.equal([1, 1]);
    gives('jump_share', makeMeasures(line(200, 1e-5)), [0, 0], 0);
    isUnknown('jump_share', makeMeasures(Array.from({ length: 100 }, () => 0)));
  });
});

describe('level predicates', () => {
  it('window_extreme_near and recent_extreme_near: the nearer of high and low', () => {
    const path = [...line(150, 0), 1e-3, ...line(100, 0), -3e-4, ...line(49, 0), 0];
    gives('window_extreme_near', makeMeasures(path), [(1 - 0.6) / 0.75, (1 - 0.6) / 0.75], 0.6);
    expect(evaluate('window_extreme_near', makeMeasures(path)).numbers!['price']).to.be.closeTo(100 * Math.exp(-3e-4), 1e-9);
    // Reaches back 125 s, so the high of 151 s ago is not included, and the current price is the highest.
    gives('recent_extreme_near', makeMeasures(path), [1, 1], 0);
    gives('window_extreme_near', makeMeasures(path, { cost: 3e-4 }), [(1 - 0.9) / 0.75, (1 - 0.3) / 0.75], 0.6);
    isUnknown('recent_extreme_near', makeMeasures(line(100, 0)));
  });

  it('round_number_near: the next power of ten above eight expected moves', () => {
    // 100.02 with moves of 0.05: the step is 1, and 100 is 0.4 moves away.
    const at = (lastPrice: number): WindowMeasures => makeMeasures([0, 1], { lastPrice, sigmaHorizon: 0.05 / lastPrice });
    gives('round_number_near', at(100.02), [0.8, 0.8], 0.4);
    gives('round_number_near', at(100.5), [0, 0], 10);
    expect(evaluate('round_number_near', at(1.38512e-4)).numbers).to.have.property('price');
    isUnknown('round_number_near', makeMeasures([0, 1], { sigmaHorizon: 0 }));
  });

  it('failed_breakout: true after a return from beyond the old high, false while beyond it', () => {
    const old = Array.from({ length: 400 }, (_, i) => 1e-3 * Math.sin(i / 20));
    const recentS = 40;
    const scale = 1e-4 * Math.sqrt(recentS);
    const fails = makeMeasures([...old, ...line(20, 0).map(() => 1e-3 + 2e-4), ...line(10, 0)], { horizonS: 20, windowS: 400 });
    expect(evaluate('failed_breakout', fails).value).to.be.closeTo(2e-4 / scale, 0.02);
    expect(evaluate('failed_breakout', fails).lower).to.be.above(0.5);
    const holds = makeMeasures([...old, ...line(20, 0).map(() => 1e-3 + 2e-4)], { horizonS: 20, windowS: 400 });
    expect(evaluate('failed_breakout', holds).upper).to.equal(0);
    const mirrored = makeMeasures([...old, ...line(20, 0).map(() => -1e-3 - 2e-4), ...line(10, 0)], { horizonS: 20, windowS: 400 });
    expect(evaluate('failed_breakout', mirrored).value).to.be.below(-0.2);
    isUnknown('failed_breakout', makeMeasures([0, 1], { sigmas: [0, 0, 0, 0] }));
  });
});

describe('volatility, cost and time predicates', () => {
  it('volatility_squeeze: the opposite of expansion', () => {
    gives('volatility_squeeze', makeMeasures([0, 1], { sigmas: [0.5e-4, 0.5e-4, 1e-4, 1e-4] }), [1, 1], 0.5);
    gives('volatility_squeeze', makeMeasures([0, 1], { sigmas: [0.5e-4, 1e-4, 1e-4, 1e-4] }), [0, 1], 0.5);
    isUnknown('volatility_squeeze', makeMeasures([0, 1], { sigmas: [0, 1e-4, 1e-4, 1e-4] }));
  });

  it('tick_burst: the count over the usual count, uncertain by its square root', () => {
    const timesS = Float64Array.from([...line(100, 1).map((t) => t - 149), ...line(100, 0.25).map((t) => t - 24.75)]);
    const burst = makeMeasures(line(200, 0), { timesS, windowS: 149, medianGapS: 0.25 });
    const usual = (25 * 200) / 149;
    gives('tick_burst', burst, [((100 - 10) / usual - 1.5) / 1.5, 1], 100 / usual);
    isUnknown('tick_burst', makeMeasures([0, 0], { windowS: 0 }));
  });

  it('cost_above_threshold: lower bound from the estimated cost, upper bound from four times that', () => {
    gives('cost_above_threshold', makeMeasures([0, 1], { cost: 3e-4 }), [0.5, 1], 0.75, 4e-4);
    gives('cost_above_threshold', makeMeasures([0, 1]), [0, 0], 0, 4e-4);
  });

  it('horizon_beyond_window: from a twentieth of the window to all of it', () => {
    gives('horizon_beyond_window', makeMeasures([0, 1], { horizonS: 5, windowS: 100 }), [0, 0], 0.05);
    gives('horizon_beyond_window', makeMeasures([0, 1], { horizonS: 100, windowS: 100 }), [1, 1], 1);
    isUnknown('horizon_beyond_window', makeMeasures([0, 1], { windowS: 0 }));
  });

  it('sparse_ahead: few expected ticks, by mean and median gap', () => {
    gives('sparse_ahead', makeMeasures([0, 1], { horizonS: 6, windowS: 100, distinctTicks: 100, medianGapS: 1 }), [0.5, 0.5], 6);
    gives('sparse_ahead', makeMeasures([0, 1], { horizonS: 6, windowS: 100, distinctTicks: 100, medianGapS: 0.1 }), [0, 0.5], 6);
    isUnknown('sparse_ahead', makeMeasures([0, 1], { windowS: 0 }));
  });
});
