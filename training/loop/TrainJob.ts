import * as path from 'node:path';
import type { WeightArrays, NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import type { BackendName } from '../../src/engine/runtime/Runtime.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { ValidationSplit } from '../splits/splitValidation.ts';
import type { LoopProgress, LoopResult, LoopSettings } from './LoopTypes.ts';
import type { BaselineFit } from './scaling.ts';
import type { PredictedRows } from './predictRows.ts';

/** The file of a job in the folder of a run. */
export function jobFile(runDir: string, name: string, kind: 'checkpoint' | 'result'): string {
  return path.join(runDir, `${name.replace(/[^a-zA-Z0-9.-]+/g, '-')}.${kind}`);
}

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

export type TrainJobResult = LoopResult & {
  readonly name: string;
  /** The network of `weights`. */
  readonly spec: NetworkSpec;
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
  /** Fraction of the time of all steps in which the device waited for its batch. */
  readonly waitFraction: number;
  readonly rowsPerS: number;
};

/** What training alone gives. */
export type TrainedJob = Omit<TrainJobResult, 'name' | 'baselines' | 'rowsPerS'>;

/** Rows of a job and the baselines fitted on those for training. */
export type JobRows = ValidationSplit & { readonly baselines: readonly BaselineFit[] };

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
  /** Folder of checkpoints and finished jobs. */
  readonly runDir: string;
  readonly resume: boolean;
  /** In shared memory: every job writes a checkpoint and ends when entry 0 is above 0. */
  readonly stop: Int32Array;
  /** Wall clock time at which jobs end with the best weights so far, ms; Infinity for no limit. */
  readonly deadlineMs: number;
};

export type TrainJobMessage =
  | { readonly kind: 'jobs'; readonly count: number }
  /** The job has ended after this many steps, in this run or in an earlier one. */
  | { readonly kind: 'ended'; readonly name: string; readonly steps: number }
  | { readonly kind: 'progress'; readonly name: string; readonly at: LoopProgress }
  | { readonly kind: 'trunk'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: TrainJobResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type JobReport = (message: Exclude<TrainJobMessage, { kind: 'done' | 'failed' }>) => void;
