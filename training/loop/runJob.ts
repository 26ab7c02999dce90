import { rmSync } from 'node:fs';
import { systemClock } from '../../src/core/Clock.ts';
import { permutedRows } from '../evaluation/permutedPlacebo.ts';
import { splitValidation } from '../splits/splitValidation.ts';
import { addTreeUnits } from '../context/addTreeUnits.ts';
import { fitBaselines, predictRows } from './predictRows.ts';
import { fineTuneHeads } from './fineTuneHeads.ts';
import { readCheckpoint, writeCheckpoint } from './Checkpoint.ts';
import {
  jobFile,
  type JobReport,
  type JobRows,
  type TrainedJob,
  type TrainJob,
  type TrainJobResult,
  type TrainJobSetting,
} from './TrainJob.ts';
import type { LoopControl } from './LoopTypes.ts';
import { trainNetwork } from './trainNetwork.ts';

/** Steps between two progress reports. */
const REPORT_STEPS = 10;

/**
 * Runs one job on the open runtime: fits the baseline, trains from it (or from a checkpoint) and predicts. In a resumed run, the result of
 * a finished job is read from its file. Throws the errors of `trainLoop`.
 */
export function runJob(job: TrainJob, given: TrainJobSetting, report: JobReport): TrainJobResult {
  const resultFile = jobFile(given.runDir, job.name, 'result');
  const known = given.resume ? readCheckpoint<TrainJobResult>(resultFile) : undefined;
  if (known !== undefined) {
    report({ kind: 'ended', name: job.name, steps: stepsDone(known) });
    return known;
  }
  const startMs = systemClock.monotonicMs();
  const setting =
    job.kind === 'heads' || job.permuteSeed === undefined
      ? given
      : { ...given, ...permutedRows(given.trainRows, given.testRows, job.permuteSeed) };
  const split = splitValidation(setting.trainRows, job.train, (instrument) => setting.groups[instrument] ?? '');
  const baselines = fitBaselines(setting.trainRows, split.training, setting.spec.heads);
  const control = controlOf(job, setting, report);
  const trained =
    job.kind === 'network'
      ? trainWhole(job, setting, { ...split, baselines }, control)
      : fineTuneHeads(job, setting, { ...split, baselines }, control, report);
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  const rowsPerS = (stepsDone(trained) * Math.min(setting.batchSize, split.training.length)) / seconds;
  const result = { name: job.name, baselines, rowsPerS, ...trained };
  writeCheckpoint(resultFile, result);
  rmSync(jobFile(given.runDir, job.name, 'checkpoint'), { force: true });
  report({ kind: 'ended', name: job.name, steps: stepsDone(result) });
  return result;
}

/** Trains a whole network, adds its units over the context, and predicts. */
function trainWhole(
  job: TrainJob,
  setting: TrainJobSetting,
  { training, validation, baselines }: JobRows,
  control: LoopControl,
): TrainedJob {
  const { trainRows, testRows, spec } = setting;
  const trained = trainNetwork(trainRows, training, { ...setting, seed: job.seed, baselines, validation }, control);
  const grown = addTreeUnits({ spec, weights: trained.weights }, trainRows, training, baselines, job.seed);
  return {
    ...trained,
    ...grown,
    predicted: predictRows(grown.spec, grown.weights, testRows, job.test),
    validated: predictRows(grown.spec, grown.weights, trainRows, validation),
    parentPredicted: null,
    placeboPredicted: null,
  };
}

function stepsDone({ training }: Pick<TrainJobResult, 'training'>): number {
  return training.at(-1)?.step ?? 0;
}

function controlOf(job: TrainJob, setting: TrainJobSetting, report: JobReport): LoopControl {
  return {
    onProgress: (at) => {
      if (at.step % REPORT_STEPS === 0 || at.step === at.steps) report({ kind: 'progress', name: job.name, at });
    },
    checkpointFile: jobFile(setting.runDir, job.name, 'checkpoint'),
    resume: setting.resume,
    isStopped: () => Atomics.load(setting.stop, 0) > 0,
    isOutOfTime: () => systemClock.nowMs() >= setting.deadlineMs,
    nowMs: () => systemClock.monotonicMs(),
  };
}
