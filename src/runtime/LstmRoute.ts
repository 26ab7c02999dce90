import type * as tf from '@tensorflow/tfjs-core';
import type { FusedLstmAttrs } from './fusedLSTM.ts';
import type { LstmShape } from './LstmProgram.ts';
import type { TensorflowBackend } from './TensorflowBackend.ts';

/** The four inputs of FusedLSTM as TensorFlow.js hands them to a kernel. */
export type LstmTensors = {
  readonly x: tf.TensorInfo;
  readonly kernel: tf.TensorInfo;
  readonly recurrentKernel: tf.TensorInfo;
  readonly bias: tf.TensorInfo;
};

/** `block`: one TensorFlow op on its device; `cudnn`: NVIDIA's library on the GPU; `simd`: our WebAssembly module on the processor. */
export type LstmRouteName = 'block' | 'cudnn' | 'simd';

/** One way to compute the forward pass of FusedLSTM on the tensorflow backend. Throws where it cannot run here. */
export type LstmRoute = {
  readonly name: LstmRouteName;
  forward(backend: TensorflowBackend, inputs: LstmTensors, attrs: FusedLstmAttrs): tf.TensorInfo;
};

/** What the measurement of one shape gave. */
export type LstmTuning = LstmShape & {
  readonly chosen: LstmRouteName;
  /** Of one forward pass from values in memory to values in memory, lower quartile; only routes that gave right answers. */
  readonly timesMs: Readonly<Partial<Record<LstmRouteName, number>>>;
  /** Routes that were left out, with the reason. */
  readonly refused: Readonly<Partial<Record<LstmRouteName, string>>>;
};

export function shapeOf({ x, recurrentKernel }: LstmTensors): LstmShape {
  const [batch, steps, columns] = x.shape as [number, number, number];
  return { batch, steps, columns, units: recurrentKernel.shape[0]! };
}
