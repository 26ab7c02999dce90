import type { NetworkSpec, WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import { allocateBatch, fillBatch } from './Batch.ts';
import { crossEntropy } from './HeadPass.ts';
import { lossAndGradients } from './lossAndGradients.ts';
import type { LoopControl, LoopResult, LoopSettings, LoopSubject } from './LoopTypes.ts';
import { predictRows } from './predictRows.ts';
import { applyScale, type BaselineFit, fitScaling, foldScaling, initialWeights, type Scaling } from './scaling.ts';
import { trainLoop } from './trainLoop.ts';

export type NetworkTraining = {
  readonly spec: NetworkSpec;
  readonly baselines: readonly BaselineFit[];
  readonly batchSize: number;
  readonly seed: number;
  /** Validation rows, which decide the weights that are kept; without them, the last weights are kept. */
  readonly validation: Int32Array;
};

/** Milliseconds of all steps, and of those the time that filling batches took, in which the device waits. */
export type StepTimes = { steppedMs: number; waitedMs: number };

/** Thresholds per row in validation: theta* and one random one. */
const VALIDATION_DRAWS = 2;

/** The whole network as a subject of the training loop, on inputs scaled by `scaling`. Fold the scaling into the resulting weights. */
export function networkSubject(
  rows: RowSet,
  index: Int32Array,
  { spec, baselines, batchSize, seed, validation }: NetworkTraining,
  scaling: Scaling,
  nowMs: () => number,
): LoopSubject & { readonly times: StepTimes } {
  const batch = allocateBatch(Math.min(batchSize, index.length));
  const times: StepTimes = { steppedMs: 0, waitedMs: 0 };
  return {
    start: initialWeights(spec, baselines, seed + 1),
    index,
    batchSize: batch.size,
    times,
    gradients: (weights, order, from, random) => {
      const startMs = nowMs();
      fillBatch(batch, rows, order, from, random);
      applyScale(batch.sequence, scaling.sequence);
      applyScale(batch.context, scaling.context);
      times.waitedMs += nowMs() - startMs;
      const result = lossAndGradients(spec, weights, batch);
      times.steppedMs += nowMs() - startMs;
      return result;
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

/** Trains a network on the rows `index` of `rows` and returns weights for unscaled inputs. See `trainLoop` for guarantees and errors. */
export function trainNetwork(
  rows: RowSet,
  index: Int32Array,
  options: NetworkTraining & LoopSettings,
  control: LoopControl,
): LoopResult & { readonly waitFraction: number } {
  const scaling = fitScaling(rows, index);
  const subject = networkSubject(rows, index, options, scaling, control.nowMs);
  const result = trainLoop(subject, options, control);
  const { steppedMs, waitedMs } = subject.times;
  return { ...result, weights: foldScaling(result.weights, options.spec, scaling), waitFraction: steppedMs > 0 ? waitedMs / steppedMs : 0 };
}
