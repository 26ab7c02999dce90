import { groupBy } from '../../src/core/groupBy.ts';
import type { Random } from '../../src/core/Random.ts';
import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import { sortedOrder } from '../metrics/auc.ts';
import { MIN_PRECISION_RATIO } from '../metrics/decision.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { wilsonInterval } from '../../src/engine/scoring/wilsonInterval.ts';
import { signedText as signed } from '../../src/engine/scoring/conclusions.ts';
import { comparisonNotes, comparisonRows, fixed, markdownTable } from '../metrics/formatComparison.ts';
import { ECE_BINS } from '../metrics/probability.ts';
import type { ReportCell, ReportTable, PrecisionCurve, ReliabilityBin } from '../report/ReportData.ts';
import { boundScores, cellHorizonS, cellId, cellInstrument, compareScores, entriesOf, horizonOf, labelsOf, type Scores } from './Scores.ts';
import { ownRates } from './fitHeads.ts';

/** 1 where a version gives a mark: its probability at the default threshold reaches the decision threshold of its head. One entry per `row`. */
export function markRows(heads: readonly HeadManifest[], rows: RowSet, row: Int32Array, p: Float64Array): Uint8Array {
  return Uint8Array.from(row, (of, at) => {
    const head = heads[rows.head[of] as number];
    const least = head === undefined ? null : head.cut;
    return least !== null && (p[at] as number) >= least ? 1 : 0;
  });
}

export function comparisonTable(title: string, comparison: PairedComparison, names: { model: string; base: string }): ReportTable {
  const [head = [], ...rows] = comparisonRows(comparison, names);
  return { title, about: comparisonNotes(comparison).join(' '), head, rows };
}

/** Comparison with the EWMA logistic on origins with a price and on origins with a move: part of the skill is to predict that no price comes. */
export function outcomeTables(rows: RowSet, scores: Scores, random: Random, view = ''): ReportTable[] {
  const table = (title: string, use: (row: number) => boolean): ReportTable =>
    comparisonTable(`${title}${view}`, compareScores(rows, scores, 'ewma', entriesOf(scores, use), random), {
      model: 'this version',
      base: 'EWMA',
    });
  return [table('Origins with a price', (row) => rows.hasPrice[row] === 1), table('Origins with a move', (row) => rows.move[row] !== 0)];
}

/** How many windows are marked, and how many of the marks come true. */
export type MarkFigures = {
  readonly windows: number;
  readonly marks: number;
  readonly precision: number;
  /** Over the base rate of the windows, and of the marked instruments at their horizons: a cut is chosen by the latter. */
  readonly overBaseRate: number;
  readonly overOwnRates: number;
  readonly baseRate: number;
};

/** `members`: positions of the entries; default all. */
export function markFigures(rows: RowSet, scores: Scores, marked: Uint8Array, members = entriesOf(scores)): MarkFigures {
  const labels = labelsOf(rows, scores.row);
  const expected = ownRates(
    Array.from(scores.row, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))),
    labels,
  );
  const of = (column: ArrayLike<number>, at: Int32Array): number => at.reduce((sum, i) => sum + (column[i] as number), 0);
  const marks = members.filter((at) => marked[at] === 1);
  const [hits, baseRate] = [of(labels, marks), of(labels, members) / members.length];
  const precision = hits / marks.length;
  return {
    ...{ windows: members.length, marks: marks.length, precision, baseRate },
    ...{ overBaseRate: precision / baseRate, overOwnRates: hits / of(expected, marks) },
  };
}

/** Precision of the marks by horizon; no table if thresholds could not be chosen on other rows. */
export function markTables(rows: RowSet, scores: Scores, view = ''): ReportTable[] {
  const { marked } = scores;
  if (marked === null) return [];
  const line = (name: string, members: Int32Array): string[] => [name, ...markCells(markFigures(rows, scores, marked, members))];
  return [
    {
      title: `Marks${view}`,
      about: `Thresholds were chosen on other rows. The last column divides by the base rate of the marked instruments at that horizon; a threshold must reach ${MIN_PRECISION_RATIO} on the rows where it is chosen.`,
      head: ['horizon (s)', ...MARK_HEAD],
      rows: linesByHorizon(rows, scores, line),
    },
  ];
}

const MARK_HEAD = ['origins', 'base rate', 'marked', 'precision', 'over the base rate', 'over their own base rates'] as const;

const markCells = ({ windows, baseRate, marks, precision, overBaseRate, overOwnRates }: MarkFigures): string[] => [
  ...[String(windows), fixed(baseRate, 3), `${fixed((100 * marks) / windows, 1)} %`],
  ...[fixed(precision, 3), fixed(overBaseRate, 2), fixed(overOwnRates, 2)],
];

/** What a caller sees of marks, in a sentence. */
export const marksText = (name: string, { marks, windows, precision, overOwnRates, baseRate }: MarkFigures): string =>
  `${name}: ${fixed((100 * marks) / windows, 1)} % of the windows marked, ${marks === 0 ? 'no precision' : `precision ${fixed(precision, 3)}, ${fixed(overOwnRates, 2)} times the base rates of its instruments`} (base rate ${fixed(baseRate, 3)}).`;

