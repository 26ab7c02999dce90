import * as tf from '@tensorflow/tfjs-core';
import { fusedLSTM } from './fusedLSTM.ts';
import type { LstmShape } from './LstmProgram.ts';
import type { LstmTuning } from './LstmRoute.ts';
import type { LstmRoutes } from './LstmRoutes.ts';
import { wave } from './probeLstmProgram.ts';

/** Measures the routes on one shape with generated values. Leaves no tensors behind. */
export function tuneLstm(routes: LstmRoutes, shape: LstmShape): LstmTuning {
  const { batch, steps, columns, units } = shape;
  const scaled = (count: number, pitch: number, fanIn: number): Float32Array => wave(count, pitch).map((value) => value / Math.sqrt(fanIn));
  const values = wave(batch * steps * columns, 0.3);
  const kernel = tf.tensor(scaled(columns * 4 * units, 1.3, columns), [columns, 4 * units]);
  const recurrentKernel = tf.tensor(scaled(units * 4 * units, 2.1, units), [units, 4 * units]);
  const bias = tf.tensor(wave(4 * units, 0.4), [4 * units]);
  // From values to values, because copies to and from a device are part of the cost.
  const run = (): Float32Array => {
    const x = tf.tensor(values, [batch, steps, columns]);
    let y: tf.Tensor | undefined;
    try {
      y = fusedLSTM(x, kernel, recurrentKernel, bias, true);
      return y.dataSync<'float32'>();
    } finally {
      x.dispose();
      y?.dispose();
    }
  };
  try {
    return routes.measure(shape, run);
  } finally {
    tf.dispose([kernel, recurrentKernel, bias]);
  }
}
