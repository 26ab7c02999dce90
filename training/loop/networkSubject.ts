import type { WeightArrays, NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import { allocateBatch, fillBatch } from './Batch.ts';
import { crossEntropy } from './HeadPass.ts';
import { initialWeights, type BaselineFit, applyScale, foldScaling, type Scaling } from './scaling.ts';
import { lossAndGradients } from './lossAndGradients.ts';
import type { LoopSubject } from './LoopTypes.ts';
import { predictRows } from './predictRows.ts';

export type NetworkSubjectOptions = {
  readonly spec: NetworkSpec;
  readonly baselines: readonly BaselineFit[];
  readonly scaling: Scaling;
  readonly batchSize: number;
  readonly seed: number;
  /** Validation rows. */
  readonly validation: Int32Array;
  /** Called with the milliseconds that filling a batch took, in which the device waits. */
  readonly onFilled?: (ms: number) => void;
  readonly nowMs: () => number;
};

/** Thresholds per row in validation: theta* and one random one. */
const VALIDATION_DRAWS = 2;

/** The whole network as a subject of the training loop, on inputs scaled by `scaling`. Fold the scaling into the resulting weights. */
export function networkSubject(rows: RowSet, index: Int32Array, options: NetworkSubjectOptions): LoopSubject {
  const { spec, scaling, validation, nowMs } = options;
  const batch = allocateBatch(Math.min(options.batchSize, index.length));
  return {
    start: initialWeights(spec, options.baselines, options.seed + 1),
    index,
    batchSize: batch.size,
    gradients: (weights, order, from, random) => {
      const startMs = nowMs();
      fillBatch(batch, rows, order, from, random);
      applyScale(batch.sequence, scaling.sequence);
      applyScale(batch.context, scaling.context);
      options.onFilled?.(nowMs() - startMs);
      return lossAndGradients(spec, weights, batch);
    },
    validationLoss: (weights) => networkLoss(spec, foldScaling(weights, spec, scaling), rows, validation),
  };
}

/** Mean cross entropy of the opportunity on rows, in nats; NaN without rows. */
export function networkLoss(spec: NetworkSpec, weights: WeightArrays, rows: RowSet, index: Int32Array): number {
  if (index.length === 0) return NaN;
  const draws = Math.min(VALIDATION_DRAWS, rows.draws);
  const { baseline, residual } = predictRows(spec, weights, rows, index, draws);
  let sum = 0;
  for (let i = 0; i < index.length * draws; i++) {
    const row = index[Math.floor(i / draws)] as number;
    sum += crossEntropy((baseline[i] as number) + (residual[i] as number), isOpportunity(rows, row, i % draws));
  }
  return sum / (index.length * draws);
}
