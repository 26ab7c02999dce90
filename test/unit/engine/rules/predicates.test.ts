import { expect } from 'chai';
import type { WindowMeasures } from '../../../../src/engine/features/WindowMeasures.ts';
import { findPredicate } from '../../../../src/engine/rules/predicates.ts';
import { type PredicateResult, ruleContext } from '../../../../src/engine/rules/Predicate.ts';
import { swingLevels } from '../../../../src/engine/rules/swingLevels.ts';
import { makeMeasures } from '../../../support/makeMeasures.ts';

const THETA = 4e-4;
const evaluate = (name: string, measures: WindowMeasures, theta = THETA): PredicateResult =>
  findPredicate(name)!.evaluate(ruleContext(measures, theta));

/** Truth interval of a predicate on a constructed window, and the value that it computes; absent where only the truth is known beforehand. */
type Row = readonly [
  name: string,
  window: WindowMeasures,
  truth: readonly [lower: number, upper: number],
  value?: number | null,
  theta?: number,
];
const UNKNOWN = [0, 1] as const;

const window = makeMeasures;
const line = (length: number, step: number): number[] => Array.from({ length }, (_, i) => step * i);
const zigzag = (length: number, size = 1e-4): number[] => Array.from({ length }, (_, i) => (i % 2) * size);
const flat = (length: number): number[] => line(length, 0);
/** A path between `low` and `high` in straight lines of 20 s that ends at 0. */
const swinging = (low: number, high: number, legs: number): number[] =>
  Array.from({ length: 20 * legs + 11 }, (_, i) => low + (high - low) * Math.abs(1 - ((i / 20) % 2))).concat(0);
const still = { sigmas: [0, 0, 0, 0] } as const;

// 4e-5 per second for 25 s, over 1e-4 * sqrt(6 / (5 * 25)).
const SLOPE = 4e-5 / (1e-4 * Math.sqrt(6 / 125));
const BEND = 1.5e-3 / (1e-4 * Math.sqrt(50));
const jump = Array.from({ length: 200 }, (_, i) => (i < 190 ? 0 : 4e-3));
// 9 s at the new price: the weights younger than 9 s for time constants of 25/4 and 25 s.
const EMA = ((4e-3 * (Math.exp(-9 / 25) - Math.exp(-36 / 25))) / (1e-4 * (25 * 0.75))) * Math.sqrt(2 * 25 * 1.25);
// Over 25 s: 20 rises of 1e-5 and 5 falls of 6e-5.
const uneven = Array.from({ length: 100 }, (_, i) => (i % 5 === 4 ? -6e-5 : 1e-5)).reduce<number[]>(
  (all, step) => [...all, all.at(-1)! + step],
  [0],
);
const slack = Math.sqrt(20 * 1e-10 + 5 * 36e-10) / 50e-5;
const extremes = [...flat(150), 1e-3, ...flat(100), -3e-4, ...flat(49), 0];
// 100.02 with moves of 0.05: the step is 1, and 100 is 0.4 moves away.
const at = (lastPrice: number): WindowMeasures => window([0, 1], { lastPrice, sigmaHorizon: 0.05 / lastPrice });
const wave = Array.from({ length: 400 }, (_, i) => [0, 1e-3, 0, -1e-3][i % 4]);
const above = (side: 1 | -1): number[] => [...wave, ...flat(20).map(() => side * 1.2e-3)];
const ahead = { horizonS: 20, windowS: 400 };
const FAILED = 2e-4 / (1e-4 * Math.sqrt(40));
const burstTimes = Float64Array.from([...line(100, 1).map((t) => t - 149), ...line(100, 0.25).map((t) => t - 24.75)]);
const usual = (25 * 200) / 149;
const stretch = [...Array.from({ length: 15 }, (_, i) => (i + 1) * 1e-4), ...flat(86)];
// The same time is usual if the price changes only every 50 s.
const slow = Array.from({ length: 1000 }, (_, i) => (Math.floor(i / 50) % 2) * 1e-4);
const sparse = { horizonS: 6, windowS: 100, distinctTicks: 100 };

