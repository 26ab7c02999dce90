import { readSettings } from '../src/core/config/settings.ts';
import { BACKENDS } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName } from '../src/engine/runtime/Runtime.ts';

/**
 * The backends that a bench measures: the one in RUNTIME_BACKEND, else all that are set up here except plain JavaScript. A process can load
 * TensorFlow only once, with or without a GPU: on a machine with CUDA, use RUNTIME_BACKEND=native to measure the processor.
 */
export function benchedBackends(): BackendName[] {
  const { runtimeBackend } = readSettings();
  if (runtimeBackend !== 'auto') return [runtimeBackend];
  const names = BACKENDS.filter(({ name, missing }) => name !== 'cpu' && missing() === undefined).map(({ name }) => name);
  return names.filter((name) => name !== 'native' || !names.includes('tensorflow-cuda'));
}
