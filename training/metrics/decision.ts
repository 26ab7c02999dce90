import { sortedOrder } from './auc.ts';

export type DecisionRule = {
  /** Least precision over the base rate. Default 1.5. */
  readonly minPrecisionRatio?: number;
  /** What the lower bound of the precision must exceed, over the base rate. Default 1.25. */
  readonly lowerRatio?: number;
  /** Least number of marks on validation. Default 20. */
  readonly minMarks?: number;
  /** What each row would bring without the model: the base rate of its own market, length n. Default: that of all rows. */
  readonly expected?: Float64Array;
  /** A part of the rows that each belongs to, length n: in every part with `minMarks` marks the ratio must hold too. */
  readonly part?: Uint8Array;
};

export type DecisionThreshold = {
  /** A row is marked where its probability is at or above this. */
  readonly threshold: number;
  readonly marks: number;
  /** marks / rows. */
  readonly coverage: number;
  readonly precision: number;
  /** One-sided lower 90 % bound of the precision (Wilson). */
  readonly precisionLower90: number;
  /** What the marked rows would have brought without the model, on average. */
  readonly baseRate: number;
};

/** Standard normal quantile of .90. */
const Z_90 = 1.2815515655446004;

/**
 * One-sided lower 90 % bound of a share by Wilson's score interval (Wilson 1927). Wilson and not Clopper–Pearson: it is closed-form
 * and near its nominal cover on the average, where Clopper–Pearson would abstain more than the protocol asks.
 */
export function wilsonLower90(successes: number, trials: number): number {
  if (trials === 0) return 0;
  const share = successes / trials;
  const z2 = Z_90 * Z_90;
  const spread = Z_90 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  return Math.max(0, (share + z2 / (2 * trials) - spread) / (1 + z2 / trials));
}

/** Sums of base rates are not exact. */
const ROUNDING = 1e-9;

/** Standard normal quantile of .95: two sides of 90 %. */
const Z_95 = 1.6448536269514722;

/** Two-sided 90 % interval of a share by Wilson's score; [0, 1] without trials. */
export function wilsonInterval(successes: number, trials: number): [number, number] {
  if (trials === 0) return [0, 1];
  const share = successes / trials;
  const z2 = Z_95 * Z_95;
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials));
  const scale = 1 + z2 / trials;
  return [Math.max(0, (share + z2 / (2 * trials) - spread) / scale), Math.min(1, (share + z2 / (2 * trials) + spread) / scale)];
}

/**
 * The abstention rule (evaluation protocol, section 4.5): the smallest probability whose validation precision is at least 1.5 times the
 * base rate, with a lower 90 % bound above 1.25 times, over enough marks. Null where there is none: the bucket answers null.
 *
 * With `expected` the base rate is that of each row's own market: over markets of unlike base rates a threshold would otherwise be reached
 * by telling the markets apart, and mark every moment of a lively one. With `part` the ratio holds in each part as well.
 *
 * @param p calibrated probabilities of validation rows of one horizon bucket (and band of theta), length n
 * @param y 0 or 1, length n
 * @throws RangeError where lengths disagree
 */
export function chooseThreshold(p: Float64Array, y: Uint8Array, rule: DecisionRule = {}): DecisionThreshold | null {
  const { minPrecisionRatio = 1.5, lowerRatio = 1.25, minMarks = 20 } = rule;
  const n = p.length;
  const rate = y.reduce((sum, label) => sum + label, 0) / n;
  const { expected = new Float64Array(n).fill(rate), part = new Uint8Array(n) } = rule;
  if (y.length !== n || expected.length !== n || part.length !== n)
    throw new RangeError(`chooseThreshold: ${n} probabilities, ${y.length} labels`);
  if (!(rate > 0)) return null;
  const order = sortedOrder(p);
  const tallies = Array.from({ length: part.reduce((most, of) => Math.max(most, of), 0) + 2 }, () => ({ marks: 0, hits: 0, expected: 0 }));
  const all = tallies.at(-1)!;
  const add = (row: number, sign: 1 | -1): void => {
    for (const tally of [tallies[part[row]!]!, all]) {
      tally.marks += sign;
      tally.hits += sign * y[row]!;
      tally.expected += sign * expected[row]!;
    }
  };
  order.forEach((row) => add(row, 1));
  for (let rank = 0; n - rank >= Math.max(1, minMarks); rank++) {
    const row = order[rank]!;
    const isFirstOfTie = rank === 0 || p[order[rank - 1]!] !== p[row];
    const holds = tallies.every(({ marks, hits, expected: usual }) => marks < minMarks || hits >= minPrecisionRatio * usual - ROUNDING);
    const precisionLower90 = isFirstOfTie && holds ? wilsonLower90(all.hits, all.marks) : 0;
    const { marks, hits } = all;
    const baseRate = all.expected / marks;
    if (precisionLower90 > lowerRatio * baseRate)
      return { threshold: p[row]!, marks, coverage: marks / n, precision: hits / marks, precisionLower90, baseRate };
    add(row, -1);
  }
  return null;
}
