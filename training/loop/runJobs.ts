import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ErrorCode } from '../../src/core/errorTable.ts';
import { ServiceError } from '../../src/core/ServiceError.ts';
import type { JobReport, TrainJob, TrainJobMessage, TrainJobResult, TrainJobSetting } from './TrainJob.ts';

/**
 * Runs jobs on `workers` threads, each with its own backend over the shared rows; results are in the order of `jobs`. The first failure
 * ends all of them and is thrown. On a requested stop, each writes its checkpoint first.
 */
export async function runJobs(
  jobs: readonly TrainJob[],
  setting: TrainJobSetting,
  workers: number,
  report: JobReport,
): Promise<TrainJobResult[]> {
  const results: TrainJobResult[] = new Array<TrainJobResult>(jobs.length);
  report({ kind: 'jobs', count: jobs.length });
  let next = 0;
  const threads: Worker[] = [];
  const work = async (): Promise<void> => {
    // Works from source and from the build.
    const worker = new Worker(new URL(import.meta.url.endsWith('.ts') ? './jobWorker.ts' : './jobWorker.js', import.meta.url), {
      workerData: setting,
    });
    threads.push(worker);
    while (next < jobs.length) {
      const at = next++;
      results[at] = await runOn(worker, jobs[at] as TrainJob, report);
    }
  };
  const working = Array.from({ length: Math.min(workers, jobs.length) }, work);
  try {
    await Promise.all(working);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'training.stopped') await Promise.allSettled(working);
    throw error;
  } finally {
    await Promise.all(threads.map((worker) => worker.terminate()));
  }
  return results;
}

async function runOn(worker: Worker, job: TrainJob, report: JobReport): Promise<TrainJobResult> {
  worker.postMessage(job);
  for await (const [message] of on(worker, 'message', { close: ['exit'] }) as AsyncIterable<[TrainJobMessage]>) {
    if (message.kind === 'done') return message.result;
    if (message.kind === 'failed') throw new ServiceError(message.code as ErrorCode, message.message);
    report(message);
  }
  throw new Error('A training thread exited.');
}
