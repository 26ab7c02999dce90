import { sigmoid } from '../metrics/logistic.ts';

export type WeightProblem = {
  /** Logit of the network, length n; not changed. */
  readonly logit: Float64Array;
  /** Evidence, [n, k], finite. */
  readonly evidence: Float64Array;
  readonly y: Uint8Array;
  /** Allowed sign and largest absolute weight of each rule. */
  readonly signs: readonly (1 | -1)[];
  readonly bounds: readonly number[];
};

/** Penalty on the weights, relative to the summed loss: a rule whose evidence varies by 0.3 needs some hundred rows for a noticeable weight. */
export const L2 = 20;
const MAX_ROUNDS = 60;

/**
 * Weights of rules on top of a logit: logistic regression with the logit as offset and no intercept. Each weight keeps the sign of its rule
 * and stays inside its bound, by projected coordinate-wise Newton steps. The loss is convex: rounds end when no weight changes by 1e-7.
 *
 * @param rowWeights multiplicities of rows, length n
 * @param free rules that may have a weight; the others stay at 0
 */
export function learnWeights(problem: WeightProblem, rowWeights: Float64Array, free: readonly boolean[]): Float64Array {
  const { logit, evidence, y, signs, bounds } = problem;
  const [n, k] = [logit.length, signs.length];
  const weights = new Float64Array(k);
  const total = logit.slice();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let moved = 0;
    for (let rule = 0; rule < k; rule++) {
      if (free[rule] !== true) continue;
      const before = weights[rule] as number;
      let slope = L2 * before;
      let curvature = L2;
      for (let row = 0; row < n; row++) {
        const x = evidence[row * k + rule] as number;
        if (x === 0) continue;
        const times = rowWeights[row] as number;
        const p = sigmoid(total[row] as number);
        slope += times * x * (p - (y[row] as number));
        curvature += times * x * x * p * (1 - p);
      }
      const [least, most] = signs[rule] === 1 ? [0, bounds[rule] as number] : [-(bounds[rule] as number), 0];
      const after = Math.min(most, Math.max(least, before - slope / curvature));
      if (after === before) continue;
      for (let row = 0; row < n; row++) total[row] = (total[row] as number) + (after - before) * (evidence[row * k + rule] as number);
      weights[rule] = after;
      moved = Math.max(moved, Math.abs(after - before));
    }
    if (moved < 1e-7) break;
  }
  return weights;
}
