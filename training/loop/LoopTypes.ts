import type { Random } from '../../src/core/Random.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { LossAndGradients } from './lossAndGradients.ts';
import type { ScheduleName } from './schedule.ts';

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
  readonly masks: Partial<WeightArrays>;
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

export type LoopProgress = { readonly step: number; readonly steps: number; readonly loss: number; readonly rate: number };

export type LoopResult = {
  /** The best weights on validation rows, or the last ones. */
  readonly weights: WeightArrays;
  readonly bestStep: number;
  readonly bestLoss: number;
  readonly finalLoss: number;
  readonly steps: number;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
  readonly ended: 'all_steps' | 'no_better' | 'out_of_time';
};

/** Callbacks and files to monitor, stop and resume a loop. */
export type LoopControl = {
  readonly onProgress?: (at: LoopProgress) => void;
  readonly onValidation?: (at: CurvePoint) => void;
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
