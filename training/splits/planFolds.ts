import type { RowSet } from '../data/RowSet.ts';
import { EMBARGO_S, TEST_FRACTION } from './splitValidation.ts';
import { walkForwardSplit, type SplitRow } from './walkForwardSplit.ts';

export type Fold = { readonly name: string; readonly train: Int32Array; readonly test: Int32Array };

/**
 * Leave one group out: the test rows of each group are predicted by a network that saw only the other groups. With a single group, its
 * later ticks are left out instead (`walkForwardSplit` with one block).
 */
export function planFolds(sources: readonly { readonly group: string }[], trainRows: RowSet, testRows: RowSet): Fold[] {
  const groups = [...new Set(sources.map(({ group }) => group))];
  const groupOf = (rows: RowSet, row: number): string => sources[rows.instrument[row] as number]?.group ?? '';
  if (groups.length > 1)
    return groups
      .map((group) => ({
        name: group,
        train: allRows(trainRows).filter((row) => groupOf(trainRows, row) !== group),
        test: allRows(testRows).filter((row) => groupOf(testRows, row) === group),
      }))
      .filter(({ test }) => test.length > 0);
  return [laterTicks(trainRows, testRows)];
}

function laterTicks(trainRows: RowSet, testRows: RowSet): Fold {
  const splitRows = (rows: RowSet): SplitRow[] =>
    [...allRows(rows)].map((row) => ({ group: 'all', tUs: rows.originUs[row] as number, horizonS: rows.horizonS[row] as number }));
  const options = { folds: 1, firstTrainFraction: 1 - TEST_FRACTION, embargoS: EMBARGO_S };
  const [fold] = walkForwardSplit([...splitRows(trainRows), ...splitRows(testRows)], options);
  if (fold === undefined) throw new Error('no fold');
  return {
    name: 'later ticks',
    train: fold.train.filter((at) => at < trainRows.count),
    test: fold.test.filter((at) => at >= trainRows.count).map((at) => at - trainRows.count),
  };
}

export function allRows(rows: RowSet): Int32Array {
  return Int32Array.from({ length: rows.count }, (_, row) => row);
}
