import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../../src/engine/features/WindowMeasures.ts';

export const SEQUENCE_SIZE = SEQUENCE_STEPS * SEQUENCE_COLUMNS;

/**
 * Rows for training or evaluation, in shared memory, so that worker threads read them without a copy. Each row has D draws of the
 * threshold: draw 0 is theta*, the default. Only context and baseline depend on theta; the sequence is stored once.
 */
export type RowSet = {
  readonly count: number;
  readonly draws: number;
  /** [N, T*F] */
  readonly sequence: Float32Array;
  /** [N, D, C] */
  readonly context: Float32Array;
  /** [N, D]: ln(sigma(600) sqrt(H) / theta) */
  readonly baseline: Float32Array;
  /** [N, D]: thresholds in log price. */
  readonly theta: Float64Array;
  /** [N]: signed move from entry to exit, log price. */
  readonly move: Float64Array;
  /** [N]: theta*. */
  readonly thetaDefault: Float64Array;
  /** [N]: 1 if there was a price between entry and exit. */
  readonly hasPrice: Uint8Array;
  /** [N]: horizon bucket. */
  readonly head: Uint8Array;
  readonly horizonS: Float64Array;
  readonly windowS: Float32Array;
  readonly medianGapS: Float32Array;
  /** [N]: index of the instrument. */
  readonly instrument: Uint16Array;
  /** [N]: timestamp of the origin, microseconds. */
  readonly originUs: Float64Array;
  /** [N]: seconds of the bars that the series was thinned to; 0 for all ticks. */
  readonly barS: Uint8Array;
};

export function allocateRows(count: number, draws: number): RowSet {
  const f32 = (n: number): Float32Array => new Float32Array(new SharedArrayBuffer(4 * n));
  const f64 = (n: number): Float64Array => new Float64Array(new SharedArrayBuffer(8 * n));
  const u8 = (n: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(n));
  return {
    count,
    draws,
    sequence: f32(count * SEQUENCE_SIZE),
    context: f32(count * draws * CONTEXT_COLUMNS),
    baseline: f32(count * draws),
    theta: f64(count * draws),
    move: f64(count),
    thetaDefault: f64(count),
    hasPrice: u8(count),
    head: u8(count),
    horizonS: f64(count),
    windowS: f32(count),
    medianGapS: f32(count),
    instrument: new Uint16Array(new SharedArrayBuffer(2 * count)),
    originUs: f64(count),
    barS: u8(count),
  };
}

/** 1 if the move of `row` exceeds the threshold of `draw`. */
export function isOpportunity(rows: RowSet, row: number, draw = 0): 0 | 1 {
  return Math.abs(rows.move[row] as number) > (rows.theta[row * rows.draws + draw] as number) ? 1 : 0;
}