const ROWS: readonly Row[] = [
  ['support_near', window(swinging(-2e-4, 4e-3, 9)), [1 - 2 ** -5, 1], 0.4],
  ['support_near', window(swinging(-5e-3, 4e-3, 9)), [0, 0]],
  ['support_near', window(line(100, 1e-5)), UNKNOWN, null],
  ['resistance_near', window(swinging(-4e-3, 2e-4, 9)), [1 - 2 ** -4, 1], 0.4],
  ['breakout_up', window([...zigzag(100, 1e-5), 1e-2]), [1, 1]],
  ['breakout_down', window([...zigzag(100, 1e-5), 1e-2]), [0, 0]],
  ['breakout_down', window([...zigzag(100, 1e-5), -1e-2]), [1, 1]],
  ['breakout_up', window(zigzag(100, 1e-5), still), UNKNOWN, null],
  ['failed_breakout', window([...above(1), ...flat(10)], ahead), [FAILED / 0.5, FAILED / 0.5], FAILED],
  ['failed_breakout', window(above(1), ahead), [0, 0]],
  ['failed_breakout', window([...above(-1), ...flat(10)], ahead), [FAILED / 0.5, FAILED / 0.5], -FAILED],
  ['failed_breakout', window([0, 1], still), UNKNOWN, null],
  ['window_extreme_near', window(extremes), [(1 - 0.6) / 0.75, (1 - 0.6) / 0.75], 0.6],
  // Reaches back 125 s, so the high of 151 s ago is not included, and the current price is the highest.
  ['recent_extreme_near', window(extremes), [1, 1], 0],
  ['window_extreme_near', window(extremes, { cost: 3e-4 }), [(1 - 0.9) / 0.75, (1 - 0.3) / 0.75], 0.6],
  ['recent_extreme_near', window(flat(100)), UNKNOWN, null],
  ['round_number_near', at(100.02), [0.8, 0.8], 0.4],
  ['round_number_near', at(100.5), [0, 0], 10],
  ['round_number_near', window([0, 1], { sigmaHorizon: 0 }), UNKNOWN, null],
  ['momentum_slope', window(line(100, -4e-5)), [(SLOPE - 1) / 2, (SLOPE - 1) / 2], -SLOPE],
  ['momentum_slope', window(zigzag(100, 1e-6)), [0, 0]],
  ['momentum_slope', window(line(10, -4e-5)), UNKNOWN, null],
  ['ema_difference', window(jump), [1, 1], EMA],
  ['ema_difference', window(zigzag(200, 1e-6)), [0, 0]],
  ['ema_difference', window([0, 1], { windowS: 0 }), UNKNOWN, null],
  // 25 s at 4e-5 per second, over 1e-4 sqrt(25).
  ['rate_of_change', window(line(200, -4e-5)), [2 / 3, 2 / 3], -2],
  ['rate_of_change', window(line(200, 4e-5), { sigmas: [2e-4, 1e-4, 1e-4, 1e-4] }), [0, 2 / 3], 2],
  ['rate_of_change', window([0, 1], { windowS: 0 }), UNKNOWN, null],
  ['acceleration', window(line(200, 4e-5)), [0, 0], 0],
  ['acceleration', window(Array.from({ length: 200 }, (_, i) => 6e-5 * Math.max(0, i - 174))), [(BEND - 1) / 1.5, (BEND - 1) / 1.5], BEND],
  // Weights changes by their size; imbalance counts them.
  ['persistence', window(uneven), [0, (0.2 + slack - 0.3) / 0.4], 40],
  ['persistence', window(flat(100)), UNKNOWN, null],
  ['imbalance', window(uneven), [(0.6 - 0.2 - 0.2) / 0.3, 1], 0.6],
  ['imbalance', window(flat(100)), UNKNOWN, null],
  ['efficiency_ratio', window(line(100, 1e-5)), [1, 1], 1],
  // 25 changes that end one step from the start; a bounce of one step could explain all of it.
  ['efficiency_ratio', window(zigzag(101), { cost: 1e-4 }), [0, 0], 1 / 25],
  ['efficiency_ratio', window(flat(100)), UNKNOWN, null],
  ['variance_ratio', window(line(200, 1e-5)), [1, 1], 5],
  ['variance_ratio', window(zigzag(201)), [0, 0], 1 / 5],
  ['reversals', window(zigzag(201)), [1, 1], -199 / 200],
  ['reversals', window(line(200, 1e-5)), [0, 0], 198 / 199],
  ['reversals', window(zigzag(20)), UNKNOWN, null],
  ['unchanged_ticks', window(Array.from({ length: 101 }, (_, i) => Math.floor(i / 10) * 1e-4)), [0.925, 1], 0.9],
  ['unchanged_ticks', window(line(101, 1e-5)), [0, 0], 0],
  ['jump_share', window(Array.from({ length: 201 }, (_, i) => 1e-6 * i + (i > 100 ? 1e-2 : 0))), [1, 1]],
  ['jump_share', window(line(200, 1e-5)), [0, 0], 0],
  ['jump_share', window(flat(100)), UNKNOWN, null],
  ['volatility_expansion', window([0, 1], { sigmas: [2e-4, 1e-4, 1e-4, 1e-4] }), [0, 1], 2],
  ['volatility_expansion', window([0, 1], { sigmas: [4e-4, 3e-4, 2e-4, 1e-4] }), [1, 1], 4],
  ['volatility_expansion', window([0, 1], { sigmas: [0, 1e-4, 1e-4, 1e-4] }), UNKNOWN, null],
  ['volatility_squeeze', window([0, 1], { sigmas: [0.5e-4, 0.5e-4, 1e-4, 1e-4] }), [1, 1], 0.5],
  ['volatility_squeeze', window([0, 1], { sigmas: [0.5e-4, 1e-4, 1e-4, 1e-4] }), [0, 1], 0.5],
  ['volatility_squeeze', window([0, 1], { sigmas: [0, 1e-4, 1e-4, 1e-4] }), UNKNOWN, null],
  // The count over the usual count, uncertain by its square root.
  ['tick_burst', window(flat(200), { timesS: burstTimes, windowS: 149, medianGapS: 0.25 }), [(90 / usual - 1.5) / 1.5, 1], 100 / usual],
  ['tick_burst', window([0, 0], { windowS: 0 }), UNKNOWN, null],
  ['threshold_far', window([0, 1]), [0.5, 0.5], 2, 10e-4],
  ['threshold_far', window([0, 1]), [0, 0], 1, 5e-4],
  ['threshold_far', window([0, 1], { sigmaHorizon: 0 }), UNKNOWN, null],
  // The upper bound is that of four times the estimated cost.
  ['cost_above_move', window([0, 1], { cost: 2.5e-4 }), [0, 1], 0.5],
  ['cost_above_threshold', window([0, 1], { cost: 3e-4 }), [0.5, 1], 0.75],
  ['cost_above_threshold', window([0, 1]), [0, 0], 0],
  ['few_distinct_ticks', window([0, 1], { distinctTicks: 40 }), [1, 1], 40],
  ['few_distinct_ticks', window([0, 1], { distinctTicks: 60 }), [0.5, 0.5], 60],
  ['few_distinct_ticks', window([0, 1], { distinctTicks: 80 }), [0, 0], 80],
  ['few_distinct_ticks', window([0, 1], { distinctTicks: 3000 }), [0, 0], 3000],
  ['horizon_beyond_window', window([0, 1], { horizonS: 5, windowS: 100 }), [0, 0], 0.05],
  ['horizon_beyond_window', window([0, 1], { horizonS: 100, windowS: 100 }), [1, 1], 1],
  ['horizon_beyond_window', window([0, 1], { windowS: 0 }), UNKNOWN, null],
  ['sparse_ahead', window([0, 1], { ...sparse, medianGapS: 1 }), [0.5, 0.5], 6],
  ['sparse_ahead', window([0, 1], { ...sparse, medianGapS: 0.1 }), [0, 0.5], 6],
  ['sparse_ahead', window([0, 1], { windowS: 0 }), UNKNOWN, null],
  ['stale', window([...zigzag(100), ...flat(80)]), [1, 1]],
  ['stale', window(zigzag(100)), [0, 0]],
  ['stale', window([...slow, ...flat(75)]), [0, 0]],
  ['stale', window([0, 0, 1, 1]), UNKNOWN, null],
  ['constant_stretch', window(stretch), [(0.85 - 0.5) / 0.4, (0.85 - 0.5) / 0.4], 0.85],
  ['constant_stretch', window(zigzag(100)), [0, 0]],
  ['session_gap_cut', window([0, 1], { ticks: 400, ticksBeforeGap: 100 }), [0.5, 0.5], 0.25],
  ['outlier_tick', window(zigzag(200).with(100, 0.5)), [1, 1]],
  ['outlier_tick', window(zigzag(200)), [0, 0], 1],
  ['outlier_tick', window([...zigzag(200), 2.3]), [1, 1]],
  ['outlier_tick', window([...zigzag(200), 1.51e-2]), [0, 1]],
  // A jump that lasts.
  ['outlier_tick', window(zigzag(200).map((logPrice, i) => logPrice + (i > 100 ? 0.5 : 0))), [0, 0]],
  ['outlier_tick', window(flat(4)), UNKNOWN, null],
];

