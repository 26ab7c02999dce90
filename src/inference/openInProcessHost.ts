import { systemClock } from '../core/Clock.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { batchRows, copyRow, WAY, type BatchingOptions } from './batchRows.ts';
import type { ServingHost } from './InferenceHost.ts';
import { batchTimes, NetworkTable, type TableOptions } from './NetworkTable.ts';
import { joinRows } from './runBatch.ts';

export type HostOptions = TableOptions & Partial<BatchingOptions>;

/**
 * Puts every version on the opened backend under its id, warms it up, checks each against its golden rows by the ways it will take in service, and
 * answers rows on the calling thread: those that arrive in one turn of the event loop together. Throws ServiceError `model.refused` when a version does
 * not give its golden answers.
 */
export function openInProcessHost(versions: readonly ModelFolder[], options: HostOptions = {}): ServingHost {
  const table = new NetworkTable(options);
  try {
    for (const version of versions) table.open(version.manifest.id, version);
  } catch (error) {
    table.close();
    throw error;
  }
  const batcher = batchRows(
    async (networkId, rows) => table.run(networkId, joinRows(rows)),
    () => batchTimes(table.warmed),
    WAY.onThread,
    { clock: systemClock, ...options },
  );
  return {
    infer: (networkId, row, limits) => batcher.submit(networkId, copyRow(row), limits),
    open: async (networkId, version) => table.open(networkId, version),
    drop: (networkId) => table.drop(networkId),
    isUp: () => true,
    get warmed() {
      return table.warmed;
    },
    get waiting() {
      return batcher.queued;
    },
    close: async () => {
      batcher.close();
      table.close();
    },
  };
}
