import { parentPort, workerData } from 'node:worker_threads';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { buildTask, type RowTask, type RowWorkerData } from './buildRow.ts';

const builder = new FeatureBuilder();

parentPort?.on('message', (task: RowTask) => {
  buildTask(workerData as RowWorkerData, task, builder);
  parentPort?.postMessage(null);
});
