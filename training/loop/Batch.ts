import type { Random } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS, mirrorContext, mirrorSequence } from '../../src/engine/features/columns.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

/** Thresholds of a row in a batch, which cost one pass through the LSTM: theta* and a random one. */
export const BATCH_THRESHOLDS = 2;

/**
 * The buffers of a training batch of B rows, reused for each batch. The sequence is [B,T,F]; context, baseline and outcomes have one entry per
 * threshold and row, first all rows at theta*, then all rows at a random threshold: [2B, ...].
 */
export type Batch = {
  /** B */
  readonly size: number;
  readonly sequence: Float32Array;
  readonly context: Float32Array;
  readonly baseline: Float32Array;
  /** [B]: head of the row's horizon bucket. */
  readonly head: Uint8Array;
  /** 1 if the row is an opportunity. */
  readonly isHit: Uint8Array;
  /** 1 if the price rose. */
  readonly isUp: Uint8Array;
};

export function allocateBatch(size: number): Batch {
  const entries = BATCH_THRESHOLDS * size;
  return {
    size,
    sequence: new Float32Array(size * SEQUENCE_SIZE),
    context: new Float32Array(entries * CONTEXT_COLUMNS),
    baseline: new Float32Array(entries),
    head: new Uint8Array(size),
    isHit: new Uint8Array(entries),
    isUp: new Uint8Array(entries),
  };
}

/**
 * Fills `batch` with the rows order[from ..). Every second row is mirrored (its price is inverted: the opportunity is the same, the
 * direction is reversed). Rows with a single threshold have it twice.
 */
export function fillBatch(batch: Batch, rows: RowSet, order: Int32Array, from: number, random: Random): void {
  for (let b = 0; b < batch.size; b++) {
    const row = order[from + b] as number;
    const mirrored = random.uniform() < 0.5;
    const move = (rows.move[row] as number) * (mirrored ? -1 : 1);
    batch.sequence.set(rows.sequence.subarray(row * SEQUENCE_SIZE, (row + 1) * SEQUENCE_SIZE), b * SEQUENCE_SIZE);
    if (mirrored) mirrorSequence(batch.sequence, b * SEQUENCE_SIZE);
    for (let threshold = 0; threshold < BATCH_THRESHOLDS; threshold++) {
      const draw = threshold === 0 || rows.draws === 1 ? 0 : 1 + random.integer(rows.draws - 1);
      const at = row * rows.draws + draw;
      const entry = threshold * batch.size + b;
      batch.context.set(rows.context.subarray(at * CONTEXT_COLUMNS, (at + 1) * CONTEXT_COLUMNS), entry * CONTEXT_COLUMNS);
      if (mirrored) mirrorContext(batch.context, entry * CONTEXT_COLUMNS);
      batch.baseline[entry] = rows.baseline[at] as number;
      batch.isHit[entry] = Math.abs(move) > (rows.theta[at] as number) ? 1 : 0;
      batch.isUp[entry] = move > 0 ? 1 : 0;
    }
    batch.head[b] = rows.head[row] as number;
  }
}
