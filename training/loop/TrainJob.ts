import { rmSync } from 'node:fs';
import * as path from 'node:path';
import { WEIGHT_NAMES, type WeightArrays, type NetworkSpec } from '../../src/engine/model/NetworkWeights.ts';
import type { BackendName } from '../../src/engine/runtime/Runtime.ts';
import type { RowSet } from '../data/RowSet.ts';
import { readCheckpoint, writeCheckpoint, type CheckpointArrays } from './Checkpoint.ts';
import type { CurvePoint, LoopProgress, LoopSettings } from './LoopTypes.ts';
import type { BaselineFit } from './scaling.ts';
import type { PredictedRows } from './predictRows.ts';

const PREDICTED = ['predicted', 'validated', 'parentPredicted', 'placeboPredicted'] as const;

type Meta = Omit<TrainJobResult, 'weights' | (typeof PREDICTED)[number]> & {
  readonly draws: Readonly<Record<string, number>>;
};

/** The file of a job in the folder of a run. */
export function jobFile(runDir: string, name: string, kind: 'checkpoint' | 'result'): string {
  return path.join(runDir, `${name.replace(/[^a-zA-Z0-9.-]+/g, '-')}.${kind}`);
}

/** Stores the result of a finished job, so that a resumed run does not repeat it, and removes its checkpoint. With '' nothing is stored. */
export function writeResult(runDir: string, result: TrainJobResult): void {
  if (runDir === '') return;
  const { weights, predicted, validated, parentPredicted, placeboPredicted, ...rest } = result;
  const arrays: Record<string, Float32Array | Int32Array> = { ...weights };
  const draws: Record<string, number> = {};
  for (const [name, rows] of Object.entries({ predicted, validated, parentPredicted, placeboPredicted })) {
    if (rows === null) continue;
    draws[name] = rows.draws;
    for (const column of ['index', 'baseline', 'residual', 'direction'] as const) arrays[`${name}:${column}`] = rows[column];
  }
  const meta: Meta = { ...rest, draws };
  writeCheckpoint(jobFile(runDir, result.name, 'result'), { meta, arrays });
  rmSync(jobFile(runDir, result.name, 'checkpoint'), { force: true });
}

/** Reads the result that `writeResult` stored; undefined if there is none. */
export function readResult(runDir: string, name: string): TrainJobResult | undefined {
  if (runDir === '') return undefined;
  const saved = readCheckpoint<Meta>(jobFile(runDir, name, 'result'));
  if (saved === undefined) return undefined;
  const { draws, ...rest } = saved.meta;
  const weights = Object.fromEntries(WEIGHT_NAMES.map((weight) => [weight, saved.arrays[weight]])) as WeightArrays;
  const [predicted, validated, parentPredicted = null, placeboPredicted = null] = PREDICTED.map((which) =>
    readPredicted(saved.arrays, which, draws[which]),
  );
  if (predicted === null || predicted === undefined || validated === null || validated === undefined) return undefined;
  // JSON has no infinity: a loss without validation is read as null.
  return { ...rest, bestLoss: rest.bestLoss ?? Infinity, weights, predicted, validated, parentPredicted, placeboPredicted };
}

function readPredicted(arrays: CheckpointArrays, name: string, draws: number | undefined): PredictedRows | null {
  if (draws === undefined) return null;
  const column = (which: string): Float32Array => arrays[`${name}:${which}`] as Float32Array;
  return {
    index: arrays[`${name}:index`] as Int32Array,
    draws,
    baseline: column('baseline'),
    residual: column('residual'),
    direction: column('direction'),
  };
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

export type TrainJobResult = {
  readonly name: string;
  /** The network of `weights`. */
  readonly spec: NetworkSpec;
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
  | { readonly kind: 'trunk'; readonly name: string; readonly done: number; readonly total: number }
  | { readonly kind: 'done'; readonly result: TrainJobResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

export type JobReport = (message: Exclude<TrainJobMessage, { kind: 'done' | 'failed' }>) => void;
