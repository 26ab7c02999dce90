import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm';
import * as tf from '@tensorflow/tfjs-core';
import type { OpenedBackend } from './Runtime.ts';
import { SimdLstmProgram, type TrunkProgram } from './lstm/SimdLstmProgram.ts';
import { registerFusedLstm, writeTensor, type TensorAccess } from './lstm/fusedLSTM.ts';
import { instantiateLstmModule } from './lstm/lstmModule.ts';
import { openTrunkProgram, registerLstmTrunk } from './lstm/lstmTrunk.ts';
import { probeLstmProgram } from './lstm/probeLstm.ts';

/**
 * Opens TensorFlow.js on WebAssembly with our kernels, in Node.js or in a page. `wasmPath`: where the .wasm files of the backend are, with a slash at
 * its end. `setBackend` starts the backend; Node.js needs more around it. `trunkOf` may put another program before ours.
 */
export async function openWasm(
  wasmPath: string,
  setBackend = (): Promise<boolean> => tf.setBackend('wasm'),
  trunkOf = (simd: TrunkProgram): TrunkProgram => simd,
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
  registerFusedLstm('wasm', program, access);
  if (tf.getKernel('LstmTrunk', 'wasm') !== undefined) tf.unregisterKernel('LstmTrunk', 'wasm');
  registerLstmTrunk('wasm', trunkOf(await openTrunkProgram(program)), access);
  return { description: `wasm: SIMD, one thread, TensorFlow.js ${tf.version_core}` };
}
