import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { Supervisor, type ChildRun } from '../../core/Supervisor.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { NetworkOutput } from '../../model/NetworkSpec.ts';
import { chooseMaxBatch } from '../chooseMaxBatch.ts';
import type { InferenceRow, ServingHost } from '../InferenceHost.ts';
import { MicroBatcher, TO_PROCESS, type BatchTime } from '../MicroBatcher.ts';
import { copyRow } from '../runBatch.ts';
import type { Answers } from './frames.ts';
import { NetworkChild, type Hello, type Opened } from './NetworkChild.ts';

export type ChildHostOptions = {
  readonly clock: Clock;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
  /** The program of the process. */
  readonly program: string;
  readonly backend: string;
  /** A process that is not ready after this time is killed. */
  readonly startMs: number;
  /** Longest time of one probe of a backend. */
  readonly probeMs: number;
  readonly logger: Logger;
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
  const { clock, logger, startMs, onRefused = refuse } = options;
  const versions = new Map<string, ModelFolder>();
  let opened: Opened = NOTHING_OPENED;

  /** Opens the versions of the process before, also those that came or went meanwhile. */
  const prepare = async (child: NetworkChild): Promise<Hello> => {
    const hello = await child.hello;
    opened = NOTHING_OPENED;
    for (const [networkId, version] of versions) {
      try {
        opened = await child.open(networkId, version);
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
    },
  });
  let runtime: Hello | undefined;
  const up = (): NetworkChild => {
    const child = supervisor.up?.child;
    if (child === undefined) throw restarting();
    return child;
  };
  const batcher = new MicroBatcher<InferenceRow, NetworkOutput>({
    ...options,
    ...TO_PROCESS,
    maxBatch: () => chooseMaxBatch(opened.warmed),
    run: async (networkId, rows) => {
      const { tensors, outputs } = await up().run(networkId, rows);
      opened = { ...opened, tensors };
      return outputs;
    },
  });
  const first = await supervisor.start().catch((error: unknown): never => {
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError('runtime.refused', `The inference process did not start: ${reason}.`, { cause: error });
  });
  return {
    get runtime() {
      return runtime ?? first;
    },
    infer: (networkId, row, deadlineMs) =>
      supervisor.up === undefined ? Promise.reject(restarting()) : batcher.submit(networkId, copyRow(row), deadlineMs),
    open: async (networkId, version) => {
      const child = up();
      const result = await child.open(networkId, version);
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
      return batcher.queued;
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

function restarting(): ServiceError {
  return new ServiceError('service.not_ready', 'The inference process is being started again.');
}
