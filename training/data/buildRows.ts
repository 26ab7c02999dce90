import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { buildTask, ROW_FATES, type RowCounts, type RowTask, type RowWorkerData } from './buildRow.ts';
import { type RowPlan, walkPlan } from './RowPlan.ts';
import { allocateRows, SEQUENCE_SIZE, type RowSet } from './RowSet.ts';
import type { TickSource } from './TickSource.ts';

export type BuiltRows = { readonly rows: RowSet; readonly counts: RowCounts };
export type MadeRows = { readonly train: BuiltRows; readonly test: BuiltRows };

/** Windows per task: a task takes some tens of milliseconds. */
const TASK_WINDOWS = 400;

/**
 * Computes the rows of a plan, segment by segment, on `threads` threads; with fewer than two, in the calling one. Windows without features or
 * label are excluded and counted. The rows are in the order of the plan for any number of threads.
 */
export async function buildRows(
  sources: readonly TickSource[],
  plan: RowPlan,
  threads: number,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<BuiltRows> {
  const made: RowWorkerData = { rows: allocateRows(plan.count, plan.draws), fates: new Uint8Array(new SharedArrayBuffer(plan.count)) };
  // Works from source and from the build.
  const file = new URL(import.meta.url.endsWith('.ts') ? './rowWorker.ts' : './rowWorker.js', import.meta.url);
  const workers = Array.from({ length: threads > 1 ? threads : 0 }, () => new Worker(file, { workerData: made }));
  const builder = new FeatureBuilder();
  let done = 0;
  let first = 0;
  try {
    for (const { block, series } of walkPlan(sources, plan)) {
      const { windows } = block;
      const tasks: RowTask[] = [];
      for (let from = 0; from < windows.length; from += TASK_WINDOWS)
        tasks.push({ series, block: { ...block, windows: windows.slice(from, from + TASK_WINDOWS) }, first: first + from });
      const work = async (run: (task: RowTask) => unknown): Promise<void> => {
        for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
          await run(task);
          onProgress((done += task.block.windows.length), plan.count);
        }
      };
      const runOn = (worker: Worker) => (task: RowTask) => {
        worker.postMessage(task);
        return once(worker, 'message');
      };
      await Promise.all(
        workers.length === 0 ? [work((task) => buildTask(made, task, builder))] : workers.map((worker) => work(runOn(worker))),
      );
      first += windows.length;
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return compact(made.rows, made.fates);
}

/** Moves the used rows to the front in place; the arrays remain views of the same memory. */
function compact(rows: RowSet, fates: Uint8Array): BuiltRows {
  const counts: RowCounts = { used: 0, data_ends: 0, session_gap: 0, level_changed: 0, no_features: 0, window_too_short: 0 };
  for (let row = 0; row < fates.length; row++) {
    const fate = ROW_FATES[fates[row] as number] ?? 'no_features';
    if (fate === 'used' && counts.used !== row) moveRow(rows, row, counts.used);
    counts[fate]++;
  }
  return { rows: firstRows(rows, counts.used), counts };
}

/** Values per row of each array. */
function widths(draws: number): Readonly<Record<Exclude<keyof RowSet, 'count' | 'draws'>, number>> {
  return {
    sequence: SEQUENCE_SIZE,
    context: draws * CONTEXT_COLUMNS,
    baseline: draws,
    theta: draws,
    move: 1,
    thetaDefault: 1,
    hasPrice: 1,
    head: 1,
    horizonS: 1,
    windowS: 1,
    medianGapS: 1,
    instrument: 1,
    originUs: 1,
    barS: 1,
  };
}

function moveRow(rows: RowSet, from: number, to: number): void {
  for (const [name, width] of Object.entries(widths(rows.draws)))
    rows[name as 'sequence'].copyWithin(to * width, from * width, (from + 1) * width);
}

function firstRows(rows: RowSet, count: number): RowSet {
  const views = Object.entries(widths(rows.draws)).map(([name, width]) => [name, rows[name as 'sequence'].subarray(0, count * width)]);
  return { ...(Object.fromEntries(views) as Omit<RowSet, 'count' | 'draws'>), count, draws: rows.draws };
}
