import { baselineProbabilities, fitBaselines } from '../loop/predictRows.ts';
import type { RowSet } from '../data/RowSet.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import { EMBARGO_S } from '../splits/splitValidation.ts';
import { allRows } from '../splits/planFolds.ts';
import { walkForwardSplit } from '../splits/walkForwardSplit.ts';

/** Rows of one fold: the baseline is fitted on the first set and predicts the second. */
export type BaselineFold = { readonly train: Int32Array; readonly test: Int32Array };

const BLOCKS = 5;
/** Fraction of the rows of each group that is used only for fitting. */
const FIRST_FRACTION = 0.3;

/** Blocks in time: each is predicted by a fit on all earlier rows of its group. */
export function walkForwardFolds(rows: RowSet, groupOf: (instrument: number) => string): BaselineFold[] {
  const splitRows = [...allRows(rows)].map((row) => ({
    group: groupOf(rows.instrument[row] as number),
    tUs: rows.originUs[row] as number,
    horizonS: rows.horizonS[row] as number,
  }));
  return walkForwardSplit(splitRows, { folds: BLOCKS, firstTrainFraction: FIRST_FRACTION, embargoS: EMBARGO_S });
}

/** Each group is predicted by a fit on the others; no folds if there is only one group. */
export function leaveOneGroupOutFolds(rows: RowSet, groupOf: (instrument: number) => string): BaselineFold[] {
  const groups = [...new Set([...rows.instrument].map(groupOf))];
  if (groups.length < 2) return [];
  const isOf = (row: number, group: string): boolean => groupOf(rows.instrument[row] as number) === group;
  return groups.map((group) => ({
    train: allRows(rows).filter((row) => !isOf(row, group)),
    test: allRows(rows).filter((row) => isOf(row, group)),
  }));
}

/** Probabilities of the EWMA volatility logistic at the default threshold, by row; NaN for rows that no fold tests or that have no fit. */
export function ewmaProbabilities(rows: RowSet, folds: readonly BaselineFold[]): Float64Array {
  const p = new Float64Array(rows.count).fill(NaN);
  for (const { train, test } of folds) {
    if (train.length === 0) continue;
    const found = baselineProbabilities(rows, test, fitBaselines(rows, train, BUCKET_NAMES.length));
    test.forEach((row, at) => (p[row] = found[at] as number));
  }
  return p;
}
