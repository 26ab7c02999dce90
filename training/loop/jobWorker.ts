import { parentPort, workerData } from 'node:worker_threads';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { openRuntime } from '../../src/engine/runtime/openRuntime.ts';
import { runJob } from './runJob.ts';
import type { TrainJob, TrainJobMessage, TrainJobSetting } from './TrainJob.ts';

const setting = workerData as TrainJobSetting;
const post = (message: TrainJobMessage): void => parentPort?.postMessage(message);
const opened = openRuntime(setting.backend, { probe: () => Promise.resolve(undefined) });

parentPort?.on('message', (job: TrainJob) => {
  void opened
    .then(() => post({ kind: 'done', result: runJob(job, setting, post) }))
    .catch((error: unknown) => {
      const code = error instanceof ServiceError ? error.code : 'internal.unexpected';
      const isOurs = error instanceof ServiceError;
      const message = error instanceof Error ? (isOurs ? error.message : (error.stack ?? error.message)) : String(error);
      post({ kind: 'failed', code, message });
    });
});
