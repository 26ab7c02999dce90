import type { Random } from '../../src/core/Random.ts';
import { BUCKET_NAMES } from '../../src/model/NetworkSpec.ts';
import type { RowSet } from '../data/RowSet.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { crossCalibrated, type OutOfFold } from './outOfFold.ts';
import { compareScores, type Scores } from './Scores.ts';

/**
 * Heads whose network did not beat the EWMA logistic on left-out rows: Brier skill or AUC difference at or below 0. Where a head has no
 * rows it cannot be said to have beaten anything.
 */
export function headsBelowBaseline(rows: RowSet, out: OutOfFold, random: Random): Set<number> {
  const p = crossCalibrated(out, BUCKET_NAMES.length);
  const below = BUCKET_NAMES.map((_, head) => head).filter((head) => {
    const at = Int32Array.from(out.row.keys()).filter((entry) => out.draw[entry] === 0 && out.head[entry] === head);
    const scores: Scores = {
      row: at.map((entry) => out.row[entry] as number),
      candidate: Float64Array.from(at, (entry) => p[entry] as number),
      ewma: Float64Array.from(at, (entry) => sigmoid(out.baselineLogit[entry] as number)),
      served: null,
      directionLogit: new Float64Array(at.length),
    };
    const { intervals } = compareScores(rows, scores, 'ewma', Int32Array.from(at.keys()), random);
    return !(intervals.aucDifference.estimate > 0 && intervals.brierSkill.estimate > 0);
  });
  return new Set(below);
}

/** The same predictions with the residual of these heads at zero: the EWMA logistic alone. */
export function zeroResiduals(out: OutOfFold, heads: ReadonlySet<number>): OutOfFold {
  return { ...out, logit: out.logit.map((logit, at) => (heads.has(out.head[at] as number) ? (out.baselineLogit[at] as number) : logit)) };
}
