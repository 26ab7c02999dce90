import type { Random } from '../../src/core/Random.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { LossAndGradients } from './lossAndGradients.ts';
import type { ScheduleName } from './schedule.ts';

/** What is trained: a loss over rows, its gradients, and how the weights may move. `trainLoop` knows no network. */
export type LoopSubject = {
  /** Weights before the first step; not changed. */
  readonly start: WeightArrays;
  /** Training rows, in any order. */
  readonly index: Int32Array;
  readonly batchSize: number;
  /** Mean loss and gradients of the rows order[from .. from + batchSize); draws thresholds and mirrors from `random`. */
  gradients(weights: WeightArrays, order: Int32Array, from: number, random: Random): LossAndGradients;
  /** Mean loss on rows that are never trained on; NaN where there are none: then the last weights are kept. */
  validationLoss(weights: WeightArrays): number;
  /** 1 where an entry may move. */
  readonly masks: Partial<WeightArrays>;
  /** What kernels decay to; default 0. */
  readonly anchor?: WeightArrays;
};

export type LoopSettings = {
  readonly epochs: number;
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  /** Validations without a better loss until the loop ends. */
  readonly patience: number;
  /** Validations per epoch. */
  readonly validations: number;
  readonly seed: number;
};

export type CurvePoint = { readonly step: number; readonly loss: number };

export type LoopProgress = { readonly step: number; readonly steps: number; readonly loss: number; readonly rate: number };

export type LoopResult = {
  /** The best on validation, or the last. */
  readonly weights: WeightArrays;
  readonly bestStep: number;
  readonly bestLoss: number;
  readonly finalLoss: number;
  readonly steps: number;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
  readonly ended: 'all_steps' | 'no_better' | 'out_of_time';
};

/** How a loop is watched, held and gone on with. */
export type LoopControl = {
  readonly onProgress?: (at: LoopProgress) => void;
  readonly onValidation?: (at: CurvePoint) => void;
  /** Where the loop writes its checkpoint, and looks for one to go on from. None: it cannot be resumed. */
  readonly checkpointFile?: string;
  /** Read the checkpoint, if there is one, and go on from it. */
  readonly resume?: boolean;
  /** Most time between two checkpoints, ms. */
  readonly checkpointEveryMs?: number;
  /** Asked before every step; true: a checkpoint is written and the loop throws `training.stopped`. */
  readonly isStopped?: () => boolean;
  /** Asked before every step; true: the loop ends with the best weights so far. */
  readonly isOutOfTime?: () => boolean;
  readonly nowMs: () => number;
};
