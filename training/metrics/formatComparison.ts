import { type Interval, MIN_CLUSTERS } from './clusterBootstrap.ts';
import { type Differences, type PairedComparison } from './comparePaired.ts';

/** What stands at the head of the columns. */
export type ComparisonNames = { readonly model: string; readonly base: string };

/**
 * A comparison as lines of a markdown table, for model cards and the terminal. Intervals are 95 % two-sided, "≥" is the one-sided
 * lower 90 % bound that the gate reads.
 */
export function formatComparison(comparison: PairedComparison, names: ComparisonNames = { model: 'model', base: 'EWMA' }): string[] {
  const { intervals, cellAuc, cells, cellsSeen, dayIntervals, topDecileMove } = comparison;
  const row = (what: string, base: string, model: string, difference: string): string => `| ${what} | ${base} | ${model} | ${difference} |`;
  const pairRow = (what: string, pair: { model: number; base: number }, digits: number): string =>
    row(what, fixed(pair.base, digits), fixed(pair.model, digits), signed(pair.model - pair.base, digits));
  const lines = [
    row('', names.base, names.model, 'difference'),
    '| --- | --- | --- | --- |',
    row('AUC, pooled', within(intervals.aucBase), within(intervals.aucModel), bounded(intervals.aucDifference)),
    row(
      `AUC, mean of ${cells.length} of ${cellsSeen} cells`,
      fixed(cellAuc.base, 3),
      fixed(cellAuc.model, 3),
      bounded(intervals.cellAucDifference),
    ),
    row('Brier skill', '0', signed(intervals.brierSkill.estimate, 4), bounded(intervals.brierSkill)),
    pairRow('log-loss', comparison.logLoss, 4),
    pairRow(`ECE (a perfect model shows ${fixed(comparison.expectedEce, 3)})`, comparison.ece, 4),
    ...comparison.precision.map((p) => pairRow(`precision at ${Math.round(p.coverage * 100)} % coverage`, p, 3)),
    ...(topDecileMove === null ? [] : [pairRow('mean move of the top tenth, over the mean', topDecileMove, 2)]),
    ...(dayIntervals === null ? [] : dayRows(dayIntervals, row)),
    '',
    `${comparison.n} origins, base rate ${fixed(comparison.baseRate, 3)}, ${comparison.clusters} clusters of (instrument, hour).`,
  ];
  if (comparison.isUnderpowered) {
    const why = comparison.clusters < MIN_CLUSTERS ? `fewer than ${MIN_CLUSTERS} clusters` : 'the interval is wide';
    lines.push('', `Underpowered: ${why}.`);
  }
  return lines;
}

function dayRows(intervals: Differences, row: (...cells: [string, string, string, string]) => string): string[] {
  const over = `over ${intervals.aucDifference.clusters} days`;
  return [
    row(`AUC, pooled, ${over}`, '', '', bounded(intervals.aucDifference)),
    row(`AUC, cells, ${over}`, '', '', bounded(intervals.cellAucDifference)),
    row(`Brier skill, ${over}`, '', '', bounded(intervals.brierSkill)),
  ];
}

function fixed(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

function signed(value: number, digits: number): string {
  return Number.isFinite(value) ? `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}` : '–';
}

function within({ estimate, lower95, upper95 }: Interval): string {
  return `${fixed(estimate, 3)} (${fixed(lower95, 3)} to ${fixed(upper95, 3)})`;
}

function bounded({ estimate, lower95, upper95, lower90OneSided }: Interval): string {
  return `${signed(estimate, 4)} (${signed(lower95, 4)} to ${signed(upper95, 4)}; ≥ ${signed(lower90OneSided, 4)})`;
}
