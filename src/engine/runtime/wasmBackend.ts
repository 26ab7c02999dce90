import { createRequire } from 'node:module';
import * as path from 'node:path';
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import type { BackendCandidate, OpenedBackend } from './Runtime.ts';
import { SimdLstmProgram, type TrunkProgram } from './lstm/SimdLstmProgram.ts';
import { registerFusedLstm, writeTensor, type TensorAccess } from './lstm/fusedLSTM.ts';
import { instantiateLstmModule } from './lstm/lstmModule.ts';
import { LSTM_SUMMARY, LSTM_SUMMARY_GRAD, registerLstmSummary } from './lstm/lstmSummary.ts';
import type { SummaryProgram } from './lstm/SummaryProgram.ts';
import { registerTrunk } from './lstm/lstmTrunk.ts';
import { openTrunkProgram } from './lstm/openTrunkProgram.ts';
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
        if (!before[index].includes(listener)) process.removeListener(event, listener);
      }
    });
  }
}

/** WebAssembly with SIMD: fast on every x64 or arm64 machine, without installation. */
export const wasmBackend: BackendCandidate = { name: 'wasm', isNative: false, missing: () => undefined, open: () => openWasm() };

/** Programs in the place of ours, which they get, for serving and for training. */
type WasmPrograms = {
  readonly trunk?: (simd: TrunkProgram) => TrunkProgram;
  readonly summary?: (simd: SummaryProgram) => SummaryProgram;
};

/** Opens TensorFlow.js on WebAssembly with our kernels; `programs` may put others before ours. */
export async function openWasm(programs: WasmPrograms = {}): Promise<OpenedBackend> {
  // Runs before TensorFlow.js is changed: our module needs SIMD, so this detects whether it is available.
  const program = new SimdLstmProgram(await instantiateLstmModule());
  probeLstmProgram(program);
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  // Only until the backend exists, because TensorFlow.js refuses a second call after a failed start.
  if (tf.findBackend('wasm') === null)
    setWasmPaths(path.dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm')) + path.sep);
  if (!(await withoutNewProcessHandlers(() => tf.setBackend('wasm')))) throw new Error('TensorFlow.js did not accept its wasm backend');
  const access: TensorAccess = {
    read: (backend, tensor) => (backend as BackendWasm).typedArrayFromHeap(tensor) as Float32Array,
    write: writeTensor,
  };
  const trunk = await openTrunkProgram(program);
  // Without a pause: while this process opens the backend again, forecasts of a service in it need the kernels.
  for (const name of [LSTM_SUMMARY, LSTM_SUMMARY_GRAD]) if (tf.getKernel(name, 'wasm') !== undefined) tf.unregisterKernel(name, 'wasm');
  registerFusedLstm('wasm', program, access);
  registerTrunk('wasm', programs.trunk?.(trunk) ?? trunk);
  registerLstmSummary('wasm', programs.summary?.(program) ?? program, access);
  return { description: `wasm: SIMD, one thread, TensorFlow.js ${tf.version_core}` };
}
