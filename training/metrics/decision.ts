import { groupBy } from '../../src/core/groupBy.ts';
import { wilsonInterval } from '../../src/engine/scoring/wilsonInterval.ts';
import { sortedOrder } from './auc.ts';

/** A cut is chosen for this precision over the base rate, and the gate requires it of the tests. */
export const MIN_PRECISION_RATIO = 1.5;

/** A cut is chosen on validation rows for a lower bound of the precision of this times the base rate, over so many marks. */
const LOWER_RATIO = 1.25;
const MIN_MARKS = 20;
/** With 20 marks of a base rate of 0.2, the precision of a part is known to no more than ± 0.1. */
const MIN_PART_MARKS = 50;

export type DecisionRows = {
  /** Expected rate of each row without the model: the base rate of its own market, length n. */
  readonly expected: Float64Array;
  /** Part that each row belongs to, length n: the ratio must also hold in every part with enough marks. */
  readonly part: Uint8Array;
  /** Least threshold. */
  readonly least: number;
};

/** Most of the windows of a series that a cut marks: a fifth of each known one, so that one not known stays within a quarter. */
const MOST_MARKED = 0.2;
/** Series with fewer windows do not count. */
export const LEAST_WINDOWS = 100;

/** The smallest cut, in thousandths, that marks at most a fifth of the windows of each series. `series`: that of each probability. */
export function cutOfShare(p: ArrayLike<number>, series: ArrayLike<number>): number {
  const of = groupBy(Array.from(p).keys(), (at) => series[at]);
  let cut = 0;
  for (const given of of.values()) {
    if (given.length < LEAST_WINDOWS) continue;
    const sorted = Float64Array.from(given, (at) => p[at]).sort();
    const unmarked = sorted[sorted.length - 1 - Math.floor(MOST_MARKED * sorted.length)];
    cut = Math.max(cut, (Math.floor(1000 * unmarked) + 1) / 1000);
  }
  return cut;
}

/** Standard normal quantile of 0.90: one side of 90 %. */
export const Z_90 = 1.2815515655446004;

/** Sums of base rates are not exact. */
const ROUNDING = 1e-9;

/**
 * The decision threshold (docs/explanation/evaluation.md, "Probabilities and marks"): the smallest probability with a validation precision
 * of at least 1.5 times the base rate and a lower 90 % bound above 1.25 times, over enough marks. Null if there is none: the bucket then
 * answers null.
 *
 * The base rate is that of each row's own market. Otherwise, over markets with different base rates, a model could reach the ratio by
 * identifying the market, and mark every moment of an active one. The ratio must also hold in each part.
 *
 * @param p calibrated probabilities of validation rows of one horizon bucket (and band of theta), length n
 * @param y 0 or 1, length n
 * @throws RangeError if the lengths differ
 */
export function chooseThreshold(p: Float64Array, y: Uint8Array, { expected, part, least }: DecisionRows): number | null {
  const n = p.length;
  if (y.length !== n || expected.length !== n || part.length !== n)
    throw new RangeError(`chooseThreshold: ${n} probabilities, ${y.length} labels`);
  if (!y.includes(1)) return null;
  const order = sortedOrder(p);
  const tallies = Array.from({ length: part.reduce((most, of) => Math.max(most, of), 0) + 2 }, () => ({ marks: 0, hits: 0, expected: 0 }));
  const all = tallies.at(-1)!;
  const add = (row: number, sign: 1 | -1): void => {
    for (const tally of [tallies[part[row]], all]) {
      tally.marks += sign;
      tally.hits += sign * y[row];
      tally.expected += sign * expected[row];
    }
  };
  order.forEach((row) => add(row, 1));
  for (let rank = 0; n - rank >= MIN_MARKS; rank++) {
    const row = order[rank];
    const isFirstOfTie = rank === 0 || p[order[rank - 1]] !== p[row];
    const holds = tallies.every(
      (tally) => (tally !== all && tally.marks < MIN_PART_MARKS) || tally.hits >= MIN_PRECISION_RATIO * tally.expected - ROUNDING,
    );
    const precisionLower90 = isFirstOfTie && holds && p[row] >= least ? wilsonInterval(all.hits, all.marks, Z_90)[0] : 0;
    if (precisionLower90 > LOWER_RATIO * (all.expected / all.marks)) return p[row];
    add(row, -1);
  }
  return null;
}
