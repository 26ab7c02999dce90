import { systemClock } from '../../src/core/Clock.ts';
import { fitBaselines } from './fitBaselines.ts';
import { predictRows } from './predictRows.ts';
import type { TrainJob, TrainJobResult, TrainJobSetting } from './TrainJob.ts';
import { trainNetwork, type LoopProgress } from './trainNetwork.ts';

/** Fits the baseline, trains a network that begins at it, and predicts the job's test rows. The runtime is open already. */
export function runJob(job: TrainJob, setting: TrainJobSetting, onProgress: (at: LoopProgress) => void): TrainJobResult {
  const startMs = systemClock.monotonicMs();
  const { trainRows, testRows, spec } = setting;
  const baselines = fitBaselines(trainRows, job.train, spec.heads);
  let finalLoss = NaN;
  const weights = trainNetwork(trainRows, job.train, { ...setting, baselines, seed: job.seed }, (at) => {
    finalLoss = at.loss;
    if (at.step % 10 === 0 || at.step === at.steps) onProgress(at);
  });
  const predicted = predictRows(spec, weights, testRows, job.test);
  return { name: job.name, baselines, weights, predicted, finalLoss, seconds: (systemClock.monotonicMs() - startMs) / 1000 };
}
