import type * as tfcore from '@tensorflow/tfjs-core';
import { fusedLSTM } from '../src/engine/runtime/lstm/fusedLSTM.ts';
import type { LstmWeights } from './peers/onnxLstm.ts';

export type Pass = 'forward' | 'step';
export type LstmSize = readonly [batch: number, steps: number, columns: number, units: number];

/** One FusedLSTM on the open backend: a forward pass, and one with the gradients of the weights; each result is read into an array. */
export function fusedSides(tf: typeof tfcore, x: tfcore.Tensor3D, weights: readonly [tfcore.Variable, tfcore.Variable, tfcore.Variable]) {
  const run = () => fusedLSTM(x, ...weights, false);
  return { ...lstmSides(tf, weights, run), last: () => lastStates(tf, run) };
}

/** The same for any function that computes the last states from `weights`. */
export function lstmSides(tf: typeof tfcore, weights: readonly tfcore.Variable[], run: () => tfcore.Tensor): Record<Pass, () => unknown> {
  return {
    forward: () => tf.tidy(() => void run().dataSync()),
    step: () =>
      tf.tidy(() => {
        const { grads } = tf.variableGrads(() => tf.sum(run()) as tfcore.Scalar, [...weights]);
        for (const gradient of Object.values(grads)) gradient.dataSync();
      }),
  };
}

/** Values of the three weight tensors. */
export function valuesOf(weights: readonly tfcore.Tensor[], [, , columns, units]: LstmSize): LstmWeights {
  const [kernel, recurrentKernel, bias] = weights.map((weight) => weight.dataSync<'float32'>());
  return { columns, units, kernel: kernel!, recurrentKernel: recurrentKernel!, bias: bias! };
}

/** Called once for a comparison: tidy would traverse a returned array. */
function lastStates(tf: typeof tfcore, run: () => tfcore.Tensor): Float32Array {
  let values = new Float32Array();
  tf.tidy(() => void (values = run().dataSync<'float32'>() as Float32Array<ArrayBuffer>));
  return values;
}
