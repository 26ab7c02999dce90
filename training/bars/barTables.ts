import { seededRandom } from '../../src/core/Random.ts';
import { signedText as signed } from '../../src/engine/scoring/conclusions.ts';
import { auc } from '../metrics/auc.ts';
import { ece, expectedEce } from '../metrics/probability.ts';
import { type BarHead, barHeadName } from '../../src/engine/model/BarModel.ts';
import { BAR_CELLS } from './fitBars.ts';
import {
  type BarTable,
  HISTORY_DAYS,
  marksTable,
  mostMarkedTable,
  ratedRows,
  ratioByDay,
  type Row,
  type SeriesAnswers,
} from './markTables.ts';

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
    mostMarkedTable('Most of the windows of one series that are marked', 'bars / horizon', cells, series),
    marksTable('Marks, series that took no part in any fit', 'bars / horizon', cells, ({ of }) => !series[of].trains),
    marksTable(
      'Marks, groups left out of the fit, whose answers have chosen the cuts',
      'bars / horizon',
      cells,
      ({ of }) => series[of].trains,
    ),
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
