import type { Random } from '../../src/core/Random.ts';
import { quantile } from '../../src/engine/scoring/clusterBootstrap.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { L2, type WeightProblem } from './learnWeights.ts';

/** 95 % interval of a weight, and whether it excludes 0. */
export type WeightInterval = { readonly lower95: number; readonly upper95: number; readonly isSure: boolean };

const DRAWS = 200;
const MAX_ROUNDS = 100;

/**
 * Intervals of the weights of `learnWeights`, by resampling whole clusters of rows. A draw takes one Newton step from weights of 0 within
 * signs and bounds (the one-step bootstrap; weights are small, so the loss is nearly quadratic). Gradient and curvature are summed once per
 * cluster, so a draw does not iterate over the rows.
 *
 * @param cluster cluster of each row, numbered from 0
 * @param use rows that count
 */
export function weightIntervals(
  problem: WeightProblem,
  cluster: Int32Array,
  use: (row: number) => boolean,
  random: Random,
): WeightInterval[] {
  const k = problem.signs.length;
  const moments = clusterMoments(problem, cluster, use);
  const count = moments.length;
  const draws = Array.from({ length: count === 0 ? 0 : DRAWS }, () => {
    const slope = new Float64Array(k);
    const curvature = new Float64Array(k * k);
    for (let i = 0; i < count; i++) {
      const drawn = moments[random.integer(count)] as Moments;
      for (let j = 0; j < k; j++) slope[j] = (slope[j] as number) + (drawn.slope[j] as number);
      for (let j = 0; j < k * k; j++) curvature[j] = (curvature[j] as number) + (drawn.curvature[j] as number);
    }
    return newtonStep(slope, curvature, problem);
  });
  return problem.signs.map((_, rule) => {
    const sorted = Float64Array.from(draws, (weights) => weights[rule] as number).sort();
    const [lower95, upper95] = [quantile(sorted, 0.025), quantile(sorted, 0.975)];
    return { lower95, upper95, isSure: lower95 > 0 || upper95 < 0 };
  });
}

type Moments = { readonly slope: Float64Array; readonly curvature: Float64Array };

/** Gradient and curvature of the loss at weights of 0, per cluster. */
function clusterMoments({ logit, evidence, y, signs }: WeightProblem, cluster: Int32Array, use: (row: number) => boolean): Moments[] {
  const k = signs.length;
  const moments = new Map<number, Moments>();
  for (let row = 0; row < logit.length; row++) {
    if (!use(row)) continue;
    const of = moments.get(cluster[row] as number) ?? { slope: new Float64Array(k), curvature: new Float64Array(k * k) };
    moments.set(cluster[row] as number, of);
    const p = sigmoid(logit[row] as number);
    const x = evidence.subarray(row * k, (row + 1) * k);
    for (let a = 0; a < k; a++) {
      const xa = x[a] as number;
      if (xa === 0) continue;
      of.slope[a] = (of.slope[a] as number) + xa * (p - (y[row] as number));
      for (let b = 0; b < k; b++) of.curvature[a * k + b] = (of.curvature[a * k + b] as number) + xa * (x[b] as number) * p * (1 - p);
    }
  }
  return [...moments.values()];
}

/** Minimum of slope · w + w · curvature · w / 2 + L2 w² / 2 within signs and bounds, by coordinate descent. */
function newtonStep(slope: Float64Array, curvature: Float64Array, { signs, bounds }: WeightProblem): Float64Array {
  const k = signs.length;
  const weights = new Float64Array(k);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let moved = 0;
    for (let a = 0; a < k; a++) {
      let gradient = (slope[a] as number) + L2 * (weights[a] as number);
      for (let b = 0; b < k; b++) gradient += (curvature[a * k + b] as number) * (weights[b] as number);
      const before = weights[a] as number;
      const [least, most] = signs[a] === 1 ? [0, bounds[a] as number] : [-(bounds[a] as number), 0];
      const after = Math.min(most, Math.max(least, before - gradient / ((curvature[a * k + a] as number) + L2)));
      weights[a] = after;
      moved = Math.max(moved, Math.abs(after - before));
    }
    if (moved < 1e-7) break;
  }
  return weights;
}
