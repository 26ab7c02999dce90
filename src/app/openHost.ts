import { fileURLToPath } from 'node:url';
import { tensorflowEnvironment } from '../config/settings.ts';
import type { Clock } from '../core/Clock.ts';
import { openChildHost, type ChildHostOptions } from '../inference/child/openChildHost.ts';
import type { ServingHost } from '../inference/InferenceHost.ts';
import { openInProcessHost, type HostOptions } from '../inference/openInProcessHost.ts';
import { openRuntime, servingLadder } from '../runtime/openRuntime.ts';
import type { BackendName, Runtime } from '../runtime/Runtime.ts';

export type OpenedHost = {
  readonly host: ServingHost;
  /** That of the inference process changes where a restart finds another backend. */
  readonly runtime: Pick<Runtime, 'backend' | 'description' | 'refused'>;
  /** What the backend holds; of a process of its own, after the last batch. */
  readonly tensors: () => { readonly count: number; readonly bytes: number };
};

export type OpenHostOptions = HostOptions & {
  readonly clock: Clock;
  /** Longest time of the start. */
  readonly startMs: number;
  readonly ownProcess?: Pick<ChildHostOptions, 'logger' | 'onRefused'>;
};

/** Of the time of a start, what the probe of one backend may take: where two hang, the third still opens. */
const PROBE_FRACTION = 3 / 8;

/** Opens the backend, in this process or in a child process. Throws ServiceError `runtime.refused`. */
export async function openHost(backend: 'auto' | BackendName, { ownProcess, ...options }: OpenHostOptions): Promise<OpenedHost> {
  const probeMs = PROBE_FRACTION * options.startMs;
  if (ownProcess === undefined) {
    const runtime = await openRuntime(backend, { environment: tensorflowEnvironment(), probeMs, ladder: servingLadder(backend) });
    const tensors = (): { count: number; bytes: number } => {
      const { numTensors, numBytes } = runtime.tf.memory();
      return { count: numTensors, bytes: numBytes };
    };
    return { host: openInProcessHost([], { ...runtime, ...options }), runtime, tensors };
  }
  const program = fileURLToPath(new URL(`./networkProcess${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));
  const host = await openChildHost({ ...options, ...ownProcess, probeMs, backend, program });
  return {
    host,
    get runtime() {
      return host.runtime;
    },
    tensors: () => host.tensors(),
  };
}
