import { CUT_HEAD, cutCells, payoffCells, PAYOFF_HEAD, payoffLines } from '../../engine/scoring/payoffWords.ts';
import type { PayoffTable } from '../../engine/scoring/payoff.ts';

/** What trades would have made, and the windows by smallest marked probability. */
export function payoffText(table: PayoffTable): string[] {
  return [
    ...aligned([PAYOFF_HEAD, ...payoffLines(table).map(([name, payoff]) => [name, ...payoffCells(payoff)])]),
    '',
    ...aligned([CUT_HEAD, ...table.cuts.map(cutCells)]),
  ];
}

/** Columns, the first `names` of which are to the left, and the others to the right. */
export function aligned(rows: readonly (readonly string[])[], names = Infinity): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const cellOf = (cell: string, column: number): string => (column < names ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(cellOf).join('  ').trimEnd());
}
