import * as tf from '@tensorflow/tfjs-core';
import { systemClock } from '../../../core/Clock.ts';
import { fusedLSTM } from './fusedLSTM.ts';
import { LoopLstmProgram } from './LoopLstmProgram.ts';
import { compareLstm, probeCall, wave } from './probeLstm.ts';

const TIMED_RUNS = 15;
/** Shape of the timed forward pass: that of the network for one request. */
const PROBED_SHAPE = { batch: 1, steps: 96, columns: 12, units: 48 } as const;

/**
 * Compares FusedLSTM and its gradients on the current backend, through TensorFlow.js, with the plain loop. Returns the median milliseconds of
 * one forward pass of PROBED_SHAPE, including reading the result. Throws an Error that names the first wrong number.
 */
export function probeFusedLstm(): number {
  const call = probeCall();
  const { batch, steps, columns, units } = call;
  const oracle = new LoopLstmProgram();
  const dy = wave(batch * steps * units, 0.9);
  tf.tidy(() => {
    const inputs = [
      tf.tensor(call.x, [batch, steps, columns]),
      tf.tensor(call.kernel, [columns, 4 * units]),
      tf.tensor(call.recurrentKernel, [units, 4 * units]),
      tf.tensor(call.bias, [4 * units]),
    ];
    const run = (...given: tf.Tensor[]): tf.Tensor => fusedLSTM(given[0], given[1], given[2], given[3], true);
    compareLstm('output', run(...inputs).dataSync<'float32'>(), oracle.forward(call), 1e-5);
    const gradients = tf.grads(run)(inputs, tf.tensor(dy, [batch, steps, units]));
    const expected = oracle.backward(call, dy);
    (['x', 'kernel', 'recurrentKernel', 'bias'] as const).forEach((name, index) =>
      compareLstm(`gradient of ${name}`, gradients[index].dataSync<'float32'>(), expected[name], 1e-4),
    );
  });
  return timeForward();
}

function timeForward(): number {
  const { steps, columns, units } = PROBED_SHAPE;
  return tf.tidy(() => {
    const x = tf.tensor(wave(steps * columns, 0.3), [1, steps, columns]);
    const weights = [tf.zeros([columns, 4 * units]), tf.zeros([units, 4 * units]), tf.zeros([4 * units])] as const;
    const timesMs = Array.from({ length: TIMED_RUNS }, () => {
      const startMs = systemClock.monotonicMs();
      tf.tidy(() => fusedLSTM(x, ...weights, true).dataSync());
      return systemClock.monotonicMs() - startMs;
    });
    return timesMs.sort((a, b) => a - b)[TIMED_RUNS >> 1];
  });
}