describe('predicates', () => {
  for (const [i, [name, measures, [lower, upper], value, theta]] of ROWS.entries())
    it(`${name} has the truth of its formula on window ${i}`, () => {
      const found = evaluate(name, measures, theta);
      expect(found.lower).to.be.closeTo(lower, 1e-9);
      expect(found.upper).to.be.closeTo(upper, 1e-9);
      if (value === null) expect(found.value).to.equal(null);
      else if (value !== undefined) expect(found.value).to.be.closeTo(value, 1e-9);
    });

  it('give the numbers of their texts', () => {
    const numbersOf = (name: string, path: number[]) => evaluate(name, window(path)).numbers!;
    expect(numbersOf('support_near', swinging(-2e-4, 4e-3, 9))['price']).to.be.closeTo(100 * Math.exp(-2e-4), 1e-9);
    expect(numbersOf('window_extreme_near', extremes)['price']).to.be.closeTo(100 * Math.exp(-3e-4), 1e-9);
    expect(numbersOf('imbalance', uneven)).to.deep.equal({ ups: 20, downs: 5 });
    expect(evaluate('round_number_near', at(1.38512e-4)).numbers).to.have.property('price');
  });
});

describe('swingLevels', () => {
  it('finds both edges of a range with their touches, nearest first', () => {
    const { supports, resistances } = swingLevels(window(swinging(-3e-3, 2e-3, 9)));
    expect(supports.map(({ touches }) => touches)).to.deep.equal([5]);
    // The window starts at the upper edge, which is not a reversal.
    expect(resistances.map(({ touches }) => touches)).to.deep.equal([4]);
    expect(supports[0]?.logPrice).to.be.closeTo(-3e-3, 1e-12);
    expect(resistances[0]?.logPrice).to.be.closeTo(2e-3, 1e-12);
  });

  it('keeps reversals that are further apart than the tolerance as separate levels, four per side', () => {
    const peaks = [9, 2, 8, 3, 7, 4, 6, 5].flatMap((peak) => [peak * 1e-3, -peak * 1e-3]);
    const { supports, resistances } = swingLevels(window([...peaks, 0], { windowS: 64 }));
    expect(resistances.map(({ logPrice }) => Math.round(logPrice * 1e3))).to.deep.equal([2, 3, 4, 5]);
    expect(supports.map(({ logPrice }) => Math.round(logPrice * 1e3))).to.deep.equal([-2, -3, -4, -5]);
  });

  it('finds none in a straight line or without volatility', () => {
    expect(swingLevels(window(line(100, 1e-5))).supports).to.deep.equal([]);
    expect(swingLevels(window([0, 1, 0, 1], still)).resistances).to.deep.equal([]);
  });
});
