import { sortedOrder } from './auc.ts';

export type DecisionRule = {
  /** Least precision over the base rate. Default 1.5. */
  readonly minPrecisionRatio?: number;
  /** What the lower bound of the precision must exceed, over the base rate. Default 1.25. */
  readonly lowerRatio?: number;
  /** Least number of marks on validation. Default 20. */
  readonly minMarks?: number;
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
 * @param p calibrated probabilities of validation rows of one horizon bucket (and band of theta), length n
 * @param y 0 or 1, length n
 */
export function chooseThreshold(p: Float64Array, y: Uint8Array, rule: DecisionRule = {}): DecisionThreshold | null {
  const { minPrecisionRatio = 1.5, lowerRatio = 1.25, minMarks = 20 } = rule;
  const n = p.length;
  if (y.length !== n) throw new RangeError(`chooseThreshold: ${n} probabilities, ${y.length} labels`);
  const order = sortedOrder(p);
  let hits = y.reduce((sum, label) => sum + label, 0);
  const baseRate = hits / n;
  if (hits === 0) return null;
  for (let rank = 0; n - rank >= Math.max(1, minMarks); rank++) {
    const row = order[rank]!;
    const isFirstOfTie = rank === 0 || p[order[rank - 1]!] !== p[row];
    if (isFirstOfTie) {
      const marks = n - rank;
      const precision = hits / marks;
      const precisionLower90 = wilsonLower90(hits, marks);
      if (precision >= minPrecisionRatio * baseRate && precisionLower90 > lowerRatio * baseRate) {
        return { threshold: p[row]!, marks, coverage: marks / n, precision, precisionLower90, baseRate };
      }
    }
    hits -= y[row]!;
  }
  return null;
}
