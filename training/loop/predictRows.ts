import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { Network } from '../../src/engine/model/Network.ts';
import type { NetworkSpec, WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import { SEQUENCE_SIZE, type RowSet, isOpportunity } from '../data/RowSet.ts';
import { fitLogistic, sigmoid } from '../metrics/logistic.ts';
import type { BaselineFit } from './scaling.ts';

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

/** A bucket with fewer rows than this, or with one class only, uses the fit over all buckets. */
const MIN_ROWS = 200;

/**
 * The EWMA volatility logistic of each horizon bucket at the default threshold: one feature, ln(sigma(600) sqrt(H) / theta*). It is the
 * baseline of the evaluation and the starting point of the network.
 */
export function fitBaselines(rows: RowSet, index: Int32Array, heads: number): BaselineFit[] {
  const fit = (members: Int32Array): BaselineFit => {
    const x = Float64Array.from(members, (row) => rows.baseline[row * rows.draws] as number);
    const y = Uint8Array.from(members, (row) => isOpportunity(rows, row));
    const { intercept, weights } = fitLogistic(x, members.length, 1, y, { l2: 1e-3 });
    return { intercept, slope: weights[0] as number };
  };
  const pooled = fit(index);
  return Array.from({ length: heads }, (_, head) => {
    const members = index.filter((row) => rows.head[row] === head);
    const positives = members.reduce((sum, row) => sum + isOpportunity(rows, row), 0);
    return members.length < MIN_ROWS || positives < 20 || members.length - positives < 20 ? pooled : fit(members);
  });
}

/** Probabilities of the EWMA logistic at the default threshold, one for each row of `index`. */
export function baselineProbabilities(rows: RowSet, index: Int32Array, fits: readonly BaselineFit[]): Float64Array {
  return Float64Array.from(index, (row) => {
    const fit = fits[rows.head[row] as number];
    if (fit === undefined)
      throw new RangeError(`baselineProbabilities: row ${row} has head ${rows.head[row]}; there are ${fits.length} fits`);
    return sigmoid(fit.slope * (rows.baseline[row * rows.draws] as number) + fit.intercept);
  });
}
