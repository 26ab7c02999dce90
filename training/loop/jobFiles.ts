import { rmSync } from 'node:fs';
import * as path from 'node:path';
import { WEIGHT_NAMES, type WeightArrays } from '../../src/model/NetworkWeights.ts';
import { readCheckpoint, writeCheckpoint, type CheckpointArrays } from './Checkpoint.ts';
import type { PredictedRows } from './predictRows.ts';
import type { TrainJobResult } from './TrainJob.ts';

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
