import { seededRandom, type Random } from '../../src/core/Random.ts';
import { type RowSet, isOpportunity } from '../data/RowSet.ts';
import { comparePaired, type PairedComparison, pairedIntervals, type PairedIntervals, type PairedRows } from '../metrics/comparePaired.ts';

/** Clusters of rows for the bootstrap: instrument and span of `spanUs` (an hour, a day), numbered from 0 in order of appearance. */
export function instrumentClusters(rows: RowSet, members: ArrayLike<number>, spanUs: number): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(members, (row) => {
    const key = `${rows.instrument[row]}/${Math.floor((rows.originUs[row] as number) / spanUs)}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** Probabilities for the same test rows at their default threshold, one entry per row. */
export type Scores = {
  /** Indices of the test rows. */
  readonly row: Int32Array;
  readonly candidate: Float64Array;
  /** The EWMA volatility logistic, fitted on training rows only; as served, with slope and intercept of its series. */
  readonly ewma: Float64Array;
  /** The base rate so far of its series and horizon; null: only windows alone are compared. */
  readonly baseRate: Float64Array | null;
  /** The version that the candidate would replace; null if there is none. */
  readonly served: Float64Array | null;
  /** Direction logit of the candidate; above 0 means up. */
  readonly directionLogit: Float64Array;
  /** 1 where the candidate gives a mark, by thresholds from other rows; null if there were no other rows. */
  readonly marked: Uint8Array | null;
  /** The same for the version that the candidate would replace. */
  readonly servedMarked: Uint8Array | null;
};

export type Rival = 'ewma' | 'baseRate' | 'served';

const HOUR_US = 3_600_000_000;
const CELL_STRIDE = 1_000_000;
const BOOTSTRAP_DRAWS = 400;

export const horizonOf = (rows: RowSet, row: number): number => Math.round(rows.horizonS[row] as number);
export const cellId = (instrument: number, horizonS: number): number => instrument * CELL_STRIDE + horizonS;
export const cellInstrument = (cell: number): number => Math.floor(cell / CELL_STRIDE);
export const cellHorizonS = (cell: number): number => cell % CELL_STRIDE;

/** Positions of all entries, or of those whose row `use` accepts. */
export function entriesOf(scores: Scores, use: (row: number) => boolean = () => true): Int32Array {
  return Int32Array.from(Array.from(scores.row.keys()).filter((at) => use(scores.row[at] as number)));
}

/** Only the entries of each column at these positions. */
export function pickColumns<Columns extends Readonly<Record<string, Float64Array | Int32Array | Uint8Array | null>>>(
  columns: Columns,
  at: Int32Array,
): Columns {
  const picked = Object.entries(columns).map(([name, column]) => {
    if (column === null) return [name, null];
    const entries = column.slice(0, at.length);
    at.forEach((from, to) => (entries[to] = column[from]));
    return [name, entries];
  });
  return Object.fromEntries(picked) as Columns;
}

/** Compares the candidate with a rival on the entries at `members`. Throws RangeError if the rival has no probabilities. */
export function compareScores(rows: RowSet, scores: Scores, rival: Rival, members: Int32Array, random: Random): PairedComparison {
  return comparePaired(pairedRows(rows, scores, rival, members), { random, draws: BOOTSTRAP_DRAWS });
}

/** The intervals of {@link compareScores} alone; without `random`, the estimates alone. */
export function boundScores(rows: RowSet, scores: Scores, rival: Rival, members: Int32Array, random?: Random): PairedIntervals {
  const options = random === undefined ? { random: seededRandom(0), draws: 0 } : { random, draws: BOOTSTRAP_DRAWS };
  return pairedIntervals(pairedRows(rows, scores, rival, members), options);
}

function pairedRows(rows: RowSet, scores: Scores, rival: Rival, members: Int32Array): PairedRows {
  const base = scores[rival];
  if (base === null) throw new RangeError(`pairedRows: no probabilities of ${rival}`);
  const rowAt = members.map((at) => scores.row[at] as number);
  return {
    p: Float64Array.from(members, (at) => scores.candidate[at] as number),
    pBase: Float64Array.from(members, (at) => base[at] as number),
    y: labelsOf(rows, rowAt),
    cluster: instrumentClusters(rows, rowAt, HOUR_US),
    day: instrumentClusters(rows, rowAt, 24 * HOUR_US),
    cell: Int32Array.from(rowAt, (row) => cellId(rows.instrument[row] as number, horizonOf(rows, row))),
    absMove: Float64Array.from(rowAt, (row) => Math.abs(rows.move[row] as number)),
  };
}

export function labelsOf(rows: RowSet, index: ArrayLike<number>): Uint8Array {
  return Uint8Array.from(index, (row) => isOpportunity(rows, row));
}
