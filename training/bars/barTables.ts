import { seededRandom } from '../../src/core/Random.ts';
import { clusterBootstrapAll } from '../../src/engine/scoring/clusterBootstrap.ts';
import { auc } from '../metrics/auc.ts';
import { ece, expectedEce } from '../metrics/probability.ts';
import { barHeadName } from '../../src/engine/model/BarModel.ts';
import type { BarAnswer } from './evaluateBars.ts';
import { BAR_CELLS } from './fitBars.ts';

/** Answers of one series by a model that was fitted without its group. */
export type SeriesAnswers = { readonly name: string; readonly group: string; readonly answers: readonly BarAnswer[] };

export type BarTable = { readonly title: string; readonly head: readonly string[]; readonly lines: readonly (readonly string[])[] };

/** With history: so many earlier days. */
const HISTORY_DAYS = 5;
const DAY_MS = 86_400_000;
/** Fewest outcomes of a series for a line of coverage. */
const LEAST_OUTCOMES = 300;
const DRAWS = 400;
const ECE_DRAWS = 10;

const signed = (value: number, digits = 4): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

type Row = BarAnswer & { readonly of: number };

/** Brier skill over the three variances with its interval by day, AUC and ECE. */
function compared(rows: readonly Row[], of: (row: Row) => number): string[] {
  const [p, base] = [Float64Array.from(rows, of), Float64Array.from(rows, ({ baseline }) => baseline)];
  const y = Uint8Array.from(rows, (row) => row.y);
  // Squared errors of ours and of the baseline, by day and series.
  const sums = new Map<number, [number, number]>();
  rows.forEach(({ endMs, of: series }, i) => {
    const day = Math.floor(endMs / DAY_MS) * 64 + series;
    const [own, other] = sums.get(day) ?? [0, 0];
    sums.set(day, [own + (p[i]! - y[i]!) ** 2, other + (base[i]! - y[i]!) ** 2]);
  });
  const days = [...sums.values()];
  const sumOf = (weights: Float64Array, at: 0 | 1): number => days.reduce((sum, day, i) => sum + weights[i]! * day[at], 0);
  const { skill } = clusterBootstrapAll(Int32Array.from(days.keys()), (weights) => ({ skill: 1 - sumOf(weights, 0) / sumOf(weights, 1) }), {
    draws: DRAWS,
    random: seededRandom(1),
  });
  return [
    ...[String(rows.length), String(skill.clusters), `${signed(skill.estimate)} (${signed(skill.lower95)} to ${signed(skill.upper95)})`],
    ...[`${auc(base, y).toFixed(3)} / ${auc(p, y).toFixed(3)}`],
    ...[`${ece(p, y).toFixed(4)} / ${expectedEce(p, seededRandom(1), ECE_DRAWS).toFixed(4)}`, ece(base, y).toFixed(4)],
  ];
}

/** The tables of a card and of the page. */
export function barTables(series: readonly SeriesAnswers[]): BarTable[] {
  const rows = series.flatMap(({ answers }, of) => answers.map((answer): Row => ({ ...answer, of })));
  const cells = BAR_CELLS.map(([periodS, horizonS]) => ({
    name: barHeadName({ periodS, horizonS }),
    rows: rows.filter(({ periodMs, horizonMs }) => periodMs === periodS * 1000 && horizonMs === horizonS * 1000),
  }));
  const head = [
    ...['bars / horizon', 'origins', 'days', 'Brier skill over three EWMAs (95 %, by day)', 'AUC of EWMAs / of bars'],
    ...['ECE / of a perfect model', 'ECE of the EWMAs'],
  ];
  const bySeries = series.flatMap(({ name }, of) => {
    const own = cells.map((cell) => cell.rows.filter((row) => row.of === of && row.days >= HISTORY_DAYS));
    if (own.every(({ length }) => length < LEAST_OUTCOMES)) return [];
    return [[name, ...own.map((some) => coverageOf(some))]];
  });
  const skillBySeries = series.flatMap(({ name, group }, of) => {
    const own = cells.map((cell) => cell.rows.filter((row) => row.of === of));
    if (own.every(({ length }) => length < LEAST_OUTCOMES)) return [];
    return [[name, group, ...own.map((some) => (some.length < LEAST_OUTCOMES ? '' : skillOf(some)))]];
  });
  return [
    {
      title: `With the memory of the series, from ${HISTORY_DAYS} earlier days on`,
      head,
      lines: cells.map(({ name, rows: some }) => [
        name,
        ...compared(
          some.filter(({ days }) => days >= HISTORY_DAYS),
          ({ history }) => history,
        ),
      ]),
    },
    { title: 'The window alone', head, lines: cells.map(({ name, rows: some }) => [name, ...compared(some, ({ window }) => window)]) },
    {
      title: `Fraction of moves within the 90 % range, with at least ${HISTORY_DAYS} earlier days and ${LEAST_OUTCOMES} outcomes`,
      head: ['series', ...cells.map(({ name }) => name)],
      lines: bySeries,
    },
    {
      title: `Brier skill with the memory of the series, of series with at least ${LEAST_OUTCOMES} outcomes`,
      head: ['series', 'group', ...cells.map(({ name }) => name)],
      lines: skillBySeries,
    },
  ];
}

function skillOf(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + (of(row) - row.y) ** 2, 0);
  return signed(1 - sum(({ history }) => history) / sum(({ baseline }) => baseline), 3);
}

function coverageOf(rows: readonly Row[]): string {
  const known = rows.filter(({ isWithin }) => isWithin !== null);
  if (known.length < LEAST_OUTCOMES) return '';
  return (known.filter(({ isWithin }) => isWithin).length / known.length).toFixed(3);
}
