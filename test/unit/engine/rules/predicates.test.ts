import { expect } from 'chai';
import type { WindowMeasures } from '../../../../src/engine/features/WindowMeasures.ts';
import { findPredicate } from '../../../../src/engine/rules/predicates.ts';
import { type PredicateResult, ruleContext } from '../../../../src/engine/rules/Predicate.ts';
import { swingLevels } from '../../../../src/engine/rules/swingLevels.ts';
import { makeMeasures } from '../../../support/makeMeasures.ts';

function evaluate(name: string, measures: WindowMeasures, theta = 4e-4): PredicateResult {
  const predicate = findPredicate(name);
  if (predicate === undefined) throw new Error(name);
  return predicate.evaluate(ruleContext(measures, theta));
}

const exactly = (name: string, measures: WindowMeasures, truth: number, value?: number): void => {
  const result = evaluate(name, measures);
  expect(result.lower).to.be.closeTo(truth, 1e-9);
  expect(result.upper).to.be.closeTo(truth, 1e-9);
  if (value !== undefined) expect(result.value).to.be.closeTo(value, 1e-9);
};
const isUnknown = (name: string, measures: WindowMeasures): void => {
  const { lower, upper, value } = evaluate(name, measures);
  expect([lower, upper, value]).to.deep.equal([0, 1, null]);
};

/** A path between `low` and `high` in straight lines of 20 s that ends at 0. */
const swinging = (low: number, high: number, legs: number): number[] =>
  Array.from({ length: 20 * legs + 11 }, (_, i) => low + (high - low) * Math.abs(1 - ((i / 20) % 2))).concat(0);

describe('swingLevels', () => {
  it('finds both edges of a range with their touches, nearest first', () => {
    const { supports, resistances } = swingLevels(makeMeasures(swinging(-3e-3, 2e-3, 9)));
    expect(supports.map(({ touches }) => touches)).to.deep.equal([5]);
    // The window starts at the upper edge, which is not a reversal.
    expect(resistances.map(({ touches }) => touches)).to.deep.equal([4]);
    expect(supports[0]?.logPrice).to.be.closeTo(-3e-3, 1e-12);
    expect(resistances[0]?.logPrice).to.be.closeTo(2e-3, 1e-12);
  });

  it('keeps reversals that are further apart than the tolerance as separate levels, four per side', () => {
    const peaks = [9, 2, 8, 3, 7, 4, 6, 5].flatMap((peak) => [peak * 1e-3, -peak * 1e-3]);
    const { supports, resistances } = swingLevels(makeMeasures([...peaks, 0], { windowS: 64 }));
    expect(resistances.map(({ logPrice }) => Math.round(logPrice * 1e3))).to.deep.equal([2, 3, 4, 5]);
    expect(supports.map(({ logPrice }) => Math.round(logPrice * 1e3))).to.deep.equal([-2, -3, -4, -5]);
  });

  it('finds none in a straight line or without volatility', () => {
    const line = Array.from({ length: 100 }, (_, i) => i * 1e-5);
    expect(swingLevels(makeMeasures(line)).supports).to.deep.equal([]);
    expect(swingLevels(makeMeasures([0, 1, 0, 1], { sigmas: [0, 0, 0, 0] })).resistances).to.deep.equal([]);
  });
});

