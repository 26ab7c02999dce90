import { fileURLToPath } from 'node:url';
import { tensorflowEnvironment, type Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { ServingHost } from '../../engine/inference/InferenceHost.ts';
import { connectInference, spawnInference, type InferenceProcess } from '../../engine/inference/child/InferenceProcess.ts';
import { openChildHost, type ChildHostOptions } from '../../engine/inference/child/openChildHost.ts';
import { openInProcessHost, type HostOptions } from '../../engine/inference/openInProcessHost.ts';
import type { BackendName, CardFault, Runtime } from '../../engine/runtime/Runtime.ts';
import { openRuntime, servingBackends } from '../../engine/runtime/openRuntime.ts';
import { tensorUse, type TensorUse } from '../../engine/runtime/tensorUse.ts';

export type OpenedHost = {
  readonly host: ServingHost;
  /** That of the inference process changes where a restart finds another backend. */
  readonly runtime: Pick<Runtime, 'backend' | 'description' | 'refused'>;
  /** What the backend holds; of a process of its own, after the last batch. */
  readonly tensors: () => TensorUse;
  /** How often this process has started the inference process again. */
  readonly restarts: () => number;
};

export type OpenHostOptions = HostOptions & {
  readonly clock: Clock;
  /** Longest time of the start. */
  readonly startMs: number;
  /** Of a card that this process uses. */
  readonly onCardFault?: (fault: CardFault) => void;
  /** With `socketPath`, the process that listens there; else one that is started here. */
  readonly ownProcess?: Pick<ChildHostOptions, 'logger' | 'onRefused'> & { readonly socketPath?: string | undefined };
};

/** Opens the backend, in this process or in the inference process. Throws ServiceError `runtime.refused`. */
export async function openHost(backend: 'auto' | BackendName, { ownProcess, ...options }: OpenHostOptions): Promise<OpenedHost> {
  const { startMs } = options;
  if (ownProcess === undefined) {
    const environment = tensorflowEnvironment();
    const { onCardFault } = options;
    const opening = { environment, probeMs: probeMs(startMs), ladder: servingBackends(backend) };
    const runtime = await openRuntime(backend, { ...opening, onCardFault });
    return { host: openInProcessHost([], { ...runtime, ...options }), runtime, tensors: () => tensorUse(runtime), restarts: () => 0 };
  }
  const { socketPath, logger } = ownProcess;
  const source =
    socketPath === undefined
      ? { name: 'inference process', open: () => startInference({ backend, startMs, logger }) }
      : { name: 'connection to the inference process', open: () => connectInference(socketPath) };
  const host = await openChildHost({ ...options, ...ownProcess, ...source });
  return {
    host,
    get runtime() {
      return host.runtime;
    },
    tensors: () => host.tensors(),
    // With a socket, another process starts it, and this one connects again.
    restarts: () => (socketPath === undefined ? host.restarts() : 0),
  };
}

/** The fraction of the start timeout for the probe of one backend: if two hang, the third can still open. */
const PROBE_FRACTION = 3 / 8;

const probeMs = (startMs: number): number => PROBE_FRACTION * startMs;

/** Starts the inference process; with `socketPath` it listens there too. */
export function startInference(
  { backend, startMs, logger }: { readonly backend: Settings['runtimeBackend']; readonly startMs: number; readonly logger: Logger },
  socketPath?: string,
): InferenceProcess {
  const program = fileURLToPath(new URL(`./inferenceProcess${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
  return spawnInference(program, [backend, String(probeMs(startMs)), ...(socketPath === undefined ? [] : [socketPath])], logger);
}
