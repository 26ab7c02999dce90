import type { Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/model/NetworkSpec.ts';
import type { RowSet } from '../data/RowSet.ts';
import { scoresOutOfFold, type OutOfFold } from './outOfFold.ts';
import { compareScores, entriesOf } from './Scores.ts';

/**
 * Heads whose network did not beat the EWMA logistic on left-out rows: Brier skill or AUC difference at or below 0. Where a head has no
 * rows it cannot be said to have beaten anything.
 */
export function headsBelowBaseline(rows: RowSet, out: OutOfFold, random: Random): Set<number> {
  const scores = scoresOutOfFold(out);
  const below = BUCKET_NAMES.map((_, head) => head).filter((head) => {
    const { intervals } = compareScores(
      rows,
      scores,
      'ewma',
      entriesOf(scores, (row) => rows.head[row] === head),
      random,
    );
    return !(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0);
  });
  return new Set(below);
}

/** The same predictions with the residual of these heads at zero: the EWMA logistic alone. */
export function zeroResiduals(out: OutOfFold, heads: ReadonlySet<number>): OutOfFold {
  return { ...out, logit: out.logit.map((logit, at) => (heads.has(out.head[at] as number) ? (out.baselineLogit[at] as number) : logit)) };
}
