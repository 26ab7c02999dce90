import { clusterBootstrapAll } from '../../src/engine/scoring/clusterBootstrap.ts';
import { seededRandom } from '../../src/core/Random.ts';
import { ownRates } from '../evaluation/fitHeads.ts';
import { LEAST_WINDOWS } from '../metrics/decision.ts';
import type { BarAnswer } from './evaluateBars.ts';

/** Answers of one series by a model that was fitted without its group. */
export type SeriesAnswers = {
  readonly name: string;
  readonly group: string;
  /** false: it took no part in any fit or cut. */
  readonly trains: boolean;
  readonly answers: readonly BarAnswer[];
};

export type BarTable = { readonly title: string; readonly head: readonly string[]; readonly lines: readonly (readonly string[])[] };

/** The answers of one period and horizon, of all series. */
export type MarkCell = { readonly name: string; readonly cut: number | null; readonly rows: readonly Row[] };

/** With history: so many earlier days. */
export const HISTORY_DAYS = 5;
const DAY_MS = 86_400_000;
const DRAWS = 400;
const SIGHTS = ['window alone', 'with memory'] as const;

/** `rate`: how often the moves of its series at its period and horizon were above the threshold. */
export type Row = BarAnswer & { readonly of: number; readonly rate: number };

/** Ratio of two sums over rows, with its interval by day and series. */
export function ratioByDay(rows: readonly Row[], of: (row: Row, at: number) => readonly [number, number]) {
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
export function ratedRows({ answers }: SeriesAnswers, of: number): Row[] {
  const cells = answers.map(({ periodMs, horizonMs }) => periodMs * 1e9 + horizonMs);
  const rates = ownRates(
    cells,
    Uint8Array.from(answers, ({ y }) => y),
  );
  return answers.map((answer, i) => ({ ...answer, of, rate: rates[i] }));
}

/** What the cuts mark of the series that `use` accepts. `of`: what the cells are. */
export function marksTable(title: string, of: string, cells: readonly MarkCell[], use: (row: Row) => boolean): BarTable {
  return {
    title,
    head: [of, 'cut', 'base rate', ...SIGHTS.flatMap((sight) => [`${sight}: marked`, 'precision', 'over the base rates (95 %, by day)'])],
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
export function mostMarkedTable(
  title: string,
  of: string,
  cells: readonly MarkCell[],
  series: readonly { readonly name: string }[],
): BarTable {
  return {
    title,
    head: [of, 'cut', 'series', ...SIGHTS],
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
