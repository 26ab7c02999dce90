import { type Interval, MIN_CLUSTERS } from '../../src/engine/scoring/clusterBootstrap.ts';
import { signedText as signed } from '../../src/engine/scoring/conclusions.ts';
import type { Differences, PairedComparison } from './comparePaired.ts';

/** Headers of the columns. */
export type ComparisonNames = { readonly model: string; readonly base: string };

/** A comparison as a table; the first row is the header. Intervals are 95 % two-sided; "≥" is the one-sided lower 90 % bound that the gate uses. */
export function comparisonRows(comparison: PairedComparison, names: ComparisonNames = { model: 'model', base: 'EWMA' }): string[][] {
  const { intervals, cellAuc, cells, cellsSeen, dayIntervals, topDecileMove } = comparison;
  const pair = (what: string, of: { model: number; base: number }, digits: number): string[] => [
    what,
    fixed(of.base, digits),
    fixed(of.model, digits),
    signed(of.model - of.base, digits),
  ];
  return [
    ['', names.base, names.model, 'difference'],
    ['AUC, pooled', within(intervals.aucBase), within(intervals.aucModel), bounded(intervals.aucDifference)],
    [
      `AUC, mean of ${cells.length} of ${cellsSeen} cells`,
      fixed(cellAuc.base, 3),
      fixed(cellAuc.model, 3),
      bounded(intervals.cellAucDifference),
    ],
    ['Brier skill', '0', signed(intervals.brierSkill.estimate, 4), bounded(intervals.brierSkill)],
    pair('log-loss', comparison.logLoss, 4),
    pair(`ECE (a perfect model shows ${fixed(comparison.expectedEce, 3)})`, comparison.ece, 4),
    ...comparison.precision.map((p) => pair(`precision at ${Math.round(p.coverage * 100)} % coverage`, p, 3)),
    pair('mean move of the top tenth, over the mean', topDecileMove, 2),
    ...(dayIntervals === null ? [] : dayRows(dayIntervals)),
  ];
}

/** Notes below the table: origins, base rate, clusters, and whether these are too few. */
export function comparisonNotes(comparison: PairedComparison): string[] {
  const { n, baseRate, clusters, isUnderpowered } = comparison;
  const why = clusters < MIN_CLUSTERS ? `fewer than ${MIN_CLUSTERS} clusters` : 'the interval is wide';
  return [
    `${n} origins, base rate ${fixed(baseRate, 3)}, ${clusters} clusters of (instrument, hour).`,
    ...(isUnderpowered ? [`Underpowered: ${why}.`] : []),
  ];
}

/** Rows of texts as a Markdown table; the first row is the header. With `numeric`, all columns after the first are right-aligned. */
export function markdownTable(rows: readonly (readonly string[])[], numeric = false): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(head.map((_, i) => (numeric && i > 0 ? '---:' : '---'))), ...body.map(line)];
}

function dayRows(intervals: Differences): string[][] {
  const over = `over ${intervals.aucDifference.clusters} days`;
  return [
    [`AUC, pooled, ${over}`, '', '', bounded(intervals.aucDifference)],
    [`AUC, cells, ${over}`, '', '', bounded(intervals.cellAucDifference)],
    [`Brier skill, ${over}`, '', '', bounded(intervals.brierSkill)],
  ];
}

/** A number; `–` if it is not finite. */
export function fixed(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

function within({ estimate, lower95, upper95 }: Interval): string {
  return `${fixed(estimate, 3)} (${fixed(lower95, 3)} to ${fixed(upper95, 3)})`;
}

function bounded({ estimate, lower95, upper95, lower90OneSided }: Interval): string {
  return `${signed(estimate, 4)} (${signed(lower95, 4)} to ${signed(upper95, 4)}; ≥ ${signed(lower90OneSided, 4)})`;
}
