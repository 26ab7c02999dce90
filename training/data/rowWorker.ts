import { parentPort, workerData } from 'node:worker_threads';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { buildRow, ROW_FATES } from './buildRow.ts';
import type { RowTask, RowWorkerData } from './RowThreads.ts';

const { rows, fates } = workerData as RowWorkerData;
const builder = new FeatureBuilder();

parentPort?.on('message', ({ series, block, first, from, to }: RowTask) => {
  try {
    for (let at = from; at < to; at++) {
      const row = first + at;
      fates[row] = ROW_FATES.indexOf(buildRow(rows, row, series, block, at, builder));
    }
    parentPort?.postMessage(null);
  } catch (error) {
    parentPort?.postMessage(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
});
