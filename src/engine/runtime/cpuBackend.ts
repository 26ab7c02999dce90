import * as tf from '@tensorflow/tfjs-core';
import { LoopLstmProgram } from './lstm/LoopLstmProgram.ts';
import { registerLstmSummary } from './lstm/lstmSummary.ts';
import { StatesSummary } from './lstm/SummaryProgram.ts';
import { registerFusedLstm, writeTensor, type TensorAccess } from './lstm/fusedLSTM.ts';
import type { BackendCandidate } from './Runtime.ts';

/** Plain JavaScript: slow, exact enough as a reference, and available wherever JavaScript runs. */
export const cpuBackend: BackendCandidate = {
  name: 'cpu',
  isNative: false,
  missing: () => undefined,
  async open() {
    await import('@tensorflow/tfjs-backend-cpu');
    if (!(await tf.setBackend('cpu'))) throw new Error('TensorFlow.js did not accept its cpu backend');
    const program = new LoopLstmProgram();
    const access: TensorAccess = { read: (backend, tensor) => backend.readSync(tensor.dataId) as Float32Array, write: writeTensor };
    registerFusedLstm('cpu', program, access);
    registerLstmSummary('cpu', new StatesSummary(program), access);
    return { description: `cpu: plain JavaScript, TensorFlow.js ${tf.version_core}` };
  },
};
