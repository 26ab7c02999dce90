import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { OutOfFold } from './outOfFold.ts';
import { boundScores, entriesOf, type Scores } from './Scores.ts';

/** Heads whose network did not beat the EWMA logistic on left-out rows: Brier skill or AUC difference at or below 0, or no rows. */
export function headsBelowBaseline(rows: RowSet, scores: Scores): Set<number> {
  const below = BUCKET_NAMES.map((_, head) => head).filter((head) => {
    const members = entriesOf(scores, (row) => rows.head[row] === head);
    const { intervals } = boundScores(rows, scores, 'ewma', members);
    return !(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0);
  });
  return new Set(below);
}

/** The predictions with a residual of zero in these heads, which then answer with the EWMA logistic only. */
export function withoutResiduals(out: OutOfFold, heads: ReadonlySet<number>): OutOfFold {
  return { ...out, logit: out.logit.map((logit, at) => (heads.has(out.head[at] as number) ? (out.baselineLogit[at] as number) : logit)) };
}

/** Multiplies the factor of each head into the weights: the residual is linear in its output kernel and bias. */
export function scaleResiduals(weights: WeightArrays, factors: readonly number[]): WeightArrays {
  const scaled = (values: Float32Array): Float32Array => values.map((value, at) => value * (factors[at % factors.length] as number) + 0);
  return {
    ...weights,
    'opportunity/kernel': scaled(weights['opportunity/kernel']),
    'opportunity/bias': scaled(weights['opportunity/bias']),
  };
}
