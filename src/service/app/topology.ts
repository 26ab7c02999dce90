import { totalmem } from 'node:os';
import { availableProcessors } from '../../core/availableProcessors.ts';
import type { Settings } from '../../core/config/settings.ts';
import { installRoot } from '../../core/packageRoot.ts';
import { hasCudaParts } from '../../engine/runtime/nativeParts.ts';

export type HostResources = { readonly processors: number; readonly memoryBytes: number; readonly hasCuda: boolean };

/** Memory of one worker with its network, with room for its requests (docs/benchmarks/topology.md). */
const WORKER_BYTES = 256 * 1024 * 1024;
/** The fraction of the memory for all workers. */
const MEMORY_FRACTION = 0.5;
const MOST_WORKERS = 16;

/** This machine; its memory is that of the container where that is less. */
export function readHostResources(): HostResources {
  const constrained = process.constrainedMemory();
  return {
    processors: availableProcessors(),
    memoryBytes: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(),
    hasCuda: hasCudaParts(installRoot()),
  };
}

/**
 * Whether the network runs in a child process. Native code can crash the process that it runs in; WebAssembly cannot, and rows that stay in the
 * process that received the request cost least.
 */
export function hasInferenceProcess(
  { inferenceProcess, runtimeBackend }: Pick<Settings, 'inferenceProcess' | 'runtimeBackend'>,
  machine: HostResources,
): boolean {
  if (inferenceProcess !== 'auto') return inferenceProcess;
  if (runtimeBackend === 'auto') return machine.hasCuda;
  return runtimeBackend === 'tensorflow-cuda' || runtimeBackend === 'native';
}

/** Worker processes: one for each processor as far as memory allows; one where the network runs in the inference process, which all would share. */
export function countWorkers(settings: Pick<Settings, 'workers' | 'inferenceProcess' | 'runtimeBackend'>, machine: HostResources): number {
  if (settings.workers !== 'auto') return settings.workers;
  if (hasInferenceProcess(settings, machine)) return 1;
  const byMemory = Math.floor((MEMORY_FRACTION * machine.memoryBytes) / WORKER_BYTES);
  return Math.max(1, Math.min(machine.processors, byMemory, MOST_WORKERS));
}

/** Open files for everything but connections: store, model files, child processes. */
const RESERVED_FILES = 128;

/** Connections that leave enough open files for the rest of the service; where the limit is small, half of it. */
export function mostConnections(openFiles: number): number {
  return openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 2));
}
