import { Worker } from 'node:worker_threads';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { buildRow, ROW_FATES } from './buildRow.ts';
import type { PlanBlock } from './RowPlan.ts';
import type { RowSet } from './RowSet.ts';

export type RowWorkerData = { readonly rows: RowSet; readonly fates: Uint8Array };

/** Windows [from, to) of a block, whose window 0 is row `first`. The arrays of the series are in shared memory. */
export type RowTask = {
  readonly series: TickSeries;
  readonly block: PlanBlock;
  readonly first: number;
  readonly from: number;
  readonly to: number;
};

/** Windows per task: a task takes some tens of milliseconds. */
const TASK_WINDOWS = 400;

/**
 * Worker threads that compute the rows of planned windows into one shared RowSet. With fewer than two threads, the calling thread computes
 * them. The rows do not depend on the number of threads. `close` ends the threads.
 */
export class RowThreads {
  readonly #data: RowWorkerData;
  readonly #idle: Worker[] = [];
  readonly #all: Worker[] = [];
  readonly #builder = new FeatureBuilder();

  constructor(data: RowWorkerData, threads: number) {
    this.#data = data;
    for (let i = 0; threads > 1 && i < threads; i++) {
      // Works from source and from the build.
      const file = import.meta.url.endsWith('.ts') ? './rowWorker.ts' : './rowWorker.js';
      const worker = new Worker(new URL(file, import.meta.url), { workerData: data });
      this.#all.push(worker);
      this.#idle.push(worker);
    }
  }

  /** Computes all windows of a block. `onDone` is called per task with its number of windows. */
  async build(series: TickSeries, block: PlanBlock, first: number, onDone: (count: number) => void): Promise<void> {
    const tasks: RowTask[] = [];
    for (let from = 0; from < block.origin.length; from += TASK_WINDOWS)
      tasks.push({ series, block, first, from, to: Math.min(block.origin.length, from + TASK_WINDOWS) });
    const next = async (worker: Worker | undefined): Promise<void> => {
      for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
        if (worker === undefined) this.#buildHere(task);
        else await runOn(worker, task);
        onDone(task.to - task.from);
      }
    };
    await Promise.all(this.#idle.length === 0 ? [next(undefined)] : this.#idle.map(next));
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()));
  }

  #buildHere({ series, block, first, from, to }: RowTask): void {
    const { rows, fates } = this.#data;
    for (let at = from; at < to; at++) fates[first + at] = ROW_FATES.indexOf(buildRow(rows, first + at, series, block, at, this.#builder));
  }
}

function runOn(worker: Worker, task: RowTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error): void => {
      worker.off('message', onMessage);
      worker.off('error', finish);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onMessage = (fault: string | null): void => finish(fault === null ? undefined : new Error(fault));
    worker.on('message', onMessage);
    worker.on('error', finish);
    worker.postMessage(task);
  });
}
