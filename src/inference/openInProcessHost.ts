import { Batcher } from '../batching/Batcher.ts';
import { chooseMaxBatch } from '../batching/batchPolicy.ts';
import { DurationModel, type BatchTime } from '../batching/DurationModel.ts';
import { systemClock, type Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { ModelFolder } from '../model/modelFiles.ts';
import { Network } from '../model/Network.ts';
import { ReadoutChoice } from '../model/ReadoutChoice.ts';
import type { Runtime } from '../runtime/Runtime.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
import type { InferenceHost, InferenceRow } from './InferenceHost.ts';
import { runRows } from './runRows.ts';
import { selfCheck } from './selfCheck.ts';
import { warmUp, type WarmedBatch } from './warmUp.ts';

export type InProcessHost = InferenceHost & {
  /** What was measured with the first version, by batch size; empty without a version. */
  readonly warmed: readonly WarmedBatch[];
  /**
   * Puts a version on the backend under `networkId`, warms it up and checks it against its golden rows. Throws ServiceError `model.refused`;
   * nothing of it is left then.
   */
  open(networkId: string, version: ModelFolder): void;
  /** Rows that wait now. */
  readonly waiting: number;
  /** Frees what `open` took. The caller sees to it that nobody asks for it any more. */
  drop(networkId: string): void;
};

export type HostOptions = Pick<Runtime, 'tune'> & {
  /** The sizes to measure, by default those of a service. */
  readonly batches?: readonly number[];
  readonly clock?: Clock;
  /** Rows that may wait. */
  readonly maxWaiting?: number;
  /** Told of every batch that ran. */
  readonly onBatch?: (time: BatchTime) => void;
};

/** A row is some 5 kB: together about 10 MB. */
const MAX_WAITING = 2048;

/**
 * Puts every version on the opened backend under its id, warms it up, checks each against its golden rows by the ways it will take in service, and
 * answers rows on the calling thread: those that arrive in one turn of the event loop together. Throws ServiceError `model.refused` when a version does
 * not give its golden answers.
 */
export function openInProcessHost(
  versions: readonly ModelFolder[],
  { tune, batches, clock = systemClock, maxWaiting = MAX_WAITING, onBatch }: HostOptions = {},
): InProcessHost {
  const networks = new Map<string, Network>();
  /** Networks of one shape share what was measured. */
  const shapes = new Map<string, { readonly choice: ReadoutChoice; readonly warmed: readonly WarmedBatch[] }>();
  const open = (networkId: string, { manifest, weights, golden }: ModelFolder): void => {
    const key = JSON.stringify(manifest.network);
    const choice = shapes.get(key)?.choice ?? new ReadoutChoice();
    const network = new Network(manifest.network, weights, choice);
    try {
      const warmed = shapes.get(key)?.warmed ?? warmUp(network, tune, choice, batches);
      selfCheck(manifest.id, network, golden);
      shapes.set(key, { choice, warmed });
    } catch (error) {
      network.dispose();
      throw error;
    }
    networks.set(networkId, network);
  };
  const drop = (networkId: string): void => {
    networks.get(networkId)?.dispose();
    networks.delete(networkId);
  };
  const closeAll = (): void => {
    for (const networkId of [...networks.keys()]) drop(networkId);
  };
  try {
    for (const version of versions) open(version.manifest.id, version);
  } catch (error) {
    closeAll();
    throw error;
  }
  const measured = (): BatchTime[] =>
    ([...shapes.values()][0]?.warmed ?? []).map(({ batch, readout: { chosen, timesMs } }) => ({ size: batch, ms: timesMs[chosen] }));
  let durations: DurationModel | undefined;
  let maxBatch: number | undefined;
  const batcher = new Batcher<InferenceRow, NetworkOutput>({
    run: async (networkId, rows) => {
      const network = networks.get(networkId);
      if (network === undefined) throw new ServiceError('model.unknown', `No model ${networkId} is loaded.`);
      return runRows(networkId, network, rows);
    },
    clock,
    // What else has arrived by then joins the batch.
    whenArrived: (start) => void setImmediate(start),
    // Known once the first version is warm.
    durations: { expect: (size) => (durations ??= new DurationModel(measured())).expect(size), learn: (time) => durations?.learn(time) },
    maxBatch: () => (maxBatch ??= chooseMaxBatch(measured())),
    maxWaiting,
    ...(onBatch === undefined ? {} : { onBatch }),
  });
  return {
    infer: (networkId, { sequence, context, baseline, head }, asking = NOBODY) =>
      batcher.submit(networkId, { sequence: sequence.slice(), context: context.slice(), baseline, head }, asking),
    open,
    drop,
    get warmed() {
      return [...shapes.values()][0]?.warmed ?? [];
    },
    get waiting() {
      return batcher.waiting;
    },
    close: () => {
      batcher.close();
      return Promise.resolve(closeAll());
    },
  };
}

const NOBODY = { owner: '' };
