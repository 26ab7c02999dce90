import { clusterBootstrapAll } from '../../src/engine/scoring/clusterBootstrap.ts';
import { signedText as signed } from '../../src/engine/scoring/conclusions.ts';
import { type BarHead, barHeadName } from '../../src/engine/model/BarModel.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { ownRates } from '../evaluation/fitHeads.ts';
import { auc } from '../metrics/auc.ts';
import { LEAST_WINDOWS } from '../metrics/decision.ts';
import { ece, expectedEce } from '../metrics/probability.ts';
import type { BarAnswer } from './evaluateBars.ts';
import { BAR_CELLS } from './fitBars.ts';

/** Head of the column of cells. */
const CELL = 'bars / horizon';

/** Answers of one series by a model that was fitted without its group. */
export type SeriesAnswers = {
  readonly name: string;
  readonly group: string;
  /** false: it took no part in any fit or cut. */
  readonly trains: boolean;
  readonly answers: readonly BarAnswer[];
};

type BarTable = { readonly title: string; readonly head: readonly string[]; readonly lines: readonly (readonly string[])[] };

/** The answers of one period and horizon, of all series. */
type MarkCell = { readonly name: string; readonly cut: number | null; readonly rows: readonly Row[] };

/** With history: so many earlier days. */
const HISTORY_DAYS = 5;
const DAY_MS = 86_400_000;
const DRAWS = 400;
const SIGHTS = ['window alone', 'with memory'] as const;

/** `rate`: how often the moves of its series at its period and horizon were above the threshold. */
type Row = BarAnswer & { readonly of: number; readonly rate: number };

/** Ratio of two sums over rows, with its interval by day and series. */
function ratioByDay(rows: readonly Row[], of: (row: Row, at: number) => readonly [number, number]) {
  const sums = new Map<number, [number, number]>();
  rows.forEach((row, i) => {
    const day = Math.floor(row.endMs / DAY_MS) * 64 + row.of;
    const [above, below] = sums.get(day) ?? [0, 0];
    const [a, b] = of(row, i);
    sums.set(day, [above + a, below + b]);
  });
  const days = [...sums.values()];
  const sumOf = (weights: Float64Array, at: 0 | 1): number => days.reduce((sum, day, i) => sum + weights[i] * day[at], 0);
  return clusterBootstrapAll(Int32Array.from(days.keys()), (weights) => ({ ratio: sumOf(weights, 0) / sumOf(weights, 1) }), {
    draws: DRAWS,
    random: seededRandom(1),
  }).ratio;
}

/** Fraction of the windows that are marked, how many of the marks came true, and that over the base rates of their series. */
function marked(rows: readonly Row[], cut: number, of: (row: Row) => number): string[] {
  const marks = rows.filter((row) => of(row) >= cut);
  if (marks.length === 0) return ['0 %', '', ''];
  const { estimate, lower95, upper95 } = ratioByDay(marks, ({ y, rate }) => [y, rate]);
  const hits = marks.filter(({ y }) => y === 1).length;
  return [
    `${((100 * marks.length) / rows.length).toFixed(1)} %`,
    (hits / marks.length).toFixed(3),
    `${estimate.toFixed(2)} (${lower95.toFixed(2)} to ${upper95.toFixed(2)})`,
  ];
}

/** The rows of a series; those of one period and horizon have one base rate. */
function ratedRows({ answers }: SeriesAnswers, of: number): Row[] {
  const cells = answers.map(({ periodMs, horizonMs }) => periodMs * 1e9 + horizonMs);
  const rates = ownRates(
    cells,
    Uint8Array.from(answers, ({ y }) => y),
  );
  return answers.map((answer, i) => ({ ...answer, of, rate: rates[i] }));
}

