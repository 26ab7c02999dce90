import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { sigmoid } from '../metrics/logistic.ts';
import type { Scores } from './Scores.ts';
import { fitHeads } from './fitHeads.ts';
import { markRows } from './scoreTables.ts';
import { foldCount, type OutOfFold } from './outOfFold.ts';
import { withoutResiduals } from './residuals.ts';

/**
 * Probabilities at the default threshold, one per row of `predicted.index`, with the calibration of the row's head. Throws RangeError for a
 * missing head.
 */
export function calibratedProbabilities(heads: readonly HeadManifest[], rows: RowSet, predicted: PredictedRows): Float64Array {
  const { index, draws, baseline, residual } = predicted;
  return Float64Array.from(index, (row, i) => {
    const head = heads[rows.head[row] as number];
    if (head === undefined)
      throw new RangeError(`calibratedProbabilities: row ${row} has head ${rows.head[row]}; there are ${heads.length} heads`);
    const { slope, intercept } = head.calibration;
    return sigmoid(slope * ((baseline[i * draws] as number) + (residual[i * draws] as number)) + intercept);
  });
}

const NONE: ReadonlySet<number> = new Set();

export type ScoreOptions = {
  /** Heads that answer with the EWMA logistic. */
  readonly zeroed?: ReadonlySet<number>;
  /** Predictions that thresholds are fitted on; default: the evaluated ones. */
  readonly fitted?: OutOfFold;
};

/**
 * Scores of a base on rows that it never saw, at the default threshold, as a user in a new market would get them: the decision thresholds
 * of each fold come from the other folds.
 */
export function scoresOutOfFold(rows: RowSet, out: OutOfFold, { zeroed = NONE, fitted = out }: ScoreOptions = {}): Scores {
  const { logit } = withoutResiduals(out, zeroed);
  const entries = Int32Array.from(out.row.keys()).filter((entry) => out.draw[entry] === 0);
  const row = entries.map((entry) => out.row[entry] as number);
  const candidate = Float64Array.from(entries, (entry) => sigmoid(logit[entry] as number));
  return {
    row,
    candidate,
    ewma: Float64Array.from(entries, (entry) => sigmoid(out.baselineLogit[entry] as number)),
    baseRate: null,
    served: null,
    servedMarked: null,
    directionLogit: Float64Array.from(entries, (entry) => out.directionLogit[entry] as number),
    marked: marksOutOfFold(rows, out, { zeroed, fitted })(candidate),
  };
}

/** Marks of probabilities at the default threshold by cuts of the other folds; null: there is one fold. */
export const marksOutOfFold =
  (rows: RowSet, out: OutOfFold, { zeroed = NONE, fitted = out }: ScoreOptions = {}) =>
  (candidate: Float64Array): Uint8Array | null => {
    if (foldCount(fitted) === 1) return null;
    const entries = Int32Array.from(out.row.keys()).filter((entry) => out.draw[entry] === 0);
    const row = entries.map((entry) => out.row[entry] as number);
    return markFolds(rows, out, withoutResiduals(fitted, zeroed), { entries, row, candidate });
  };

type DefaultEntries = { readonly entries: Int32Array; readonly row: Int32Array; readonly candidate: Float64Array };

function markFolds(rows: RowSet, out: OutOfFold, fitted: OutOfFold, { entries, row, candidate }: DefaultEntries): Uint8Array {
  const ofFolds = Array.from({ length: foldCount(fitted) }, (_, fold) =>
    markRows(fitHeads(rows, fitted, { use: (at) => fitted.fold[at] !== fold }), rows, row, candidate),
  );
  return Uint8Array.from(entries, (entry, at) => ofFolds[out.fold[entry] as number]?.[at] ?? 0);
}
