import { systemClock } from '../src/core/Clock.ts';
import type { JobReport } from './loop/TrainJob.ts';
import type { EventFile } from './tensorboard/EventFile.ts';
import type { TrainEvent } from './TrainOptions.ts';

/** What was done so long ago counts 1/e in the rate. */
const RATE_MEMORY_S = 20;

/**
 * Turns what jobs report into one progress over all of them: share of all steps, rate, time that is left at that rate; and into TensorBoard
 * events where they are wanted.
 */
export function progressOf(
  batchSize: number,
  onEvent: (event: TrainEvent) => void,
  events: EventFile | undefined,
  nowMs: () => number = () => systemClock.monotonicMs(),
): JobReport {
  const jobs = new Map<string, { step: number; steps: number }>();
  let expected = 1;
  let lastMs = nowMs();
  // Both fade with time: threads report in bursts, so a rate between two messages says nothing.
  let recentSteps = 0;
  let recentS = 0;
  return (message) => {
    if (message.kind === 'jobs') return void (expected = message.count);
    if (message.kind === 'trunk') return onEvent({ kind: 'trunk', done: message.done, total: message.total });
    if (message.kind === 'validation') return events?.add(`${message.name}/validation loss`, message.at.step, message.at.loss);
    if (message.kind === 'ended') return void jobs.set(message.name, { step: message.steps, steps: message.steps });
    const { step, steps, loss, rate } = message.at;
    // What a resumed job brings with its first message was not done now.
    const newSteps = step - (jobs.get(message.name)?.step ?? step);
    jobs.set(message.name, { step, steps });
    events?.add(`${message.name}/loss`, step, loss);
    events?.add(`${message.name}/learning rate`, step, rate);
    const known = [...jobs.values()];
    const done = known.reduce((sum, job) => sum + job.step, 0);
    const seconds = (nowMs() - lastMs) / 1000;
    lastMs += seconds * 1000;
    const kept = Math.exp(-seconds / RATE_MEMORY_S);
    recentSteps = recentSteps * kept + newSteps;
    recentS = recentS * kept + seconds;
    const stepsPerS = recentSteps / Math.max(recentS, 1e-3);
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
