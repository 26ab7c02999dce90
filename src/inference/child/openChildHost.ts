import type { Asking } from '../../batching/Batcher.ts';
import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { Supervisor, type ChildRun } from '../../core/Supervisor.ts';
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
  /** A process that is not ready after this time is killed. */
  readonly startMs: number;
  /** Longest time of one probe of a backend. */
  readonly probeMs: number;
  readonly logger: Logger;
  /** What the program is told of a version beside its network; it can be cloned. */
  readonly briefing?: (version: ModelFolder) => unknown;
  /**
   * Called where a restarted process refuses a version that the process before had opened. Throws where the service cannot go on without it: then the
   * restart has failed and is tried again.
   */
  readonly onRefused?: (networkId: string, error: ServiceError) => void;
};

export type ChildHost = ServingHost & {
  /** Of the process that runs now. */
  readonly runtime: Hello;
  tensors(): Answers['tensors'];
  /** Of the process that runs now. */
  readonly pid: number | undefined;
};

/** No batch takes this long: a process that says nothing for this time hangs. */
const SILENCE_MS = 5000;

/** The process with what it said when it was ready. */
type Life = ChildRun<Hello> & { readonly child: NetworkChild };

/**
 * Runs networks in a child process: a crash of native code ends that process and not the service, which starts it again and opens the same versions.
 * Meanwhile rows are refused with ServiceError `service.not_ready`. Throws ServiceError `runtime.refused` where no backend opens at first.
 */
export async function openChildHost(options: ChildHostOptions): Promise<ChildHost> {
  const { clock, logger, startMs, briefing = () => undefined, onRefused = refuse } = options;
  const versions = new Map<string, ModelFolder>();
  let opened: Opened = NOTHING_OPENED;

  /** Opens the versions of the process before, also those that came or went meanwhile. */
  const prepare = async (child: NetworkChild): Promise<Hello> => {
    const hello = await child.hello;
    opened = NOTHING_OPENED;
    for (const [networkId, version] of versions) {
      try {
        opened = await child.open(networkId, version, briefing(version));
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'model.refused') throw error;
        onRefused(networkId, error);
        versions.delete(networkId);
      }
    }
    return hello;
  };
  const onText = (lines: string): void => {
    for (const text of lines.trimEnd().split('\n')) logger.warn('the inference process wrote', { text });
  };
  const supervisor = new Supervisor<Hello, Life>({
    name: 'inference process',
    readyMs: startMs,
    silenceMs: SILENCE_MS,
    clock,
    logger,
    start: () => {
      const child = new NetworkChild({ ...options, onText });
      const ready = prepare(child);
      ready.catch(() => {});
      return {
        child,
        ready,
        ended: child.ended,
        get heard() {
          return child.heard;
        },
        get isBusy() {
          return child.isBusy;
        },
        ping: () => child.ping(),
        kill: () => child.kill(),
      };
    },
    onUp: (_life, hello) => {
      if (runtime !== undefined && hello.description !== runtime.description)
        logger.warn('the inference process runs on another backend now', { backend: hello.backend, device: hello.description });
      runtime = hello;
      batcher.remeasure();
    },
  });
  let runtime: Hello | undefined;
  const up = (): NetworkChild => {
    const child = supervisor.up?.child;
    if (child === undefined) throw restarting();
    return child;
  };
  const batcher = batchRows<Item, NetworkOutput | Buffer>(
    async (group, items) => {
      const { tensors, results } = await runItems(up(), group, items);
      opened = { ...opened, tensors };
      return results;
    },
    () => batchTimes(opened.warmed),
    WAY.toProcess,
    options,
  );
  const first = await supervisor.start().catch((error: unknown): never => {
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('runtime.refused', `The inference process did not start: ${reason}.`, { cause: error });
  });
  const submit = (group: string, item: Item, asking: Asking): Promise<NetworkOutput | Buffer> =>
    supervisor.up === undefined ? Promise.reject(restarting()) : batcher.submit(group, item, asking);
  return {
    get runtime() {
      return runtime ?? first;
    },
    infer: (networkId, row, asking = NOBODY) => submit(ROWS + networkId, copyRow(row), asking) as Promise<NetworkOutput>,
    program: {
      hand: (networkId, parcel, asking = NOBODY) => submit(PARCELS + networkId, parcel, asking) as Promise<Buffer>,
      get inHand() {
        return batcher.waiting + batcher.running;
      },
    },
    open: async (networkId, version) => {
      const child = up();
      const result = await child.open(networkId, version, briefing(version));
      // Its process may have ended right after the reply: then the caller tries again with the next one.
      if (supervisor.up?.child !== child) throw restarting();
      opened = result;
      versions.set(networkId, version);
    },
    drop: (networkId) => {
      versions.delete(networkId);
      supervisor.latest?.child.drop(networkId);
    },
    isUp: () => supervisor.up !== undefined,
    tensors: () => opened.tensors,
    get pid() {
      return supervisor.latest?.child.pid;
    },
    get warmed() {
      return opened.warmed;
    },
    get waiting() {
      return batcher.waiting;
    },
    close: async () => {
      batcher.close();
      await supervisor.stop();
    },
  };
}

const NOTHING_OPENED: Opened = { warmed: [], tensors: { count: 0, bytes: 0 } };

function refuse(_networkId: string, error: ServiceError): never {
  throw error;
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
  return new ServiceError('service.not_ready', 'The inference process is being started again.');
}
