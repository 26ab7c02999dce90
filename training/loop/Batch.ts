import type { Random } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS, mirrorContext, mirrorSequence } from '../../src/engine/features/columns.ts';
import type { NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

/** Thresholds of a row in a batch, which cost one pass through the LSTM: theta* and a random one. */
export const BATCH_THRESHOLDS = 2;

/**
 * The buffers of a training batch of B rows, reused for each batch. The sequence is [B,T,F]; all others have one entry per threshold and
 * row, first all rows at theta*, then all rows at a random threshold: [2B, ...]. Masks and targets are [2B,K].
 */
export type Batch = {
  /** B */
  readonly size: number;
  readonly sequence: Float32Array;
  readonly context: Float32Array;
  readonly baseline: Float32Array;
  /** 1 at the head of the row's horizon bucket. */
  readonly headMask: Float32Array;
  /** 1 at that head if the row is an opportunity. */
  readonly opportunity: Float32Array;
  /** 1 at that head if the row is an opportunity: only such rows have a direction target. */
  readonly directionMask: Float32Array;
  readonly up: Float32Array;
};

export function allocateBatch(size: number, spec: NetworkSpec): Batch {
  const entries = BATCH_THRESHOLDS * size;
  const perHead = (): Float32Array => new Float32Array(entries * spec.heads);
  return {
    size,
    sequence: new Float32Array(size * SEQUENCE_SIZE),
    context: new Float32Array(entries * CONTEXT_COLUMNS),
    baseline: new Float32Array(entries),
    headMask: perHead(),
    opportunity: perHead(),
    directionMask: perHead(),
    up: perHead(),
  };
}

/**
 * Fills `batch` with the rows order[from ..). Every second row is mirrored (its price is inverted: the opportunity is the same, the
 * direction is reversed). Rows with a single threshold have it twice.
 */
export function fillBatch(batch: Batch, rows: RowSet, order: Int32Array, from: number, random: Random, heads: number): void {
  batch.headMask.fill(0);
  batch.opportunity.fill(0);
  batch.directionMask.fill(0);
  batch.up.fill(0);
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
      const target = entry * heads + (rows.head[row] as number);
      batch.headMask[target] = 1;
      if (Math.abs(move) > (rows.theta[at] as number)) {
        batch.opportunity[target] = 1;
        batch.directionMask[target] = 1;
        batch.up[target] = move > 0 ? 1 : 0;
      }
    }
  }
}
