import type { Random } from '../../src/core/Random.ts';
import type { WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import type { LossAndGradients } from './lossAndGradients.ts';

/** Warm-up steps, in which the learning rate rises. */
const WARM_UP_STEPS = 60;
/** The cosine falls to this fraction of the peak. */
const FINAL_FRACTION = 0.02;
/** A plateau cuts the rate to this fraction. */
const PLATEAU_CUT = 0.5;

export type ScheduleName = 'cosine' | 'plateau';

/**
 * Learning rate divided by its peak at `step` of `steps`: a rise over the first 60 steps, then half a cosine (Loshchilov and Hutter, 2017),
 * or for `plateau` a cut by half after each validation that did not improve the best loss.
 */
export function rateFactor(schedule: ScheduleName, step: number, steps: number, cuts: number): number {
  const rise = Math.min(1, (step + 1) / Math.min(WARM_UP_STEPS, Math.max(1, steps / 4)));
  if (schedule === 'plateau') return rise * PLATEAU_CUT ** cuts;
  return rise * (FINAL_FRACTION + (1 - FINAL_FRACTION) * 0.5 * (1 + Math.cos((Math.PI * step) / steps)));
}

/** The object of training: a loss over rows, its gradients, and constraints on the weights. `trainLoop` does not depend on the network. */
export type LoopSubject = {
  /** Weights before the first step; never modified. */
  readonly start: WeightArrays;
  /** Training rows, in any order. */
  readonly index: Int32Array;
  readonly batchSize: number;
  /** Mean loss and gradients of the rows order[from .. from + batchSize); `random` draws thresholds and mirrored rows. */
  gradients(weights: WeightArrays, order: Int32Array, from: number, random: Random): LossAndGradients;
  /** Mean loss on the validation rows, which are never trained on; NaN if there are none: then the last weights are kept. */
  validationLoss(weights: WeightArrays): number;
  /** 1 for entries that may change. */
  readonly masks?: Partial<WeightArrays>;
  /** Values that kernels decay to; default 0. */
  readonly anchor?: WeightArrays;
};

export type LoopSettings = {
  readonly epochs: number;
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  /** The loop ends after this many validations without a better loss. */
  readonly patience: number;
  /** Validations per epoch. */
  readonly validations: number;
  readonly seed: number;
};

export type CurvePoint = { readonly step: number; readonly loss: number };

export type LoopProgress = { readonly step: number; readonly steps: number; readonly loss: number };

export type LoopResult = {
  /** The best weights on validation rows, or the last ones. */
  readonly weights: WeightArrays;
  readonly bestStep: number;
  readonly bestLoss: number;
  readonly steps: number;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
  readonly ended: 'all_steps' | 'no_better' | 'out_of_time';
};

/** Callbacks and files to monitor, stop and resume a loop. */
export type LoopControl = {
  readonly onProgress?: (at: LoopProgress) => void;
  /** File of the checkpoint. Without it, the loop cannot be resumed. */
  readonly checkpointFile?: string;
  /** Resume from the checkpoint, if there is one. */
  readonly resume?: boolean;
  /** Longest time between two checkpoints, ms. */
  readonly checkpointEveryMs?: number;
  /** Called before every step. If true, the loop writes a checkpoint and throws `training.stopped`. */
  readonly isStopped?: () => boolean;
  /** Called before every step. If true, the loop ends with the best weights so far. */
  readonly isOutOfTime?: () => boolean;
  readonly nowMs: () => number;
};
