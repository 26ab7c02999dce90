import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { BackendName } from '../../src/runtime/Runtime.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { BaselineFit } from './initialWeights.ts';
import type { CurvePoint, LoopProgress, LoopSettings } from './LoopTypes.ts';
import type { PredictedRows } from './predictRows.ts';

type JobBase = {
  /** Unique in a run; its files are named after it. */
  readonly name: string;
  /** Training rows; the last ones of each group validate. */
  readonly train: Int32Array;
  /** Test rows to predict. */
  readonly test: Int32Array;
  readonly seed: number;
};

/** A whole network from nothing, or the heads of one whose trunk stands still. */
export type TrainJob =
  | (JobBase & {
      readonly kind: 'network';
      /** Deal the outcomes out anew first, by this seed: a placebo. */
      readonly permuteSeed?: number;
    })
  | (JobBase & {
      readonly kind: 'heads';
      readonly parent: WeightArrays;
      readonly heads: readonly number[];
      /** The heads are trained a second time on outcomes dealt out anew by this seed. */
      readonly placeboSeed: number;
    });

export type TrainJobResult = {
  readonly name: string;
  readonly weights: WeightArrays;
  /** The EWMA logistic of each bucket, fitted on the training rows. */
  readonly baselines: readonly BaselineFit[];
  /** On the test rows, by the trained weights. */
  readonly predicted: PredictedRows;
  /** On the validation rows: what calibration and thresholds of a fine-tune are fitted on. */
  readonly validated: PredictedRows;
  /** On the test rows, by the parent's weights; of heads only. */
  readonly parentPredicted: PredictedRows | null;
  /** On the test rows, by weights that were trained on dealt outcomes; of heads only. */
  readonly placeboPredicted: PredictedRows | null;
  readonly training: readonly CurvePoint[];
  readonly validation: readonly CurvePoint[];
  readonly bestStep: number;
  readonly bestLoss: number;
  readonly finalLoss: number;
  readonly steps: number;
  readonly ended: string;
  /** Share of the time of all steps that the device waited for its batch. */
  readonly waitShare: number;
  readonly rowsPerS: number;
  readonly seconds: number;
};

/** What all jobs of a run share. */
export type TrainJobSetting = LoopSettings & {
  readonly trainRows: RowSet;
  readonly testRows: RowSet;
  /** Group of each instrument, by index. */
  readonly groups: readonly string[];
  readonly spec: NetworkSpec;
  readonly batchSize: number;
  /** It has been opened in the main thread: no trial is needed. */
  readonly backend: BackendName;
  /** Folder of checkpoints and finished jobs; '' is none. */
  readonly runDir: string;
  readonly resume: boolean;
  /** In shared memory: entry 0 above 0 asks every job to write a checkpoint and end. */
  readonly stop: Int32Array;
  /** Wall clock at which jobs have to end with what they have, ms; Infinity is never. */
  readonly deadlineMs: number;
  readonly checkpointEveryMs?: number;
};

export type TrainJobMessage =
  | { readonly kind: 'jobs'; readonly count: number }
  /** After so many steps, all of them or fewer, now or in a run before this one. */
  | { readonly kind: 'ended'; readonly name: string; readonly steps: number }
  | { readonly kind: 'progress'; readonly name: string; readonly at: LoopProgress }
  | { readonly kind: 'validation'; readonly name: string; readonly at: CurvePoint }
  | { readonly kind: 'trunk'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: TrainJobResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type JobReport = (message: Exclude<TrainJobMessage, { kind: 'done' | 'failed' }>) => void;
