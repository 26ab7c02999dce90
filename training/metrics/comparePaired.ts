import { groupBy } from '../../src/core/groupBy.ts';
import type { Random } from '../../src/core/Random.ts';
import { auc, preparedAuc } from './auc.ts';
import { clusterBootstrapAll, type Interval, MIN_CLUSTERS, MIN_DAYS } from '../../src/engine/scoring/clusterBootstrap.ts';
import { ece, expectedEce, logLoss, precisionAtCoverage, topMean } from './probability.ts';

/** Columns of n rows: a candidate and a base (EWMA, or the version it would replace) on the same origins. */
export type PairedRows = {
  /** Probabilities of candidate and base. */
  readonly p: Float64Array;
  readonly pBase: Float64Array;
  readonly y: Uint8Array;
  /** Id of (instrument, hour). */
  readonly cluster: Int32Array;
  /** Id of (instrument, horizon). */
  readonly cell: Int32Array;
  /** Id of (instrument, day): intervals over these are added if there are at least 10. */
  readonly day: Int32Array;
  /** |ln exit − ln entry|, for the move of the most probable tenth. */
  readonly absMove: Float64Array;
};

type Pair = { readonly model: number; readonly base: number };

type CellAuc = Pair & { readonly cell: number; readonly n: number; readonly positives: number };

/** The compared figures, each with its interval. */
export type Differences = Record<'aucModel' | 'aucBase' | 'aucDifference' | 'cellAucDifference' | 'brierSkill', Interval>;

/** The part that a line of a table needs. */
export type PairedIntervals = {
  readonly n: number;
  readonly baseRate: number;
  readonly clusters: number;
  /** Over (instrument, hour). */
  readonly intervals: Differences;
  /** Too few clusters, or an interval of the AUC difference that is too wide. */
  readonly isUnderpowered: boolean;
  /** Number of cells that count. */
  readonly countedCells: number;
};

export type PairedComparison = PairedIntervals & {
  /** Over (instrument, day), if there are at least 10 of them. */
  readonly dayIntervals: Differences | null;
  /** Mean over the counted cells; NaN if none counts. */
  readonly cellAuc: Pair;
  /** Counted cells, by id. */
  readonly cells: readonly CellAuc[];
  /** Number of all cells, counted or not. */
  readonly cellsSeen: number;
  readonly logLoss: Pair;
  readonly ece: Pair;
  /** ECE of a perfect model with these probabilities on as many rows. */
  readonly expectedEce: number;
  readonly precision: readonly (Pair & { readonly coverage: number })[];
  /** Mean |move| of the most probable tenth over the mean of all. */
  readonly topDecileMove: Pair;
};

export type CompareOptions = {
  readonly random: Random;
  /** Draws of the intervals, by default 400; 0 for the estimates alone. */
  readonly draws?: number;
};

/** Fewest rows of a cell that counts, and fewest of each class. */
const MIN_CELL_ROWS = 300;
const MIN_CELL_OF_EACH_CLASS = 40;
const COVERAGES = [0.01, 0.05, 0.1, 0.2] as const;
/** A table is underpowered from this half width of the 95 % interval of the pooled AUC difference. */
const WIDE_AUC_DIFFERENCE = 0.02;

/**
 * Compares candidate and base on the same rows, with paired cluster-bootstrap intervals (docs/explanation/evaluation.md, "Intervals").
 * Pooled AUC and Brier skill (1 − BS/BS of the base) weight all rows equally, the cell AUC all counted cells.
 */
export function comparePaired(rows: PairedRows, options: CompareOptions): PairedComparison {
  const { p, pBase, y, cell, day, absMove } = rows;
  requireSameLengths(rows);
  const n = y.length;
  const { counted, seen } = countedCells(rows);
  const statistics = statisticsOf(rows, counted);
  const ofHours = intervalsOf(rows, statistics, counted.length, options);
  const dayIntervals = new Set(day).size >= MIN_DAYS ? clusterBootstrapAll(day, statistics, options) : null;
  const pair = (score: (q: Float64Array) => number): Pair => ({ model: score(p), base: score(pBase) });
  const cells = counted.map((members): CellAuc => {
    const labels = take(y, members);
    return {
      cell: cell[members[0]],
      n: members.length,
      positives: labels.reduce((sum, label) => sum + label, 0),
      ...pair((q) => auc(take(q, members), labels)),
    };
  });
  const meanMove = absMove.reduce((sum, move) => sum + move, 0) / n;
  return {
    ...ofHours,
    dayIntervals,
    cellAuc: { model: mean(cells.map((c) => c.model)), base: mean(cells.map((c) => c.base)) },
    cells,
    cellsSeen: seen,
    logLoss: pair((q) => logLoss(q, y)),
    ece: pair((q) => ece(q, y)),
    expectedEce: expectedEce(p, options.random),
    precision: COVERAGES.map((coverage) => ({ coverage, ...pair((q) => precisionAtCoverage(q, y, coverage)) })),
    topDecileMove: pair((q) => topMean(q, absMove, 0.1) / meanMove),
  };
}

