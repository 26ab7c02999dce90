import { ServiceError } from '../../../core/ServiceError.ts';
import type { Tracer } from '../../../core/Tracer.ts';
import type { ModelFolder } from '../../model/modelFiles.ts';
import type { NetworkOutput } from '../../model/NetworkWeights.ts';
import type { TensorUse } from '../../runtime/tensorUse.ts';
import { chooseMaxBatch } from '../warmUp.ts';
import type { InferenceRow, ServingHost } from '../InferenceHost.ts';
import { MicroBatcher, TO_PROCESS, type BatchTime } from '../MicroBatcher.ts';
import { runTraced } from '../runTraced.ts';
import type { Hello, Opened } from './frames.ts';
import { InferenceSupervisor, type InferenceOptions } from './InferenceSupervisor.ts';
import type { NetworkClient } from './NetworkClient.ts';

export type ChildHostOptions = Omit<InferenceOptions, 'prepare' | 'onUp'> & {
  /** Left out: no traces. */
  readonly tracer?: Tracer | undefined;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
  /**
   * Called where a restarted process refuses a version that the process before had opened. Throws where the service cannot go on without it: then the
   * restart has failed and is tried again.
   */
  readonly onRefused?: (networkId: string, error: ServiceError) => void;
};

export type ChildHost = ServingHost & {
  /** Of the process that runs now. */
  readonly runtime: Hello;
  tensors(): TensorUse;
  /** How often the process was started again, or connected to again. */
  restarts(): number;
  /** Of the process that runs now. */
  readonly pid: number | undefined;
};

/**
 * Runs networks in the inference process: a crash of native code ends that process and not the service. It is started again, or connected to again
 * where the primary process starts it, and the same versions are opened.
 * Meanwhile rows are refused with ServiceError `service.not_ready`. Throws ServiceError `runtime.refused` where no backend opens at first.
 */
export async function openChildHost(options: ChildHostOptions): Promise<ChildHost> {
  const { logger, onRefused = refuse, tracer } = options;
  const versions = new Map<string, ModelFolder>();
  let opened: Opened = NOTHING_OPENED;

  /** Opens the versions of the process before, also those that came or went meanwhile. */
  const prepare = async (client: NetworkClient): Promise<Hello> => {
    const hello = await client.hello;
    opened = NOTHING_OPENED;
    for (const [networkId, version] of versions) {
      try {
        opened = await client.open(networkId, version);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'model.refused') throw error;
        onRefused(networkId, error);
        versions.delete(networkId);
      }
    }
    return hello;
  };
  const supervisor = new InferenceSupervisor({
    ...options,
    prepare,
    onUp: (_client, hello) => {
      if (runtime !== undefined && hello.description !== runtime.description)
        logger.warn('the inference process restarted on another backend', { backend: hello.backend, device: hello.description });
      runtime = hello;
    },
  });
  let runtime: Hello | undefined;
  const up = (): NetworkClient => {
    if (supervisor.up === undefined) throw restarting();
    return supervisor.up;
  };
  const batcher = new MicroBatcher<InferenceRow, NetworkOutput>({
    ...options,
    ...TO_PROCESS,
    maxBatch: () => chooseMaxBatch(opened.warmed),
    run: async (networkId, rows) => {
      const { tensors, outputs } = await runTraced(tracer, rows, (traceparent) => up().run(networkId, rows, traceparent));
      opened = { ...opened, tensors };
      return outputs;
    },
  });
  const first = await supervisor.start();
  return {
    get runtime() {
      return runtime ?? first;
    },
    infer: (networkId, row, deadlineMs) =>
      supervisor.up === undefined
        ? Promise.reject(restarting())
        : batcher.submit(networkId, { trace: tracer?.current, ...row }, deadlineMs),
    open: async (networkId, version) => {
      const client = up();
      const result = await client.open(networkId, version);
      // Its process may have ended right after the reply: then the caller tries again with the next one.
      if (supervisor.up !== client) throw restarting();
      opened = result;
      versions.set(networkId, version);
    },
    drop: (networkId) => {
      versions.delete(networkId);
      supervisor.latest?.drop(networkId);
    },
    isUp: () => supervisor.up !== undefined,
    tensors: () => opened.tensors,
    restarts: () => supervisor.restarts,
    get pid() {
      return supervisor.latest?.pid;
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
  return new ServiceError('service.not_ready', 'The inference process is restarting.');
}
