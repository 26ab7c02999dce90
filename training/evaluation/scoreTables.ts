import type { Random } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { comparisonNotes, comparisonRows, fixed, markdownTable, signed } from '../metrics/formatComparison.ts';
import type { ReportCell, ReportTable } from '../report/ReportData.ts';
import { ownRates } from './fitHeads.ts';
import { cellHorizonS, cellId, cellInstrument, compareScores, entriesOf, horizonOf, labelsOf, type Scores } from './Scores.ts';

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

/** Precision of the marks by horizon; no table if thresholds could not be chosen on other rows. */
export function markTables(rows: RowSet, scores: Scores, view = ''): ReportTable[] {
  const { marked, row: rowOf } = scores;
  if (marked === null) return [];
  const labels = labelsOf(rows, rowOf);
  const expected = ownRates(
    Array.from(rowOf, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))),
    labels,
  );
  const line = (name: string, members: Int32Array): string[] => {
    const of = (column: ArrayLike<number>, at: Int32Array): number => at.reduce((sum, i) => sum + (column[i] as number), 0);
    const marks = members.filter((at) => marked[at] === 1);
    const [hits, baseRate] = [of(labels, marks), of(labels, members) / members.length];
    return [
      name,
      String(members.length),
      fixed(baseRate, 3),
      `${fixed((100 * marks.length) / members.length, 1)} %`,
      fixed(hits / marks.length, 3),
      fixed(hits / marks.length / baseRate, 2),
      fixed(hits / of(expected, marks), 2),
    ];
  };
  const horizons = [...new Set(rowOf.map((row) => horizonOf(rows, row)))].sort((a, b) => a - b);
  return [
    {
      title: `Marks${view}`,
      about:
        'Thresholds were chosen on other rows. The last column divides by the base rate of the marked instruments at that horizon; a threshold must reach 1.5 on the rows where it is chosen.',
      head: ['horizon (s)', 'origins', 'base rate', 'marked', 'precision', 'over the base rate', 'over their own base rates'],
      rows: [
        line('all', entriesOf(scores)),
        ...horizons.map((horizonS) =>
          line(
            String(horizonS),
            entriesOf(scores, (row) => horizonOf(rows, row) === horizonS),
          ),
        ),
      ],
    },
  ];
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
  const names = new Map<string | number, number[]>();
  scores.row.forEach((row, at) => {
    const name = nameOf(row);
    const list = names.get(name);
    if (list === undefined) names.set(name, [at]);
    else list.push(at);
  });
  const ordered = [...names].sort(([a], [b]) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : 1));
  const lines = ordered.map(([name, list]) => {
    const members = Int32Array.from(list);
    const ewma = compareScores(rows, scores, 'ewma', members, random);
    const served = scores.served === null ? null : compareScores(rows, scores, 'served', members, random);
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
export function reportCells(rows: RowSet, scores: Scores, names: readonly string[], random: Random): ReportCell[] {
  const ids = [...new Set(scores.row.map((row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))))].sort((a, b) => a - b);
  return ids.map((id) => {
    const members = entriesOf(scores, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row)) === id);
    const ewma = compareScores(rows, scores, 'ewma', members, random);
    const served = scores.served === null ? null : compareScores(rows, scores, 'served', members, random);
    return {
      instrument: names[cellInstrument(id)] ?? '',
      horizonS: cellHorizonS(id),
      n: ewma.n,
      baseRate: ewma.baseRate,
      candidate: ewma.intervals.aucModel.estimate,
      ewma: ewma.intervals.aucBase.estimate,
      served: served === null ? null : served.intervals.aucBase.estimate,
      counts: ewma.cells.length > 0,
    };
  });
}
