import { systemClock } from '../../src/core/Clock.ts';
import { permutedRows } from '../evaluation/permutedPlacebo.ts';
import { splitValidation } from '../splits/splitValidation.ts';
import { addTreeUnits } from '../context/addTreeUnits.ts';
import { fitBaselines, predictRows } from './predictRows.ts';
import { fineTuneHeads } from './fineTuneHeads.ts';
import { jobFile, readResult, writeResult, type JobReport, type TrainJob, type TrainJobResult, type TrainJobSetting } from './TrainJob.ts';
import type { LoopControl } from './LoopTypes.ts';
import { trainNetwork } from './trainNetwork.ts';

/** Steps between two progress reports. */
const REPORT_STEPS = 10;

/**
 * Runs one job on the open runtime: fits the baseline, trains from it (or from a checkpoint) and predicts. In a resumed run, the result of
 * a finished job is read from its file. Throws the errors of `trainLoop`.
 */
export function runJob(job: TrainJob, given: TrainJobSetting, report: JobReport): TrainJobResult {
  const known = given.resume ? readResult(given.runDir, job.name) : undefined;
  if (known !== undefined) {
    report({ kind: 'ended', name: job.name, steps: stepsDone(known) });
    return known;
  }
  const startMs = systemClock.monotonicMs();
  const setting =
    job.kind === 'heads' || job.permuteSeed === undefined
      ? given
      : { ...given, ...permutedRows(given.trainRows, given.testRows, job.permuteSeed) };
  const { trainRows, testRows } = setting;
  const groupOf = (instrument: number): string => setting.groups[instrument] ?? '';
  const { training, validation } = splitValidation(trainRows, job.train, groupOf);
  const baselines = fitBaselines(trainRows, training, setting.spec.heads);
  const control = controlOf(job, setting, report);
  const options = { ...setting, seed: job.seed, baselines, validation };
  const trained =
    job.kind === 'network'
      ? { ...trainNetwork(trainRows, training, options, control), parentPredicted: null, placeboPredicted: null }
      : fineTuneHeads(job, setting, { training, validation, baselines }, control, report);
  const { spec, weights } =
    job.kind === 'network'
      ? addTreeUnits({ spec: setting.spec, weights: trained.weights }, trainRows, training, baselines, job.seed)
      : { spec: setting.spec, weights: trained.weights };
  const predicted = 'predicted' in trained ? trained.predicted : predictRows(spec, weights, testRows, job.test);
  const validated = 'validated' in trained ? trained.validated : predictRows(spec, weights, trainRows, validation);
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  const { parentPredicted, placeboPredicted, waitFraction, bestStep, bestLoss, finalLoss, steps, ended } = trained;
  const rowsPerS = (stepsDone(trained) * Math.min(setting.batchSize, training.length)) / seconds;
  const result: TrainJobResult = {
    name: job.name,
    spec,
    weights,
    baselines,
    predicted,
    validated,
    parentPredicted,
    placeboPredicted,
    training: trained.training,
    validation: trained.validation,
    bestStep,
    bestLoss,
    finalLoss,
    steps,
    ended,
    waitFraction,
    rowsPerS,
    seconds,
  };
  writeResult(setting.runDir, result);
  report({ kind: 'ended', name: job.name, steps: stepsDone(result) });
  return result;
}

function stepsDone({ training }: Pick<TrainJobResult, 'training'>): number {
  return training.at(-1)?.step ?? 0;
}

function controlOf(job: TrainJob, setting: TrainJobSetting, report: JobReport): LoopControl {
  return {
    onProgress: (at) => {
      if (at.step % REPORT_STEPS === 0 || at.step === at.steps) report({ kind: 'progress', name: job.name, at });
    },
    ...(setting.runDir === '' ? {} : { checkpointFile: jobFile(setting.runDir, job.name, 'checkpoint') }),
    checkpointEveryMs: setting.checkpointEveryMs,
    resume: setting.resume,
    isStopped: () => Atomics.load(setting.stop, 0) > 0,
    isOutOfTime: () => systemClock.nowMs() >= setting.deadlineMs,
    nowMs: () => systemClock.monotonicMs(),
  };
}