/** What the cuts mark of the series that `use` accepts. */
function marksTable(title: string, cells: readonly MarkCell[], use: (row: Row) => boolean): BarTable {
  return {
    title,
    head: [CELL, 'cut', 'base rate', ...SIGHTS.flatMap((sight) => [`${sight}: marked`, 'precision', 'over the base rates (95 %, by day)'])],
    lines: cells.flatMap(({ name, cut, rows }) => {
      const some = rows.filter(use);
      if (cut === null || some.length === 0) return [];
      const known = some.filter(({ days }) => days >= HISTORY_DAYS);
      const rate = some.reduce((sum, { y }) => sum + y, 0) / some.length;
      return [
        [name, String(cut), rate.toFixed(3), ...marked(some, cut, ({ window }) => window), ...marked(known, cut, ({ history }) => history)],
      ];
    }),
  };
}

/** The series with the most marks at each cut, of those that count for it. */
function mostMarkedTable(title: string, cells: readonly MarkCell[], series: readonly { readonly name: string }[]): BarTable {
  return {
    title,
    head: [CELL, 'cut', 'series', ...SIGHTS],
    lines: cells.flatMap(({ name, cut, rows }) => {
      if (cut === null) return [];
      const own = series.map((_, at) => rows.filter((row) => row.of === at));
      const counted = own.filter(({ length }) => length >= LEAST_WINDOWS);
      const most = (value: (row: Row) => number): string => {
        const shares = own.map((some) => (some.length < LEAST_WINDOWS ? -1 : some.filter((row) => value(row) >= cut).length / some.length));
        const share = Math.max(...shares);
        return share < 0 ? '' : `${(100 * share).toFixed(1)} % (${series[shares.indexOf(share)].name})`;
      };
      return [[name, String(cut), String(counted.length), most(({ window }) => window), most(({ history }) => history)]];
    }),
  };
}

/** Fewest outcomes of a series for a line of coverage. */
const LEAST_OUTCOMES = 300;
const ECE_DRAWS = 10;

/** Brier skill over the three variances with its interval by day, AUC and ECE. */
function compared(rows: readonly Row[], of: (row: Row) => number): string[] {
  const [p, base] = [Float64Array.from(rows, of), Float64Array.from(rows, ({ baseline }) => baseline)];
  const y = Uint8Array.from(rows, (row) => row.y);
  const ratio = ratioByDay(rows, (_, i) => [(p[i] - y[i]) ** 2, (base[i] - y[i]) ** 2]);
  const skill = { estimate: 1 - ratio.estimate, lower95: 1 - ratio.upper95, upper95: 1 - ratio.lower95 };
  return [
    ...[String(rows.length), String(ratio.clusters), `${signed(skill.estimate)} (${signed(skill.lower95)} to ${signed(skill.upper95)})`],
    ...[`${auc(base, y).toFixed(3)} / ${auc(p, y).toFixed(3)}`],
    ...[`${ece(p, y).toFixed(4)} / ${expectedEce(p, seededRandom(1), ECE_DRAWS).toFixed(4)}`, ece(base, y).toFixed(4)],
  ];
}

/** The tables of a card and of the page. `heads`: those whose cuts decide. */
export function barTables(series: readonly SeriesAnswers[], heads: readonly BarHead[]): BarTable[] {
  const rows = series.flatMap(ratedRows);
  const cells = BAR_CELLS.map(([periodS, horizonS]) => ({
    name: barHeadName({ periodS, horizonS }),
    cut: heads.find((head) => head.periodS === periodS && head.horizonS === horizonS)?.cut ?? null,
    rows: rows.filter(({ periodMs, horizonMs }) => periodMs === periodS * 1000 && horizonMs === horizonS * 1000),
  }));
  const head = [
    ...[CELL, 'origins', 'days', 'Brier skill over three EWMAs (95 %, by day)', 'AUC of EWMAs / of bars'],
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
    mostMarkedTable('Most of the windows of one series that are marked', cells, series),
    marksTable('Marks, series that took no part in any fit', cells, ({ of }) => !series[of].trains),
    marksTable('Marks, groups left out of the fit, whose answers have chosen the cuts', cells, ({ of }) => series[of].trains),
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
