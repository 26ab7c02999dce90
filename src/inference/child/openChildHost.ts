import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import { batchRows, copyRow, NOBODY, WAY, type BatchingOptions } from '../batchRows.ts';
import type { NetworkOutput } from '../../model/NetworkSpec.ts';
import type { InferenceRow, Parcel, ServingHost } from '../InferenceHost.ts';
import { batchTimes } from '../NetworkTable.ts';
import type { Answers } from './frames.ts';
import { NetworkChild, type Hello, type Opened } from './NetworkChild.ts';

export type ChildHostOptions = BatchingOptions & {
  /** The program of the process. */
  readonly program: string;
  readonly backend: string;
  readonly logger: Logger;
  /** What the program is told of a version beside its network; it can be cloned. */
  readonly briefing?: (version: ModelFolder) => unknown;
};

export type ChildHost = ServingHost & {
  readonly runtime: Hello;
  tensors(): Answers['tensors'];
  /** Of the process that runs now. */
  readonly pid: number | undefined;
};

/** Waiting times before a process that ended is started again: each twice the one before. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A process that answered for this long had no trouble at its start. */
const SOUND_MS = 60_000;

/**
 * Runs networks in a process of their own: native code that fails takes that process down and not the service, which starts it again, with everything
 * that was open. Meanwhile rows are refused with ServiceError `service.not_ready`. Throws ServiceError `runtime.refused` where no backend opens at first.
 */
export async function openChildHost(options: ChildHostOptions): Promise<ChildHost> {
  const { clock, logger, briefing = () => undefined } = options;
  const versions = new Map<string, ModelFolder>();
  let opened: Opened = { warmed: [], tensors: { count: 0, bytes: 0 } };
  let [isUp, isClosed, pauseMs, upSinceMs] = [false, false, FIRST_PAUSE_MS, clock.monotonicMs()];
  let cancelRestart = (): void => {};

  const start = (): NetworkChild => new NetworkChild({ ...options, onEnd: (reason) => onEnd(reason), onText: (lines) => onText(lines) });
  const onText = (lines: string): void => {
    for (const text of lines.trimEnd().split('\n')) logger.warn('the inference process wrote', { text });
  };
  const rise = (): void => {
    isUp = true;
    upSinceMs = clock.monotonicMs();
  };
  const onEnd = (reason: string): void => {
    const wasSound = isUp && clock.monotonicMs() - upSinceMs > SOUND_MS;
    isUp = false;
    if (isClosed) return;
    if (wasSound) pauseMs = FIRST_PAUSE_MS;
    logger.error('the process of the network ended', { reason, startAgainInMs: pauseMs });
    cancelRestart = clock.after(pauseMs, () => void restart(), true);
    pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
  };
  const restart = async (): Promise<void> => {
    const startMs = clock.monotonicMs();
    child = start();
    try {
      await child.hello;
      for (const [networkId, version] of versions) opened = await child.open(networkId, version, briefing(version));
      rise();
      logger.info('the process of the network is back', { ms: Math.round(clock.monotonicMs() - startMs) });
    } catch (error) {
      logger.error('the process of the network did not start', { error });
      // Where it has ended already, that has been seen to.
      child.end();
    }
  };

  let child = start();
  let runtime: Hello;
  try {
    runtime = await child.hello;
  } catch (error) {
    isClosed = true;
    cancelRestart();
    child.end();
    throw error;
  }
  rise();
  const batcher = batchRows<Item, NetworkOutput | Buffer>(
    async (group, items) => {
      const { tensors, results } = await runItems(child, group, items);
      opened = { ...opened, tensors };
      return results;
    },
    () => batchTimes(opened.warmed),
    WAY.toProcess,
    options,
  );
  return {
    runtime,
    infer: (networkId, row, asking = NOBODY) =>
      isUp ? (batcher.submit(ROWS + networkId, copyRow(row), asking) as Promise<NetworkOutput>) : Promise.reject(restarting()),
    program: {
      hand: (networkId, parcel, asking = NOBODY) =>
        isUp ? (batcher.submit(PARCELS + networkId, parcel, asking) as Promise<Buffer>) : Promise.reject(restarting()),
      get inHand() {
        return batcher.waiting + batcher.running;
      },
    },
    open: async (networkId, version) => {
      opened = await child.open(networkId, version, briefing(version));
      versions.set(networkId, version);
    },
    drop: (networkId) => {
      versions.delete(networkId);
      child.drop(networkId);
    },
    isUp: () => isUp,
    tensors: () => opened.tensors,
    get pid() {
      return child.pid;
    },
    get warmed() {
      return opened.warmed;
    },
    get waiting() {
      return batcher.waiting;
    },
    close: async () => {
      isClosed = true;
      cancelRestart();
      batcher.close();
      child.end();
    },
  };
}

/** Rows and parcels wait in one queue, but no batch holds both: what kind it is stands before the network's name. */
const ROWS = 'rows ';
const PARCELS = 'parcels ';
type Item = InferenceRow | Parcel;
type Results = { readonly tensors: Answers['tensors']; readonly results: readonly (NetworkOutput | Buffer | ServiceError)[] };

async function runItems(child: NetworkChild, group: string, items: readonly Item[]): Promise<Results> {
  if (group.startsWith(ROWS)) {
    const { tensors, outputs } = await child.run(group.slice(ROWS.length), items as readonly InferenceRow[]);
    return { tensors, results: outputs };
  }
  const { tensors, answers } = await child.hand(group.slice(PARCELS.length), items as readonly Parcel[]);
  return { tensors, results: answers };
}

function restarting(): ServiceError {
  return new ServiceError('service.not_ready', 'The process of the network is being started again.');
}
