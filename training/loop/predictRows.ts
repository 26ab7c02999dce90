import { CONTEXT_COLUMNS } from '../../src/features/columns.ts';
import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import { Network } from '../../src/model/Network.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

/** Logits before calibration, [rows of `index`, draws]. */
export type PredictedRows = {
  readonly index: Int32Array;
  readonly draws: number;
  readonly baseline: Float32Array;
  readonly residual: Float32Array;
  readonly direction: Float32Array;
};

const BATCH = 64;

/** Runs a network over rows at the first `draws` of their thresholds, by default all. */
export function predictRows(
  spec: NetworkSpec,
  weights: WeightArrays,
  rows: RowSet,
  index: Int32Array,
  draws: number = rows.draws,
): PredictedRows {
  const total = index.length * draws;
  const predicted = {
    index,
    draws,
    baseline: new Float32Array(total),
    residual: new Float32Array(total),
    direction: new Float32Array(total),
  };
  const network = new Network(spec, weights);
  try {
    for (let from = 0; from < total; from += BATCH) {
      const size = Math.min(BATCH, total - from);
      const sequence = new Float32Array(size * SEQUENCE_SIZE);
      const context = new Float32Array(size * CONTEXT_COLUMNS);
      const baseline = new Float32Array(size);
      const heads = new Uint8Array(size);
      for (let b = 0; b < size; b++) {
        const row = index[Math.floor((from + b) / draws)] as number;
        const at = row * rows.draws + ((from + b) % draws);
        sequence.set(rows.sequence.subarray(row * SEQUENCE_SIZE, (row + 1) * SEQUENCE_SIZE), b * SEQUENCE_SIZE);
        context.set(rows.context.subarray(at * CONTEXT_COLUMNS, (at + 1) * CONTEXT_COLUMNS), b * CONTEXT_COLUMNS);
        baseline[b] = rows.baseline[at] as number;
        heads[b] = rows.head[row] as number;
      }
      for (const [b, output] of network.run({ size, sequence, context, baseline, heads }).entries()) {
        predicted.baseline[from + b] = output.baselineLogit;
        predicted.residual[from + b] = output.residualLogit;
        predicted.direction[from + b] = output.directionLogit;
      }
    }
  } finally {
    network.dispose();
  }
  return predicted;
}
