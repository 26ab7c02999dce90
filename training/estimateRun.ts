import { systemClock } from '../src/core/Clock.ts';
import { seededRandom } from '../src/core/Random.ts';
import { CONTEXT_COLUMNS } from '../src/engine/features/columns.ts';
import type { TrainEvent, TrainEstimate, TrainOptions } from './TrainOptions.ts';
import { type RowPlan, thinPlan } from './data/RowPlan.ts';
import { SEQUENCE_SIZE } from './data/RowSet.ts';
import { buildRows } from './data/buildRows.ts';
import { allocateBatch, fillBatch } from './loop/Batch.ts';
import type { JobReport } from './loop/TrainJob.ts';
import { initialWeights } from './loop/scaling.ts';
import { lossAndGradients } from './loop/lossAndGradients.ts';
import { trunkRows } from './loop/trunkRows.ts';
import { networkSpec } from './networkSpec.ts';
import type { RunPlan } from './planRun.ts';
import { allRows } from './splits/planFolds.ts';

/**
 * Combines the reports of all jobs into one progress: fraction of all steps, and the rate and the remaining time at the pace of the whole run,
 * which contains what jobs do before and after their steps. Threads report in bursts: the rate between two messages is meaningless.
 */
export function progressOf(
  batchSize: number,
  onEvent: (event: TrainEvent) => void,
  nowMs: () => number = () => systemClock.monotonicMs(),
): JobReport {
  const jobs = new Map<string, { step: number; steps: number }>();
  let expected = 1;
  let ownSteps = 0;
  let startMs: number | undefined;
  return (message) => {
    if (message.kind === 'jobs') return void (expected = message.count);
    if (message.kind === 'trunk') return onEvent({ kind: 'trunk', done: message.done, total: message.total });
    if (message.kind === 'ended') return void jobs.set(message.name, { step: message.steps, steps: message.steps });
    const { step, steps, loss } = message.at;
    // The first message of a resumed job includes steps of an earlier run.
    ownSteps += step - (jobs.get(message.name)?.step ?? step);
    startMs ??= nowMs();
    jobs.set(message.name, { step, steps });
    const known = [...jobs.values()];
    const done = known.reduce((sum, job) => sum + job.step, 0);
    const seconds = Math.max((nowMs() - startMs) / 1000, 1e-3);
    // Jobs that have not started are assumed to be as long as the others.
    const total = (known.reduce((sum, job) => sum + job.steps, 0) / known.length) * Math.max(expected, known.length);
    onEvent({
      kind: 'training',
      jobs: Math.max(expected, known.length),
      jobsDone: known.filter((job) => job.step >= job.steps).length,
      share: Math.min(1, done / total),
      loss,
      rowsPerS: (ownSteps * batchSize) / seconds,
      etaS: ((total - done) * seconds) / Math.max(ownSteps, 1e-9),
    });
  };
}

/** Number of windows and rows to time, at least. */
const WINDOWS = 200;
const ROWS = 64;
/** Memory of a run without its rows: the program, one segment of ticks, a backend. */
const FIXED_MB = 400;

/** Estimates the cost of a run on this machine: computes a few windows and steps on the open runtime and discards them. */
export async function estimateRun(options: TrainOptions, plan: RunPlan): Promise<TrainEstimate> {
  const sample = thinPlan(plan.train, Math.max(1, Math.floor(plan.train.count / WINDOWS)));
  const timed = async <T>(run: () => T | Promise<T>): Promise<[T, number]> => {
    const startMs = systemClock.monotonicMs();
    return [await run(), (systemClock.monotonicMs() - startMs) / 1000];
  };
  const [{ rows }, rowSeconds] = await timed(() => buildRows(plan.sources, sample, 1));
  const perWindow = rowSeconds / Math.max(1, sample.count);
  const rowsSeconds = (perWindow * (plan.train.count + plan.test.count)) / options.workers;
  const bytesOf = (of: RowPlan): number => of.count * 4 * (SEQUENCE_SIZE + of.draws * CONTEXT_COLUMNS);
  const memoryMb = FIXED_MB + (bytesOf(plan.train) + bytesOf(plan.test)) / 1e6;
  if (rows.count === 0) return { memoryMb, seconds: rowsSeconds };
  const spec = options.parent?.manifest.network ?? networkSpec(options.units);
  const index = allRows(rows).subarray(0, ROWS);
  const weights =
    options.parent?.weights ??
    initialWeights(
      spec,
      Array.from({ length: spec.heads }, () => ({ intercept: 0, slope: 1 })),
      1,
    );
  // The first run compiles and warms up; the second is timed.
  if (options.mode !== 'base') {
    trunkRows(spec, weights, rows, index, 2);
    const [, seconds] = await timed(() => trunkRows(spec, weights, rows, index, 2));
    return { memoryMb, seconds: rowsSeconds + (seconds / index.length) * (plan.train.count + plan.test.count) * 2 };
  }
  const batch = allocateBatch(Math.min(options.batchSize, index.length));
  const step = (): unknown => {
    fillBatch(batch, rows, index, 0, seededRandom(1));
    return lossAndGradients(spec, weights, batch);
  };
  step();
  const [, seconds] = await timed(step);
  const groups = new Set(plan.sources.map(({ group }) => group)).size;
  const networks = options.seeds * (groups > 1 ? groups + 1 : 2) + 1;
  return { memoryMb, seconds: rowsSeconds + ((seconds / batch.size) * plan.train.count * options.epochs * networks) / options.workers };
}