describe('predicates', () => {
  it('support_near: true within half an expected move, with touches; unknown without a level', () => {
    const near = makeMeasures(swinging(-2e-4, 4e-3, 9));
    const result = evaluate('support_near', near);
    expect(result.value).to.be.closeTo(0.4, 1e-9);
    expect(result.upper).to.equal(1);
    expect(result.lower).to.be.closeTo(1 - 2 ** -5, 1e-9);
    expect(result.numbers?.['price']).to.be.closeTo(100 * Math.exp(-2e-4), 1e-9);
    expect(evaluate('support_near', makeMeasures(swinging(-5e-3, 4e-3, 9))).upper).to.equal(0);
    isUnknown('support_near', makeMeasures(Array.from({ length: 100 }, (_, i) => i * 1e-5)));
  });

  it('resistance_near: mirrors support_near', () => {
    const above = evaluate('resistance_near', makeMeasures(swinging(-4e-3, 2e-4, 9)));
    expect(above.value).to.be.closeTo(0.4, 1e-9);
    expect(above.upper).to.equal(1);
  });

  it('breakout_up and breakout_down: the last price relative to prices older than the recent part', () => {
    const flat = Array.from({ length: 100 }, (_, i) => (i % 2) * 1e-5);
    exactly('breakout_up', makeMeasures([...flat, 1e-2]), 1);
    exactly('breakout_down', makeMeasures([...flat, 1e-2]), 0);
    exactly('breakout_down', makeMeasures([...flat, -1e-2]), 1);
    isUnknown('breakout_up', makeMeasures(flat, { sigmas: [0, 0, 0, 0] }));
  });

  it('momentum_slope: the t-value of a straight line, signed; false on a flat one', () => {
    // 4e-5 per second for 25 s, over 1e-4 * sqrt(6 / (5 * 25)).
    const line = Array.from({ length: 100 }, (_, i) => -4e-5 * i);
    exactly('momentum_slope', makeMeasures(line), (4e-5 / (1e-4 * Math.sqrt(6 / 125)) - 1) / 2, -4e-5 / (1e-4 * Math.sqrt(6 / 125)));
    exactly('momentum_slope', makeMeasures(Array.from({ length: 100 }, (_, i) => (i % 2) * 1e-6)), 0);
    isUnknown('momentum_slope', makeMeasures(line.slice(0, 10)));
  });

  it('ema_difference: the fast average follows a jump first; false for a constant price', () => {
    const jump = Array.from({ length: 200 }, (_, i) => (i < 190 ? 0 : 4e-3));
    // 9 s at the new price: the weights younger than 9 s for time constants of 25/4 and 25 s.
    const expected = ((4e-3 * (Math.exp(-9 / 25) - Math.exp(-36 / 25))) / (1e-4 * (25 * 0.75))) * Math.sqrt(2 * 25 * 1.25);
    exactly('ema_difference', makeMeasures(jump), 1, expected);
    exactly('ema_difference', makeMeasures(Array.from({ length: 200 }, (_, i) => (i % 2) * 1e-6)), 0);
    isUnknown('ema_difference', makeMeasures([0, 1], { windowS: 0 }));
  });

  it('volatility_expansion: the ratio, bounded by two time constants', () => {
    const measures = makeMeasures([0, 1], { sigmas: [2e-4, 1e-4, 1e-4, 1e-4] });
    const result = evaluate('volatility_expansion', measures);
    expect([result.lower, result.upper, result.value]).to.deep.equal([0, 1, 2]);
    exactly('volatility_expansion', makeMeasures([0, 1], { sigmas: [4e-4, 3e-4, 2e-4, 1e-4] }), 1, 4);
    isUnknown('volatility_expansion', makeMeasures([0, 1], { sigmas: [0, 1e-4, 1e-4, 1e-4] }));
  });

  it('threshold_far: theta in expected moves', () => {
    const measures = makeMeasures([0, 1]);
    expect(evaluate('threshold_far', measures, 10e-4).lower).to.be.closeTo(0.5, 1e-9);
    expect(evaluate('threshold_far', measures, 5e-4).upper).to.be.closeTo(0, 1e-9);
    isUnknown('threshold_far', makeMeasures([0, 1], { sigmaHorizon: 0 }));
  });

  it('cost_above_move: lower bound from the estimated cost, upper bound from four times that', () => {
    const { lower, upper, value } = evaluate('cost_above_move', makeMeasures([0, 1], { cost: 2.5e-4 }));
    expect([lower, upper]).to.deep.equal([0, 1]);
    expect(value).to.be.closeTo(0.5, 1e-9);
  });

  it('few_distinct_ticks: from 80 down to 40', () => {
    for (const [distinctTicks, truth] of [
      [40, 1],
      [60, 0.5],
      [80, 0],
      [3000, 0],
    ] as const)
      exactly('few_distinct_ticks', makeMeasures([0, 1], { distinctTicks }), truth, distinctTicks);
  });

  it('stale: time without a change relative to the horizon and to the usual interval', () => {
    const active = Array.from({ length: 100 }, (_, i) => (i % 2) * 1e-4);
    exactly('stale', makeMeasures([...active, ...Array.from({ length: 80 }, () => 0)]), 1);
    exactly('stale', makeMeasures(active), 0);
    // The same time is usual if the price changes only every 50 s.
    const slow = Array.from({ length: 1000 }, (_, i) => (Math.floor(i / 50) % 2) * 1e-4);
    exactly('stale', makeMeasures([...slow, ...Array.from({ length: 75 }, () => 0)]), 0);
    isUnknown('stale', makeMeasures([0, 0, 1, 1]));
  });

  it('constant_stretch: the longest time at one price', () => {
    const stretch = [...Array.from({ length: 15 }, (_, i) => (i + 1) * 1e-4), ...Array.from({ length: 86 }, () => 0)];
    exactly('constant_stretch', makeMeasures(stretch), (0.85 - 0.5) / 0.4, 0.85);
    exactly('constant_stretch', makeMeasures(Array.from({ length: 100 }, (_, i) => (i % 2) * 1e-4)), 0);
  });

  it('session_gap_cut: the fraction of removed ticks', () => {
    exactly('session_gap_cut', makeMeasures([0, 1], { ticks: 400, ticksBeforeGap: 100 }), 0.5, 0.25);
  });

  it('outlier_tick: a spike inside or a jump at the end, but not a lasting jump', () => {
    const walk = Array.from({ length: 200 }, (_, i) => (i % 2) * 1e-4);
    const spike = walk.with(100, 0.5);
    exactly('outlier_tick', makeMeasures(spike), 1);
    exactly('outlier_tick', makeMeasures(walk), 0, 1);
    exactly('outlier_tick', makeMeasures([...walk, 2.3]), 1);
    const possible = evaluate('outlier_tick', makeMeasures([...walk, 1.51e-2]));
    expect([possible.lower, possible.upper]).to.deep.equal([0, 1]);
    exactly('outlier_tick', makeMeasures(walk.map((logPrice, i) => logPrice + (i > 100 ? 0.5 : 0))), 0);
    isUnknown('outlier_tick', makeMeasures([0, 0, 0, 0]));
  });
});
