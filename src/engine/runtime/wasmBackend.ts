import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import { LoopLstmProgram } from './lstm/LoopLstmProgram.ts';
import type { BackendCandidate } from './Runtime.ts';
import { SimdLstmProgram } from './lstm/SimdLstmProgram.ts';
import { registerFusedLstm, writeTensor, type TensorAccess } from './lstm/fusedLSTM.ts';
import { instantiateLstmModule } from './lstm/lstmModule.ts';
import { openTrunkProgram, registerLstmTrunk } from './lstm/lstmTrunk.ts';
import { probeLstmProgram } from './lstm/probeLstm.ts';

/** The glue code of the backend installs process-wide handlers that rethrow. This removes them, so that only the service has handlers. */
async function withoutNewProcessHandlers<T>(run: () => Promise<T>): Promise<T> {
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  try {
    return await run();
  } finally {
    events.forEach((event, index) => {
      for (const listener of process.listeners(event as 'uncaughtException')) {
        if (!before[index]!.includes(listener)) process.removeListener(event, listener);
      }
    });
  }
}

/** WebAssembly with SIMD: fast on every x64 or arm64 machine, without installation. */
export const wasmBackend: BackendCandidate = {
  name: 'wasm',
  isNative: false,
  missing: () => undefined,
  async open() {
    // Runs before TensorFlow.js is changed: our module needs SIMD, so this detects whether it is available.
    const program = new SimdLstmProgram(await instantiateLstmModule());
    probeLstmProgram(program);
    const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
    const main = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm');
    // Only until the backend exists, because TensorFlow.js refuses a second call after a failed start.
    if (tf.findBackend('wasm') === null) setWasmPaths(path.dirname(main) + path.sep);
    const accepted = await withoutNewProcessHandlers(() => tf.setBackend('wasm'));
    if (!accepted) throw new Error('TensorFlow.js did not accept its wasm backend');
    const access: TensorAccess = {
      read: (backend, tensor) => (backend as BackendWasm).typedArrayFromHeap(tensor) as Float32Array,
      write: writeTensor,
    };
    registerFusedLstm('wasm', program, access);
    registerLstmTrunk('wasm', await openTrunkProgram(program), access);
    return { description: `wasm: SIMD, one thread, TensorFlow.js ${tf.version_core}` };
  },
};

/** Plain JavaScript: slow, exact enough as a reference, and available wherever Node.js runs. */
export const cpuBackend: BackendCandidate = {
  name: 'cpu',
  isNative: false,
  missing: () => undefined,
  async open() {
    await import('@tensorflow/tfjs-backend-cpu');
    if (!(await tf.setBackend('cpu'))) throw new Error('TensorFlow.js did not accept its cpu backend');
    registerFusedLstm('cpu', new LoopLstmProgram(), {
      read: (backend, tensor) => backend.readSync(tensor.dataId) as Float32Array,
      write: writeTensor,
    });
    return { description: `cpu: plain JavaScript, TensorFlow.js ${tf.version_core}` };
  },
};
