import { systemClock } from '../src/core/Clock.ts';
import type { JobReport } from './loop/TrainJob.ts';
import type { EventFile } from './tensorboard/EventFile.ts';
import type { TrainEvent } from './TrainOptions.ts';

/** Time constant of the rate: older steps have a weight of 1/e or less. */
const RATE_MEMORY_S = 20;

/**
 * Combines the reports of all jobs into one progress: fraction of all steps, rate, remaining time at that rate; and writes TensorBoard
 * events if requested.
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
  // Both decay with time: threads report in bursts, so the rate between two messages is meaningless.
  let recentSteps = 0;
  let recentS = 0;
  return (message) => {
    if (message.kind === 'jobs') return void (expected = message.count);
    if (message.kind === 'trunk') return onEvent({ kind: 'trunk', done: message.done, total: message.total });
    if (message.kind === 'validation') return events?.add(`${message.name}/validation loss`, message.at.step, message.at.loss);
    if (message.kind === 'ended') return void jobs.set(message.name, { step: message.steps, steps: message.steps });
    const { step, steps, loss, rate } = message.at;
    // The first message of a resumed job includes steps of an earlier run.
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
    // Jobs that have not started are assumed to be as long as the others.
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
