import { CUT_HEAD, cutCells, payoffCells, payoffLines, proposalText } from '../../engine/scoring/payoffWords.ts';
import type { CutLine, PayoffTable, Wish } from '../../engine/scoring/payoff.ts';

/** What trades would have made, and the windows by smallest marked probability. */
export function payoffText(table: PayoffTable): string[] {
  return [
    ...aligned([
      ['', 'windows', 'hits (90 % interval)', 'right direction: mean beyond the cost', 'coin'],
      ...payoffLines(table).map(([name, payoff]) => [name, ...payoffCells(payoff)]),
    ]),
    '',
    ...aligned([CUT_HEAD, ...table.cuts.map(cutCells)]),
  ];
}

export function wishText(wish: Wish, line: CutLine | null): string {
  const wanted = 'share' in wish ? `marks on ${percent(wish.share)} of the windows` : `hits in ${percent(wish.hitRate)} of the marks`;
  return proposalText(wanted, line);
}

const percent = (share: number): string => `${Number((100 * share).toFixed(1))} %`;

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
