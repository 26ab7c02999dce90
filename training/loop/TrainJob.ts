import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { BackendName } from '../../src/runtime/Runtime.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { BaselineFit } from './initialWeights.ts';
import type { CurvePoint, LoopProgress, LoopSettings } from './LoopTypes.ts';
import type { PredictedRows } from './predictRows.ts';

type JobBase = {
  /** Unique in a run; part of its file names. */
  readonly name: string;
  /** Training rows; the last ones of each group are used for validation. */
  readonly train: Int32Array;
  /** Test rows to predict. */
  readonly test: Int32Array;
  readonly seed: number;
};

/** A whole network from initial weights, or the heads of a network with a frozen trunk. */
export type TrainJob =
  | (JobBase & {
      readonly kind: 'network';
      /** Permute the outcomes first with this seed: a placebo. */
      readonly permuteSeed?: number;
    })
  | (JobBase & {
      readonly kind: 'heads';
      readonly parent: WeightArrays;
      readonly heads: readonly number[];
      /** The heads are trained a second time on outcomes that are permuted with this seed. */
      readonly placeboSeed: number;
    });

export type TrainJobResult = {
  readonly name: string;
  readonly weights: WeightArrays;
  /** The EWMA logistic of each bucket, fitted on the training rows. */
  readonly baselines: readonly BaselineFit[];
  /** Predictions of the trained weights on the test rows. */
  readonly predicted: PredictedRows;
  /** Predictions on the validation rows: calibration and thresholds of a fine-tune are fitted on them. */
  readonly validated: PredictedRows;
  /** Predictions of the parent's weights on the test rows; only for heads. */
  readonly parentPredicted: PredictedRows | null;
  /** Predictions on the test rows of weights trained on permuted outcomes; only for heads. */
  readonly placeboPredicted: PredictedRows | null;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
  readonly bestStep: number;
  readonly bestLoss: number;
  readonly finalLoss: number;
  readonly steps: number;
  readonly ended: string;
  /** Fraction of the time of all steps in which the device waited for its batch. */
  readonly waitFraction: number;
  readonly rowsPerS: number;
  readonly seconds: number;
};

/** Settings of all jobs of a run. */
export type TrainJobSetting = LoopSettings & {
  readonly trainRows: RowSet;
  readonly testRows: RowSet;
  /** Group of each instrument, by index. */
  readonly groups: readonly string[];
  readonly spec: NetworkSpec;
  readonly batchSize: number;
  /** The main thread has opened it already, so no probe is needed. */
  readonly backend: BackendName;
  /** Folder of checkpoints and finished jobs; '' for none. */
  readonly runDir: string;
  readonly resume: boolean;
  /** In shared memory: every job writes a checkpoint and ends when entry 0 is above 0. */
  readonly stop: Int32Array;
  /** Wall clock time at which jobs end with the best weights so far, ms; Infinity for no limit. */
  readonly deadlineMs: number;
  readonly checkpointEveryMs?: number;
};

export type TrainJobMessage =
  | { readonly kind: 'jobs'; readonly count: number }
  /** The job has ended after this many steps, in this run or in an earlier one. */
  | { readonly kind: 'ended'; readonly name: string; readonly steps: number }
  | { readonly kind: 'progress'; readonly name: string; readonly at: LoopProgress }
  | { readonly kind: 'validation'; readonly name: string; readonly at: CurvePoint }
  | { readonly kind: 'trunk'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: TrainJobResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type JobReport = (message: Exclude<TrainJobMessage, { kind: 'done' | 'failed' }>) => void;
