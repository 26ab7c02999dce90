import * as tf from '@tensorflow/tfjs-core';
import { CONTEXT_COLUMNS, mirrorContext, mirrorSequence } from '../../src/engine/features/columns.ts';
import { runTrunk, summarizeSequence } from '../../src/engine/model/forward.ts';
import {
  type NetworkSpec,
  WEIGHT_NAMES,
  weightShapes,
  type NetworkWeights,
  type WeightArrays,
} from '../../src/engine/model/NetworkWeights.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

/** Outputs of a frozen trunk: [rows of `index`, draws, sides, D]; side 0 is the row, side 1 its mirror image. */
export type TrunkRows = {
  readonly index: Int32Array;
  readonly draws: number;
  readonly sides: 1 | 2;
  readonly width: number;
  readonly values: Float32Array;
};

/** Start index in `values` of a row at a threshold and side. */
export const trunkAt = ({ draws, sides, width }: TrunkRows, position: number, draw: number, side: number): number =>
  ((position * draws + draw) * sides + side) * width;

const BATCH = 64;

/**
 * Runs LSTM and trunk once over rows, so that a head is trained without them: the LSTM once per side, the trunk once per threshold.
 * Disposes all its tensors.
 */
export function trunkRows(
  spec: NetworkSpec,
  weights: WeightArrays,
  rows: RowSet,
  index: Int32Array,
  sides: 1 | 2,
  onProgress: (done: number, total: number) => void = () => {},
): TrunkRows {
  const { draws } = rows;
  const { dense: width } = spec;
  const values = new Float32Array(index.length * draws * sides * width);
  const shapes = weightShapes(spec);
  const tensors = Object.fromEntries(WEIGHT_NAMES.map((name) => [name, tf.tensor(weights[name], [...shapes[name]])])) as NetworkWeights;
  try {
    for (let from = 0; from < index.length; from += BATCH) {
      const size = Math.min(BATCH, index.length - from);
      for (let side = 0; side < sides; side++)
        addBatch({ spec, tensors, rows, index, draws, sides, width, values }, from, size, side === 1);
      onProgress(from + size, index.length);
    }
  } finally {
    tf.dispose(Object.values(tensors));
  }
  return { index, draws, sides, width, values };
}

type Work = TrunkRows & { readonly spec: NetworkSpec; readonly tensors: NetworkWeights; readonly rows: RowSet };

function addBatch({ spec, tensors, rows, index, draws, sides, width, values }: Work, from: number, size: number, mirrored: boolean): void {
  const sequence = new Float32Array(size * SEQUENCE_SIZE);
  const contexts = Array.from({ length: draws }, () => new Float32Array(size * CONTEXT_COLUMNS));
  for (let b = 0; b < size; b++) {
    const row = index[from + b] as number;
    for (const [draw, context] of contexts.entries()) {
      const at = (row * draws + draw) * CONTEXT_COLUMNS;
      context.set(rows.context.subarray(at, at + CONTEXT_COLUMNS), b * CONTEXT_COLUMNS);
      // Mirrored again for each threshold; only the sequence of the last iteration is kept.
      sequence.set(rows.sequence.subarray(row * SEQUENCE_SIZE, (row + 1) * SEQUENCE_SIZE), b * SEQUENCE_SIZE);
      if (mirrored) {
        mirrorSequence(sequence, b * SEQUENCE_SIZE);
        mirrorContext(context, b * CONTEXT_COLUMNS);
      }
    }
  }
  tf.tidy(() => {
    const summary = summarizeSequence(tensors, tf.tensor3d(sequence, [size, spec.steps, spec.sequenceColumns]));
    for (const [draw, context] of contexts.entries()) {
      const trunk = runTrunk(tensors, summary, tf.tensor2d(context, [size, spec.contextColumns])).dataSync<'float32'>();
      for (let b = 0; b < size; b++) {
        const at = (((from + b) * draws + draw) * sides + (mirrored ? 1 : 0)) * width;
        values.set(trunk.subarray(b * width, (b + 1) * width), at);
      }
    }
  });
}
