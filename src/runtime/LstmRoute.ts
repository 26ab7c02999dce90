import type * as tf from '@tensorflow/tfjs-core';
import type { FusedLstmAttrs } from './fusedLSTM.ts';
import type { LstmShape } from './LstmProgram.ts';
import type { TensorflowBackend } from './TensorflowBackend.ts';

/** The four inputs of FusedLSTM as TensorFlow.js passes them to a kernel. */
export type LstmTensors = {
  readonly x: tf.TensorInfo;
  readonly kernel: tf.TensorInfo;
  readonly recurrentKernel: tf.TensorInfo;
  readonly bias: tf.TensorInfo;
};

/** `block`: one TensorFlow op on its device; `cudnn`: NVIDIA's library on the GPU; `simd`: our WebAssembly module on the CPU. */
export type LstmRouteName = 'block' | 'cudnn' | 'simd';

/** One way to compute the forward pass of FusedLSTM on the tensorflow backend. Throws if it cannot run on this machine. */
export type LstmRoute = {
  readonly name: LstmRouteName;
  forward(backend: TensorflowBackend, inputs: LstmTensors, attrs: FusedLstmAttrs): tf.TensorInfo;
};

/** Result of measuring one shape. */
export type LstmTuning = LstmShape & {
  readonly chosen: LstmRouteName;
  /** Lower quartile of one forward pass, from values in memory to values in memory; only for routes with correct results. */
  readonly timesMs: Readonly<Partial<Record<LstmRouteName, number>>>;
  /** Excluded routes with the reason. */
  readonly refused: Readonly<Partial<Record<LstmRouteName, string>>>;
};

export function shapeOf({ x, recurrentKernel }: LstmTensors): LstmShape {
  const [batch, steps, columns] = x.shape as [number, number, number];
  return { batch, steps, columns, units: recurrentKernel.shape[0]! };
}
