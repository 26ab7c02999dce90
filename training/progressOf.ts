import { systemClock } from '../src/core/Clock.ts';
import type { JobReport } from './loop/TrainJob.ts';
import type { EventFile } from './tensorboard/EventFile.ts';
import type { TrainEvent } from './TrainOptions.ts';

/** Weight of the newest interval in the rate. */
const RATE_SHARE = 0.1;

/**
 * Turns what jobs report into one progress over all of them: share of all steps, rate, time that is left at that rate; and into TensorBoard
 * events where they are wanted.
 */
export function progressOf(batchSize: number, onEvent: (event: TrainEvent) => void, events: EventFile | undefined): JobReport {
  const jobs = new Map<string, { step: number; steps: number }>();
  let expected = 1;
  let lastMs = systemClock.monotonicMs();
  let lastSteps = 0;
  let stepsPerS = 0;
  return (message) => {
    if (message.kind === 'jobs') return void (expected = message.count);
    if (message.kind === 'trunk') return onEvent({ kind: 'trunk', done: message.done, total: message.total });
    if (message.kind === 'validation') return events?.add(`${message.name}/validation loss`, message.at.step, message.at.loss);
    const { step, steps, loss, rate } = message.at;
    jobs.set(message.name, { step, steps });
    events?.add(`${message.name}/loss`, step, loss);
    events?.add(`${message.name}/learning rate`, step, rate);
    const known = [...jobs.values()];
    const done = known.reduce((sum, job) => sum + job.step, 0);
    const nowMs = systemClock.monotonicMs();
    const newest = ((done - lastSteps) * 1000) / Math.max(1, nowMs - lastMs);
    stepsPerS = stepsPerS === 0 ? newest : (1 - RATE_SHARE) * stepsPerS + RATE_SHARE * newest;
    [lastMs, lastSteps] = [nowMs, done];
    // Jobs that have not begun are taken to be as long as those that have.
    const total = (known.reduce((sum, job) => sum + job.steps, 0) / known.length) * Math.max(expected, known.length);
    onEvent({
      kind: 'training',
      jobs: Math.max(expected, known.length),
      jobsDone: known.filter((job) => job.step >= job.steps).length,
      share: Math.min(1, done / total),
      loss,
      rowsPerS: stepsPerS * batchSize,
      etaS: (total - done) / Math.max(stepsPerS, 1e-9),
    });
  };
}
