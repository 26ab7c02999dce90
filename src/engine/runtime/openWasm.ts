import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import type { OpenedBackend } from './Runtime.ts';
import { SimdLstmProgram, type TrunkProgram } from './lstm/SimdLstmProgram.ts';
import { registerFusedLstm, writeTensor, type TensorAccess } from './lstm/fusedLSTM.ts';
import { instantiateLstmModule } from './lstm/lstmModule.ts';
import { LSTM_SUMMARY, LSTM_SUMMARY_GRAD, registerLstmSummary } from './lstm/lstmSummary.ts';
import type { SummaryProgram } from './lstm/SummaryProgram.ts';
import { registerTrunk } from './lstm/lstmTrunk.ts';
import { openTrunkProgram } from './lstm/openTrunkProgram.ts';
import { probeLstmProgram } from './lstm/probeLstm.ts';

/** Programs in the place of ours, which they get, for serving and for training. */
export type WasmPrograms = {
  readonly trunk?: (simd: TrunkProgram) => TrunkProgram;
  readonly summary?: (simd: SummaryProgram) => SummaryProgram;
};

/**
 * Opens TensorFlow.js on WebAssembly with our kernels, in Node.js or in a page. `wasmPath`: where the .wasm files of the backend are, with a slash at
 * its end. `setBackend` starts the backend; Node.js needs more around it. `programs` may put others before ours.
 */
export async function openWasm(
  wasmPath: string,
  setBackend = (): Promise<boolean> => tf.setBackend('wasm'),
  programs: WasmPrograms = {},
): Promise<OpenedBackend> {
  // Runs before TensorFlow.js is changed: our module needs SIMD, so this detects whether it is available.
  const program = new SimdLstmProgram(await instantiateLstmModule());
  probeLstmProgram(program);
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  // Only until the backend exists, because TensorFlow.js refuses a second call after a failed start.
  if (tf.findBackend('wasm') === null) setWasmPaths(wasmPath);
  if (!(await setBackend())) throw new Error('TensorFlow.js did not accept its wasm backend');
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