/** The intervals of {@link comparePaired} alone, in a third of its time. */
export function pairedIntervals(rows: PairedRows, options: CompareOptions): PairedIntervals {
  requireSameLengths(rows);
  const { counted } = countedCells(rows);
  return intervalsOf(rows, statisticsOf(rows, counted), counted.length, options);
}

function intervalsOf(
  { y, cluster }: PairedRows,
  statistics: PairedStatistics,
  countedCells: number,
  options: CompareOptions,
): PairedIntervals {
  const intervals = clusterBootstrapAll(cluster, statistics, options);
  const { clusters, lower95, upper95 } = intervals.aucDifference;
  return {
    n: y.length,
    baseRate: y.reduce((sum, label) => sum + label, 0) / y.length,
    clusters,
    intervals,
    isUnderpowered: clusters < MIN_CLUSTERS || !(upper95 - lower95 <= 2 * WIDE_AUC_DIFFERENCE),
    countedCells,
  };
}

function requireSameLengths({ p, pBase, y, cluster, cell, day, absMove }: PairedRows): void {
  if ([p, pBase, cluster, cell, day, absMove].some((column) => column.length !== y.length)) {
    throw new RangeError(`comparePaired: the length of a column differs from ${y.length} labels`);
  }
}

/** Rows of each cell that counts, by id of the cell. */
function countedCells({ cell, y }: PairedRows): { counted: Int32Array[]; seen: number } {
  const members = groupBy(cell.keys(), (row) => cell[row]);
  const counted = [...members]
    .sort(([a], [b]) => a - b)
    .map(([, list]) => Int32Array.from(list))
    .filter((list) => {
      const positives = list.reduce((sum, row) => sum + y[row], 0);
      return list.length >= MIN_CELL_ROWS && Math.min(positives, list.length - positives) >= MIN_CELL_OF_EACH_CLASS;
    });
  return { counted, seen: members.size };
}

type PairedStatistics = (weights: Float64Array) => Record<keyof Differences, number>;

function statisticsOf({ p, pBase, y }: PairedRows, counted: readonly Int32Array[]): PairedStatistics {
  const [ofModel, ofBase] = [preparedAuc(p, y), preparedAuc(pBase, y)];
  const errors = p.map((value, row) => (value - y[row]) ** 2);
  const errorsBase = pBase.map((value, row) => (value - y[row]) ** 2);
  const perCell = counted.map((members) => ({
    members,
    weights: new Float64Array(members.length),
    model: preparedAuc(take(p, members), take(y, members)),
    base: preparedAuc(take(pBase, members), take(y, members)),
  }));
  return (weights) => {
    const [aucModel, aucBase] = [ofModel(weights), ofBase(weights)];
    const cellDifferences = perCell.map((c) => {
      for (let i = 0; i < c.members.length; i++) c.weights[i] = weights[c.members[i]];
      return c.model(c.weights) - c.base(c.weights);
    });
    return {
      aucModel,
      aucBase,
      aucDifference: aucModel - aucBase,
      brierSkill: 1 - weightedSum(errors, weights) / weightedSum(errorsBase, weights),
      // A cell without one of the classes in a draw is excluded from the mean of this draw.
      cellAucDifference: mean(cellDifferences.filter(Number.isFinite)),
    };
  };
}

function take<Column extends Float64Array | Uint8Array>(column: Column, rows: Int32Array): Column {
  const taken = column.slice(0, rows.length);
  for (let i = 0; i < rows.length; i++) taken[i] = column[rows[i]];
  return taken as Column;
}

function weightedSum(values: Float64Array, weights: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights[i] * values[i];
  return sum;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
