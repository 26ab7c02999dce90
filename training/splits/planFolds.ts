import type { Instrument } from '../data/Instrument.ts';
import type { RowSet } from '../data/RowSet.ts';

export type Fold = { readonly name: string; readonly train: Int32Array; readonly test: Int32Array };

/** Share of the time span that a single group's test takes, and the pause before it. */
const TEST_SHARE = 0.3;
const EMBARGO_S = 600;

/**
 * Leave one group out: each group's test rows are predicted by a network that saw only the other groups. With a single group, its later
 * ticks are left out instead: training labels end before the cut (purge), test origins begin `EMBARGO_S` after it.
 */
export function planFolds(instruments: readonly Instrument[], trainRows: RowSet, testRows: RowSet): Fold[] {
  const groups = [...new Set(instruments.map(({ group }) => group))];
  const groupOf = (rows: RowSet, row: number): string => instruments[rows.instrument[row] as number]?.group ?? '';
  if (groups.length > 1)
    return groups
      .map((group) => ({
        name: group,
        train: allRows(trainRows).filter((row) => groupOf(trainRows, row) !== group),
        test: allRows(testRows).filter((row) => groupOf(testRows, row) === group),
      }))
      .filter(({ test }) => test.length > 0);
  const cutUs = cutOf(instruments);
  const labelEndUs = (row: number): number => (trainRows.originUs[row] as number) + (trainRows.horizonS[row] as number) * 1e6;
  return [
    {
      name: 'later ticks',
      train: allRows(trainRows).filter((row) => labelEndUs(row) < cutUs),
      test: allRows(testRows).filter((row) => (testRows.originUs[row] as number) >= cutUs + EMBARGO_S * 1e6),
    },
  ];
}

export function allRows(rows: RowSet): Int32Array {
  return Int32Array.from({ length: rows.count }, (_, row) => row);
}

function cutOf(instruments: readonly Instrument[]): number {
  const first = Math.min(...instruments.map(({ series }) => series.timesUs[0] as number));
  const last = Math.max(...instruments.map(({ series }) => series.timesUs[series.timesUs.length - 1] as number));
  return last - (last - first) * TEST_SHARE;
}
