import * as tf from '@tensorflow/tfjs-core';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { LstmCall, LstmProgram, LstmShape } from './LstmProgram.ts';

export const FUSED_LSTM = 'FusedLSTM';
export const FUSED_LSTM_GRAD = 'FusedLSTMGrad';

/** Attributes of both kernels. `tapeId` is the number of a forward call under a gradient tape, 0 without a tape. */
export type FusedLstmAttrs = { readonly returnSequences: boolean; readonly tapeId: number };

/** The four inputs of FusedLSTM as TensorFlow.js passes them to a kernel. */
export type LstmTensors = {
  readonly x: tf.TensorInfo;
  readonly kernel: tf.TensorInfo;
  readonly recurrentKernel: tf.TensorInfo;
  readonly bias: tf.TensorInfo;
};

export function shapeOf({ x, recurrentKernel }: LstmTensors): LstmShape {
  const [batch, steps, columns] = x.shape as [number, number, number];
  return { batch, steps, columns, units: recurrentKernel.shape[0] };
}

let lastTapeId = 0;

/** A new number under a gradient tape, else 0. */
export const nextTapeId = (): number => (tf.engine().isTapeOn() ? ++lastTapeId : 0);

function refuse(detail: string): never {
  throw new ServiceError('inference.failed', `fusedLSTM: ${detail}`);
}

function checkShape(name: string, tensor: tf.Tensor, shape: readonly number[]): void {
  const fits = tensor.shape.length === shape.length && tensor.shape.every((size, axis) => size === shape[axis]);
  if (!fits) refuse(`${name} has shape [${tensor.shape}], expected [${shape}]`);
  if (tensor.dtype !== 'float32') refuse(`${name} is ${tensor.dtype}, expected float32`);
}

/**
 * An LSTM layer as one kernel. Computes the same as `tf.layers.lstm({ recurrentActivation: 'sigmoid' })` from a zero state.
 *
 * @param x [B, T, F], B, T, F at least 1
 * @param kernel [F, 4H], gates in Keras order i, f, c, o
 * @param recurrentKernel [H, 4H]
 * @param bias [4H]
 * @returns [B, T, H] with `returnSequences`, else the last state [B, H]; first gradients exist for all four inputs
 * @throws ServiceError `inference.failed` if shapes or types do not match
 */
export function fusedLSTM(
  x: tf.Tensor,
  kernel: tf.Tensor,
  recurrentKernel: tf.Tensor,
  bias: tf.Tensor,
  returnSequences: boolean,
): tf.Tensor {
  if (x.shape.length !== 3 || x.size === 0) refuse(`x has shape [${x.shape}], expected [B, T, F] with all sizes above 0`);
  const units = recurrentKernel.shape[0] ?? 0;
  if (units === 0) refuse(`recurrentKernel has shape [${recurrentKernel.shape}], expected [H, 4H]`);
  checkShape('x', x, x.shape);
  checkShape('recurrentKernel', recurrentKernel, [units, 4 * units]);
  checkShape('kernel', kernel, [x.shape[2], 4 * units]);
  checkShape('bias', bias, [4 * units]);
  const attrs: FusedLstmAttrs = { returnSequences, tapeId: nextTapeId() };
  return tf.engine().runKernel(FUSED_LSTM, { x, kernel, recurrentKernel, bias }, attrs);
}

/** Registers the gradient of the kernel for every backend. A second call only logs a warning. Called by openRuntime. */
export function registerFusedLstmGradient(): void {
  tf.registerGradient({
    kernelName: FUSED_LSTM,
    inputsToSave: ['x', 'kernel', 'recurrentKernel', 'bias'],
    gradFunc(dy, saved, attrs) {
      const [x, kernel, recurrentKernel, bias] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
      // Runs here, not in the thunks below, because TensorFlow.js tidies each thunk and would free the other three results.
      const gradients = tf
        .engine()
        .runKernel<tf.Tensor[]>(FUSED_LSTM_GRAD, { x, kernel, recurrentKernel, bias, dy: dy as tf.Tensor }, attrs);
      return {
        x: () => gradients[0],
        kernel: () => gradients[1],
        recurrentKernel: () => gradients[2],
        bias: () => gradients[3],
      };
    },
  });
}

/** Access of a program to the values of a backend's tensors. */
export type TensorAccess = {
  /** A view or copy that stays valid until the next tensor is made. */
  read(backend: tf.KernelBackend, tensor: tf.TensorInfo): Float32Array;
  /** Keeps or copies `values`. */
  write(backend: tf.KernelBackend, values: Float32Array, shape: number[]): tf.TensorInfo;
};

/** Makes a tensor of a backend from floats; the backend keeps or copies them. */
export const writeTensor: TensorAccess['write'] = (backend, values, shape) => ({
  dataId: backend.write(values, shape, 'float32'),
  shape,
  dtype: 'float32',
});

/** What a program gets of tensors. */
export function lstmCall(inputs: LstmTensors, attrs: FusedLstmAttrs, read: (tensor: tf.TensorInfo) => Float32Array): LstmCall {
  const { x, kernel, recurrentKernel, bias } = inputs;
  return {
    weightIds: [kernel.dataId, recurrentKernel.dataId, bias.dataId],
    ...{ ...shapeOf(inputs), ...attrs, x: read(x), kernel: read(kernel), recurrentKernel: read(recurrentKernel), bias: read(bias) },
  };
}

/** Registers FusedLSTM and FusedLSTMGrad for one backend with a program on plain arrays. */
export function registerFusedLstm(backendName: string, program: LstmProgram, access: TensorAccess): void {
  tf.registerKernel({
    kernelName: FUSED_LSTM,
    backendName,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as tf.KernelBackend;
      const call = lstmCall(inputs as LstmTensors, attrs as unknown as FusedLstmAttrs, (tensor) => access.read(on, tensor));
      const { batch, steps, units } = call;
      return access.write(on, program.forward(call), call.returnSequences ? [batch, steps, units] : [batch, units]);
    },
  });
  tf.registerKernel({
    kernelName: FUSED_LSTM_GRAD,
    backendName,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as tf.KernelBackend;
      const call = lstmCall(inputs as LstmTensors, attrs as unknown as FusedLstmAttrs, (tensor) => access.read(on, tensor));
      const gradients = program.backward(call, access.read(on, inputs['dy']!));
      const { batch, steps, columns, units } = call;
      return [
        access.write(on, gradients.x, [batch, steps, columns]),
        access.write(on, gradients.kernel, [columns, 4 * units]),
        access.write(on, gradients.recurrentKernel, [units, 4 * units]),
        access.write(on, gradients.bias, [4 * units]),
      ];
    },
  });
}
