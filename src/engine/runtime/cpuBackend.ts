import * as tf from '@tensorflow/tfjs-core';
import { LoopLstmProgram } from './lstm/LoopLstmProgram.ts';
import { registerFusedLstm, writeTensor } from './lstm/fusedLSTM.ts';
import type { BackendCandidate } from './Runtime.ts';

/** Plain JavaScript: slow, exact enough as a reference, and available wherever JavaScript runs. */
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
