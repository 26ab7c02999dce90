import { readSettings } from '../src/config/settings.ts';
import { LADDER } from '../src/runtime/openRuntime.ts';
import type { BackendName } from '../src/runtime/Runtime.ts';

/**
 * The backends that a bench measures: the one that RUNTIME_BACKEND names, else what is set up here, but for plain JavaScript. A process can load
 * TensorFlow once, with a GPU or without: where CUDA is set up, the processor's half is measured with RUNTIME_BACKEND=native.
 */
export function benchedBackends(): BackendName[] {
  const { runtimeBackend } = readSettings();
  if (runtimeBackend !== 'auto') return [runtimeBackend];
  const names = LADDER.filter(({ name, missing }) => name !== 'cpu' && missing() === undefined).map(({ name }) => name);
  return names.filter((name) => name !== 'native' || !names.includes('cuda'));
}
