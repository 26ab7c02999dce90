import type { Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { foldCount, type OutOfFold } from './outOfFold.ts';
import { compareScores, entriesOf, type Scores } from './Scores.ts';

/** How much of a head's residual counts: the logit is baseline + share · residual. One number a head. */
export type ResidualShares = readonly number[];

/** A head that is too timid may count for more than it says, but not for much more. */
const MAX_SHARE = 1.5;
const MIN_ROWS = 100;
const MIN_OF_EACH_CLASS = 20;
/** Prior: normal about 1 with variance 1. It says little beside a few hundred rows. */
const SHARE_L2 = 1;

/**
 * The share of each head's residual that fits left-out labels best (maximum likelihood, 0 to 1.5). The baseline is left as it was fitted: a
 * slope and an intercept for the whole logit, fitted on some markets, carry over to others worse than none (docs/adr/0009).
 * With fewer than 100 rows of a head, or 20 of a class: 1.
 */
export function fitResidualShares(out: OutOfFold, use: (at: number) => boolean = () => true): ResidualShares {
  return BUCKET_NAMES.map((_, head) => {
    const members = Array.from({ length: out.count }, (_member, at) => at).filter((at) => out.head[at] === head && use(at));
    const positives = members.reduce((sum, at) => sum + (out.label[at] as number), 0);
    return Math.min(positives, members.length - positives) < MIN_OF_EACH_CLASS || members.length < MIN_ROWS ? 1 : bestShare(out, members);
  });
}

/** Newton's method on a convex loss of one number, held inside [0, MAX_SHARE]. */
function bestShare({ baselineLogit, logit, label }: OutOfFold, members: readonly number[]): number {
  let share = 1;
  for (let step = 0; step < 50; step++) {
    let slope = SHARE_L2 * (share - 1);
    let curvature = SHARE_L2;
    for (const at of members) {
      const baseline = baselineLogit[at] as number;
      const residual = (logit[at] as number) - baseline;
      const p = sigmoid(baseline + share * residual);
      slope += residual * (p - (label[at] as number));
      curvature += residual * residual * p * (1 - p);
    }
    const next = Math.min(MAX_SHARE, Math.max(0, share - slope / curvature));
    if (Math.abs(next - share) < 1e-12) break;
    share = next;
  }
  return share;
}

export function withShares(out: OutOfFold, shareOf: (at: number) => number): OutOfFold {
  return {
    ...out,
    logit: out.logit.map((logit, at) => {
      const baseline = out.baselineLogit[at] as number;
      return baseline + shareOf(at) * (logit - baseline);
    }),
  };
}

/** Shares for each fold, fitted on the others, so that no row helps to judge itself; with one fold there are no others, and all are 1. */
export function crossShares(out: OutOfFold): readonly ResidualShares[] {
  const folds = foldCount(out);
  return Array.from({ length: folds }, (_, fold) =>
    folds === 1 ? BUCKET_NAMES.map(() => 1) : fitResidualShares(out, (at) => out.fold[at] !== fold),
  );
}

/**
 * Heads whose network did not beat the EWMA logistic on left-out rows: Brier skill or AUC difference at or below 0. Where a head has no
 * rows it cannot be said to have beaten anything.
 */
export function headsBelowBaseline(rows: RowSet, scores: Scores, random: Random): Set<number> {
  const below = BUCKET_NAMES.map((_, head) => head).filter((head) => {
    const members = entriesOf(scores, (row) => rows.head[row] === head);
    const { intervals } = compareScores(rows, scores, 'ewma', members, random);
    return !(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0);
  });
  return new Set(below);
}

/** The shares with 0 for these heads: there the EWMA logistic answers alone. */
export function zeroedShares(shares: ResidualShares, heads: ReadonlySet<number>): ResidualShares {
  return shares.map((share, head) => (heads.has(head) ? 0 : share));
}

/** The shares put into the weights: the residual is linear in its output kernel and bias. */
export function scaleResiduals(weights: WeightArrays, { heads }: NetworkSpec, shares: ResidualShares): WeightArrays {
  const scaled = (values: Float32Array): Float32Array => values.map((value, at) => value * (shares[at % heads] ?? 1) + 0);
  return {
    ...weights,
    'opportunity/kernel': scaled(weights['opportunity/kernel']),
    'opportunity/bias': scaled(weights['opportunity/bias']),
  };
}
