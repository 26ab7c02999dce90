import * as tf from '@tensorflow/tfjs-core';
import { systemClock } from '../../../core/Clock.ts';
import { LoopLstmProgram } from './LoopLstmProgram.ts';
import type { LstmCall, LstmProgram } from './LstmProgram.ts';
import { fusedLSTM } from './fusedLSTM.ts';

/** Reproducible numbers in (-1, 1) without a random source. */
export function wave(count: number, pitch: number): Float32Array {
  return Float32Array.from({ length: count }, (_, index) => Math.sin(pitch * (index + 1) + index * index));
}

/** A call with unusual sizes: padded units, an odd number of rows and of blocks. */
export function probeCall(): LstmCall {
  const [batch, steps, columns, units] = [3, 5, 3, 10];
  return {
    batch,
    steps,
    columns,
    units,
    x: wave(batch * steps * columns, 0.7),
    kernel: wave(columns * 4 * units, 1.3),
    recurrentKernel: wave(units * 4 * units, 2.1).map((value) => value / 2),
    bias: wave(4 * units, 0.4),
    returnSequences: true,
    weightIds: [{}, {}, {}],
    tapeId: -1,
  };
}

export function compareLstm(what: string, actual: Float32Array, expected: Float32Array, tolerance: number): void {
  for (let index = 0; index < expected.length; index++) {
    const error = Math.abs(actual[index]! - expected[index]!) / Math.max(1, Math.abs(expected[index]!));
    if (!(error <= tolerance)) {
      throw new Error(`FusedLSTM computes a wrong ${what}: ${actual[index]} at ${index}, expected ${expected[index]}`);
    }
  }
}

/** Compares forward and backward pass of a small layer with the plain loop. Throws an Error that names the first difference. */
export function probeLstmProgram(program: LstmProgram): void {
  const call = probeCall();
  const oracle = new LoopLstmProgram();
  compareLstm('output', program.forward(call), oracle.forward(call), 1e-5);
  const dy = wave(call.batch * call.steps * call.units, 0.9);
  const expected = oracle.backward(call, dy);
  const actual = program.backward(call, dy);
  for (const name of ['x', 'kernel', 'recurrentKernel', 'bias'] as const)
    compareLstm(`gradient of ${name}`, actual[name], expected[name], 1e-4);
}

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
    const run = (...given: tf.Tensor[]): tf.Tensor => fusedLSTM(given[0]!, given[1]!, given[2]!, given[3]!, true);
    compareLstm('output', run(...inputs).dataSync<'float32'>(), oracle.forward(call), 1e-5);
    const gradients = tf.grads(run)(inputs, tf.tensor(dy, [batch, steps, units]));
    const expected = oracle.backward(call, dy);
    (['x', 'kernel', 'recurrentKernel', 'bias'] as const).forEach((name, index) =>
      compareLstm(`gradient of ${name}`, gradients[index]!.dataSync<'float32'>(), expected[name], 1e-4),
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
    return timesMs.sort((a, b) => a - b)[TIMED_RUNS >> 1]!;
  });
}
