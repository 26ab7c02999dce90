import * as tf from '@tensorflow/tfjs-core';
import { FUSED_LSTM, FUSED_LSTM_GRAD, type FusedLstmAttrs } from './fusedLSTM.ts';
import type { LstmCall, LstmProgram } from './LstmProgram.ts';

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

function callOf(backend: tf.KernelBackend, inputs: tf.NamedTensorInfoMap, attrs: FusedLstmAttrs, access: TensorAccess): LstmCall {
  const { x, kernel, recurrentKernel, bias } = inputs as Record<'x' | 'kernel' | 'recurrentKernel' | 'bias', tf.TensorInfo>;
  const [batch, steps, columns] = x.shape as [number, number, number];
  return {
    batch,
    steps,
    columns,
    units: recurrentKernel.shape[0]!,
    x: access.read(backend, x),
    kernel: access.read(backend, kernel),
    recurrentKernel: access.read(backend, recurrentKernel),
    bias: access.read(backend, bias),
    returnSequences: attrs.returnSequences,
    weightIds: [kernel.dataId, recurrentKernel.dataId, bias.dataId],
    tapeId: attrs.tapeId,
  };
}

/** Registers FusedLSTM and FusedLSTMGrad for one backend with a program on plain arrays. */
export function registerFusedLstm(backendName: string, program: LstmProgram, access: TensorAccess): void {
  tf.registerKernel({
    kernelName: FUSED_LSTM,
    backendName,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as tf.KernelBackend;
      const call = callOf(on, inputs, attrs as unknown as FusedLstmAttrs, access);
      const { batch, steps, units } = call;
      return access.write(on, program.forward(call), call.returnSequences ? [batch, steps, units] : [batch, units]);
    },
  });
  tf.registerKernel({
    kernelName: FUSED_LSTM_GRAD,
    backendName,
    kernelFunc({ inputs, backend, attrs }) {
      const on = backend as tf.KernelBackend;
      const call = callOf(on, inputs, attrs as unknown as FusedLstmAttrs, access);
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
