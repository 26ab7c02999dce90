import { CONTEXT_COLUMNS } from './columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS, SIGMA_TAUS_S } from './WindowMeasures.ts';

/** Ticks in a patch of the volatility estimate (m). */
export const PATCH_TICKS = 5;
/** Points from which q is computed. */
export const MOVE_POINTS = 512;
/** Most past origins. */
export const PAST_ORIGINS = 256;
/** Gaps below this are counted one by one for their median. */
export const COUNTED_GAP_MS = 4096;

/** All memory of a builder, so that a read allocates nothing per tick. Entries beyond the counts are from earlier reads. */
export class Workspace {
  readonly capacity: number;
  /** Distinct timestamps after the last session gap, n. The tick arrays have n entries. */
  count = 0;
  ticksBeforeGap = 0;
  medianGapMs = 0;
  /** Whole milliseconds before the origin (last one 0; Infinity follows, at which searches end), and the same in seconds. */
  readonly timesMs: Float64Array;
  readonly timesS: Float64Array;
  /** Prices as sent, and their ln relative to the last one (last one 0). */
  readonly prices: Float64Array;
  readonly logPrices: Float64Array;
  /** returns[i] = logPrices[i] - logPrices[i - 1]; returns[0] = 0. */
  readonly returns: Float64Array;
  /** Index after the last tick of each timestamp, in the window as sent. */
  readonly sentEnd: Int32Array;
  readonly scratch: Float64Array;
  /** Number of gaps of each length in ms, the last entry that of all longer ones; 0 between two windows. */
  readonly gapCounts = new Uint16Array(COUNTED_GAP_MS + 1);
  /** sigma(tau) and the mean gap in seconds under the same weights, in the order of SIGMA_TAUS_S. */
  readonly sigmas = new Float64Array(SIGMA_TAUS_S.length);
  readonly gapsS = new Float64Array(SIGMA_TAUS_S.length);
  /** |lp(t) - lp(t - H')| at the points of q, and its H' in ms; NaN: of another window. */
  readonly spans = new Float64Array(MOVE_POINTS);
  spansMs = NaN;
  /** The same, * sqrt(H / H'). */
  readonly moves = new Float64Array(MOVE_POINTS);
  /** Ticks by the first point of q at or after them, that begins or ends a move; the last entry: none is. */
  readonly startCounts = new Uint16Array(MOVE_POINTS + 1);
  readonly endCounts = new Uint16Array(MOVE_POINTS + 1);
  /** Moves of the label for past origins of the window. */
  pastCount = 0;
  readonly pastMoves = new Float64Array(PAST_ORIGINS);
  readonly sequenceRaw = new Float64Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  readonly sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  /** Duration of each patch, and its last, highest and lowest log price. */
  readonly patchMs = new Float64Array(SEQUENCE_STEPS);
  readonly patchCloses = new Float64Array(SEQUENCE_STEPS);
  readonly patchHighs = new Float64Array(SEQUENCE_STEPS);
  readonly patchLows = new Float64Array(SEQUENCE_STEPS);
  readonly contextRaw = new Float64Array(CONTEXT_COLUMNS);

  constructor(capacity: number) {
    this.capacity = capacity;
    this.timesMs = new Float64Array(capacity + 1);
    this.timesS = new Float64Array(capacity);
    this.prices = new Float64Array(capacity);
    this.logPrices = new Float64Array(capacity);
    this.returns = new Float64Array(capacity);
    this.sentEnd = new Int32Array(capacity);
    this.scratch = new Float64Array(capacity);
  }
}

/** Index of the first tick later than `timeMs` (n if there is none). */
export function firstAfter(timesMs: Float64Array, count: number, timeMs: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle] > timeMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
