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

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
