import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import type { NetworkSpec, WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { foldCount, type OutOfFold } from './outOfFold.ts';
import { boundScores, entriesOf, type Scores } from './Scores.ts';

/** Factor of the residual of each head: the logit is baseline + factor · residual. */
export type ResidualFactors = readonly number[];

/** Largest factor: an underconfident residual may be amplified, but only a little. */
const MAX_FACTOR = 1.5;
const MIN_ROWS = 100;
const MIN_OF_EACH_CLASS = 20;
/** Prior: normal with mean 1 and variance 1. It has little weight against a few hundred rows. */
const FACTOR_L2 = 1;

/**
 * The factor of each head's residual that fits left-out labels best (maximum likelihood, 0 to 1.5). The baseline stays as fitted: a slope
 * and an intercept for the whole logit, fitted on some markets, are worse on other markets than none (docs/adr/0009). With fewer than 100
 * rows of a head, or 20 of a class, the factor is 1.
 */
export function fitResidualFactors(out: OutOfFold, use: (at: number) => boolean = () => true): ResidualFactors {
  return BUCKET_NAMES.map((_, head) => {
    const members = Array.from({ length: out.count }, (_member, at) => at).filter((at) => out.head[at] === head && use(at));
    const positives = members.reduce((sum, at) => sum + (out.label[at] as number), 0);
    return Math.min(positives, members.length - positives) < MIN_OF_EACH_CLASS || members.length < MIN_ROWS ? 1 : bestFactor(out, members);
  });
}

/** Newton's method on a convex loss of one variable, kept inside [0, MAX_FACTOR]. */
function bestFactor({ baselineLogit, logit, label }: OutOfFold, members: readonly number[]): number {
  let factor = 1;
  for (let step = 0; step < 50; step++) {
    let slope = FACTOR_L2 * (factor - 1);
    let curvature = FACTOR_L2;
    for (const at of members) {
      const baseline = baselineLogit[at] as number;
      const residual = (logit[at] as number) - baseline;
      const p = sigmoid(baseline + factor * residual);
      slope += residual * (p - (label[at] as number));
      curvature += residual * residual * p * (1 - p);
    }
    const next = Math.min(MAX_FACTOR, Math.max(0, factor - slope / curvature));
    if (Math.abs(next - factor) < 1e-12) break;
    factor = next;
  }
  return factor;
}

export function withFactors(out: OutOfFold, factorOf: (at: number) => number): OutOfFold {
  return {
    ...out,
    logit: out.logit.map((logit, at) => {
      const baseline = out.baselineLogit[at] as number;
      return baseline + factorOf(at) * (logit - baseline);
    }),
  };
}

/** Factors for each fold, fitted on the other folds, so that no row is used to evaluate itself. With one fold all factors are 1. */
export function crossFactors(out: OutOfFold): readonly ResidualFactors[] {
  const folds = foldCount(out);
  return Array.from({ length: folds }, (_, fold) =>
    folds === 1 ? BUCKET_NAMES.map(() => 1) : fitResidualFactors(out, (at) => out.fold[at] !== fold),
  );
}

/** Heads whose network did not beat the EWMA logistic on left-out rows: Brier skill or AUC difference at or below 0, or no rows. */
export function headsBelowBaseline(rows: RowSet, scores: Scores): Set<number> {
  const below = BUCKET_NAMES.map((_, head) => head).filter((head) => {
    const members = entriesOf(scores, (row) => rows.head[row] === head);
    const { intervals } = boundScores(rows, scores, 'ewma', members);
    return !(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0);
  });
  return new Set(below);
}

/** The factors with 0 for these heads, which then answer with the EWMA logistic only. */
export function zeroedFactors(factors: ResidualFactors, heads: ReadonlySet<number>): ResidualFactors {
  return factors.map((factor, head) => (heads.has(head) ? 0 : factor));
}

/** Multiplies the factors into the weights: the residual is linear in its output kernel and bias. */
export function scaleResiduals(weights: WeightArrays, { heads }: NetworkSpec, factors: ResidualFactors): WeightArrays {
  const scaled = (values: Float32Array): Float32Array => values.map((value, at) => value * (factors[at % heads] ?? 1) + 0);
  return {
    ...weights,
    'opportunity/kernel': scaled(weights['opportunity/kernel']),
    'opportunity/bias': scaled(weights['opportunity/bias']),
  };
}
