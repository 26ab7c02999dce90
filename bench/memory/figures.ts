import { seededRandom } from '../../src/core/Random.ts';
import { comparePaired } from '../../training/metrics/comparePaired.ts';
import { sigmoid } from '../../training/metrics/logistic.ts';
import type { ScoredRows } from './ScoredRows.ts';

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
/** Draws of the intervals. */
const DRAWS = 100;

type Interval = { readonly estimate: number; readonly lower: number; readonly upper: number; readonly lower90: number };

/** Figures of log-odds against others on the same rows; intervals are over (series, day). */
export type MemoryFigures = {
  readonly rows: number;
  readonly days: number;
  readonly auc: Interval;
  readonly cells: number;
  readonly skill: Interval;
  readonly ece: number;
  /** Precision of the most probable tenth, less that of the others. */
  readonly precision: number;
};

export type LogitOf = (row: number) => number;

export function figuresOf(rows: ScoredRows, members: Int32Array, logit: LogitOf, rival: LogitOf, draws = DRAWS): MemoryFigures {
  const horizons = [...new Set(rows.horizonS)];
  const series = rows.series.length;
  const day = members.map((row) => Math.floor(rows.originUs[row]! / DAY_US) * series + rows.of[row]!);
  const { intervals, cellAuc, ece, precision, clusters } = comparePaired(
    {
      p: Float64Array.from(members, (row) => sigmoid(logit(row))),
      pBase: Float64Array.from(members, (row) => sigmoid(rival(row))),
      y: Uint8Array.from(members, (row) => outcomeOf(rows, row)),
      cluster: day,
      cell: members.map((row) => horizons.indexOf(rows.horizonS[row]!) * series + rows.of[row]!),
    },
    { random: seededRandom(1), draws },
  );
  const interval = ({ estimate, lower95, upper95, lower90OneSided }: (typeof intervals)['brierSkill']): Interval => ({
    ...{ estimate, lower: lower95, upper: upper95, lower90: lower90OneSided },
  });
  const tenth = precision.find(({ coverage }) => coverage === 0.1)!;
  return {
    rows: members.length,
    days: clusters,
    auc: interval(intervals.aucDifference),
    cells: cellAuc.model - cellAuc.base,
    skill: interval(intervals.brierSkill),
    ece: ece.model,
    precision: tenth.model - tenth.base,
  };
}

export const outcomeOf = (rows: ScoredRows, row: number): 0 | 1 => (Math.abs(rows.move[row]!) > rows.theta[row]! ? 1 : 0);
