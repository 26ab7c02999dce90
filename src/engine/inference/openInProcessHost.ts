import { systemClock, type Clock } from '../../core/Clock.ts';
import type { Tracer } from '../../core/Tracer.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import { chooseMaxBatch } from './warmUp.ts';
import type { InferenceRow, ServingHost } from './InferenceHost.ts';
import { MicroBatcher, ON_THREAD, type BatchTime } from './MicroBatcher.ts';
import { runTraced } from './runTraced.ts';
import { NetworkPool, type PoolOptions, NetworkTable } from './NetworkPool.ts';
import { joinRows } from './runBatch.ts';

export type HostOptions = PoolOptions & {
  readonly clock?: Clock;
  /** Left out: no traces. */
  readonly tracer?: Tracer | undefined;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
};

/**
 * Puts every version on the opened backend under its id, warms it up, checks each against its golden rows by the ways it will take in service, and
 * answers rows on the calling thread: those that arrive in one iteration of the event loop together. Throws ServiceError `model.refused` when a version does
 * not give its golden answers.
 */
export function openInProcessHost(versions: readonly ModelFolder[], options: HostOptions = {}): ServingHost {
  const { tracer } = options;
  const pool = new NetworkPool(options);
  const table = new NetworkTable(pool);
  try {
    for (const version of versions) table.open(version.manifest.id, version);
  } catch (error) {
    table.close();
    throw error;
  }
  const batcher = new MicroBatcher<InferenceRow, NetworkOutput>({
    clock: systemClock,
    ...options,
    ...ON_THREAD,
    maxBatch: () => chooseMaxBatch(pool.warmed),
    run: (networkId, rows) => runTraced(tracer, rows, () => table.run(networkId, joinRows(rows))),
  });
  return {
    infer: (networkId, { sequence, context, baseline, head }, deadlineMs) =>
      batcher.submit(networkId, { sequence, context, baseline, head, trace: tracer?.current }, deadlineMs),
    open: async (networkId, version) => table.open(networkId, version),
    drop: (networkId) => table.drop(networkId),
    isUp: () => true,
    get warmed() {
      return pool.warmed;
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