/** A line for all entries, then one for each horizon. */
function linesByHorizon(rows: RowSet, scores: Scores, line: (name: string, members: Int32Array) => string[]): string[][] {
  const horizons = [...new Set(scores.row.map((row) => horizonOf(rows, row)))].sort((a, b) => a - b);
  const ofHorizon = (horizonS: number): Int32Array => entriesOf(scores, (row) => horizonOf(rows, row) === horizonS);
  return [line('all', entriesOf(scores)), ...horizons.map((horizonS) => line(String(horizonS), ofHorizon(horizonS)))];
}

/** A table as Markdown: title in bold, rows, notes. */
export function tableText({ title, about, head, rows }: ReportTable): string {
  const table = rows.length === 0 ? [] : ['', ...markdownTable([head, ...rows])];
  return [`**${title}**`, ...table, ...(about === '' ? [] : ['', about])].join('\n');
}

/** One line per group of rows: the candidate compared with the EWMA logistic and, if there is one, with the served version. */
export function groupTable(
  title: string,
  about: string,
  rows: RowSet,
  scores: Scores,
  random: Random,
  nameOf: (row: number) => string | number,
): ReportTable {
  const names = groupBy(scores.row.keys(), (at) => nameOf(scores.row[at]));
  const ordered = [...names].sort(([a], [b]) => String(a).localeCompare(String(b), 'en', { numeric: true }));
  const lines = ordered.map(([name, list]) => {
    const members = Int32Array.from(list);
    const ewma = boundScores(rows, scores, 'ewma', members, random);
    const served = scores.served === null ? null : boundScores(rows, scores, 'served', members);
    const { aucBase, aucModel, aucDifference, brierSkill } = ewma.intervals;
    return [
      String(name),
      String(ewma.n),
      fixed(ewma.baseRate, 3),
      fixed(aucBase.estimate, 3),
      fixed(aucModel.estimate, 3),
      `${signed(aucDifference.estimate, 4)} (≥ ${signed(aucDifference.lower90OneSided, 4)})`,
      `${signed(brierSkill.estimate, 4)} (≥ ${signed(brierSkill.lower90OneSided, 4)})`,
      ...(served === null ? [] : [signed(served.intervals.aucDifference.estimate, 4)]),
      ewma.isUnderpowered ? 'underpowered' : '',
    ];
  });
  const ofServed = scores.served === null ? [] : ['AUC against the served version'];
  return {
    title,
    about,
    head: ['', 'origins', 'base rate', 'AUC EWMA', 'AUC', 'AUC difference', 'Brier skill', ...ofServed, ''],
    rows: lines,
  };
}

/** Every cell, instrument × horizon, counted or not. */
export function reportCells(rows: RowSet, scores: Scores, names: readonly string[]): ReportCell[] {
  const ids = [...new Set(scores.row.map((row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))))].sort((a, b) => a - b);
  return ids.map((id) => {
    const members = entriesOf(scores, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row)) === id);
    const ewma = boundScores(rows, scores, 'ewma', members);
    const served = scores.served === null ? null : boundScores(rows, scores, 'served', members);
    return {
      instrument: names[cellInstrument(id)] ?? '',
      horizonS: cellHorizonS(id),
      n: ewma.n,
      baseRate: ewma.baseRate,
      candidate: ewma.intervals.aucModel.estimate,
      ewma: ewma.intervals.aucBase.estimate,
      served: served === null ? null : served.intervals.aucBase.estimate,
      counts: ewma.countedCells > 0,
    };
  });
}

/** Bins of equal mass by probability: mean probability and observed fraction, with its two-sided 90 % Wilson interval. */
export function reliabilityBins(p: Float64Array, y: Uint8Array, bins = ECE_BINS): ReliabilityBin[] {
  const order = sortedOrder(p);
  return Array.from({ length: bins }, (_, bin) => {
    const members = order.subarray(Math.floor((bin * p.length) / bins), Math.floor(((bin + 1) * p.length) / bins));
    const hits = members.reduce((sum, row) => sum + (y[row] as number), 0);
    const mean = members.reduce((sum, row) => sum + (p[row] as number), 0) / members.length;
    const [low, high] = wilsonInterval(hits, members.length);
    return { p: mean, rate: hits / members.length, low, high, n: members.length };
  }).filter(({ n }) => n > 0);
}

/** What the curves of a report show of named probabilities, the candidate first, for rows with these labels. */
export function reportFigures(labels: Uint8Array, named: readonly { readonly name: string; readonly p: Float64Array }[]) {
  return {
    reliability: named.map(({ name, p }) => ({ name, bins: reliabilityBins(p, labels) })),
    precision: named.map(({ name, p }) => precisionCurve(name, p, labels)),
    baseRate: labels.reduce((sum, label) => sum + label, 0) / labels.length,
  };
}

/** Coverages of the curve: the smallest has at least 20 rows. */
const POINTS = 60;
const MIN_ROWS = 20;

/** Precision of the most probable rows, from the first few to all. */
export function precisionCurve(name: string, p: Float64Array, y: Uint8Array): PrecisionCurve {
  const order = sortedOrder(p).reverse();
  const n = order.length;
  const hits = new Float64Array(n + 1);
  order.forEach((row, rank) => (hits[rank + 1] = (hits[rank] as number) + (y[row] as number)));
  const least = Math.min(n, MIN_ROWS) / Math.max(1, n);
  const counts = Array.from({ length: POINTS + 1 }, (_, i) => Math.round(n * least ** (1 - i / POINTS)));
  const points = [...new Set(counts)]
    .filter((count) => count > 0)
    .map((count) => ({ coverage: count / n, precision: (hits[count] as number) / count }));
  return { name, points };
}
