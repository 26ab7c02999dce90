import type { Random } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS, mirrorRow } from '../../src/features/columns.ts';
import type { NetworkSpec } from '../../src/model/NetworkWeights.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

/** Fraction of rows that train at a random threshold instead of theta*. */
export const RANDOM_THETA_FRACTION = 0.7;

/** The buffers of a training batch, reused for each batch. Axes as in NetworkInputs; masks and targets are [B,K]. */
export type Batch = {
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
  const perHead = (): Float32Array => new Float32Array(size * spec.heads);
  return {
    size,
    sequence: new Float32Array(size * SEQUENCE_SIZE),
    context: new Float32Array(size * CONTEXT_COLUMNS),
    baseline: new Float32Array(size),
    headMask: perHead(),
    opportunity: perHead(),
    directionMask: perHead(),
    up: perHead(),
  };
}

/**
 * Fills `batch` with the rows order[from ..): most rows get a random threshold, and every second row is mirrored (its price is inverted:
 * the opportunity is the same, the direction is reversed).
 */
export function fillBatch(batch: Batch, rows: RowSet, order: Int32Array, from: number, random: Random, heads: number): void {
  batch.headMask.fill(0);
  batch.opportunity.fill(0);
  batch.directionMask.fill(0);
  batch.up.fill(0);
  for (let b = 0; b < batch.size; b++) {
    const row = order[from + b] as number;
    const randomDraw = rows.draws > 1 && random.uniform() < RANDOM_THETA_FRACTION;
    const at = row * rows.draws + (randomDraw ? 1 + random.integer(rows.draws - 1) : 0);
    batch.sequence.set(rows.sequence.subarray(row * SEQUENCE_SIZE, (row + 1) * SEQUENCE_SIZE), b * SEQUENCE_SIZE);
    batch.context.set(rows.context.subarray(at * CONTEXT_COLUMNS, (at + 1) * CONTEXT_COLUMNS), b * CONTEXT_COLUMNS);
    batch.baseline[b] = rows.baseline[at] as number;
    const mirrored = random.uniform() < 0.5;
    if (mirrored) mirrorRow(batch.sequence, b * SEQUENCE_SIZE, batch.context, b * CONTEXT_COLUMNS);
    const move = (rows.move[row] as number) * (mirrored ? -1 : 1);
    const target = b * heads + (rows.head[row] as number);
    batch.headMask[target] = 1;
    if (Math.abs(move) > (rows.theta[at] as number)) {
      batch.opportunity[target] = 1;
      batch.directionMask[target] = 1;
      batch.up[target] = move > 0 ? 1 : 0;
    }
  }
}
