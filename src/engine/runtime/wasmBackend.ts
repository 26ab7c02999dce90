import { createRequire } from 'node:module';
import * as path from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { openWasm, type WasmPrograms } from './openWasm.ts';
import type { BackendCandidate, OpenedBackend } from './Runtime.ts';

/** The glue code of the backend installs process-wide handlers that rethrow. This removes them, so that only the service has handlers. */
async function withoutNewProcessHandlers<T>(run: () => Promise<T>): Promise<T> {
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  try {
    return await run();
  } finally {
    events.forEach((event, index) => {
      for (const listener of process.listeners(event as 'uncaughtException')) {
        if (!before[index].includes(listener)) process.removeListener(event, listener);
      }
    });
  }
}

/** WebAssembly with SIMD: fast on every x64 or arm64 machine, without installation. */
export const wasmBackend: BackendCandidate = {
  name: 'wasm',
  isNative: false,
  missing: () => undefined,
  open: () => openWasmInNode(),
};

/** Opens WebAssembly in Node.js; `programs` as for openWasm. */
export function openWasmInNode(programs?: WasmPrograms): Promise<OpenedBackend> {
  const main = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm');
  return openWasm(path.dirname(main) + path.sep, () => withoutNewProcessHandlers(() => tf.setBackend('wasm')), programs);
}
