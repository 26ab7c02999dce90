import * as tf from '@tensorflow/tfjs-core';
import type { TensorAccess } from './fusedLSTM.ts';
import { TensorLstmCall, type LstmTensors } from './TensorLstmCall.ts';
import type { TrunkProgram } from './SimdLstmProgram.ts';

export const LSTM_TRUNK = 'LstmTrunk';

type TrunkTensors = LstmTensors & Readonly<Record<'context' | 'attention' | 'trunkKernel' | 'trunkBias', tf.TensorInfo>>;

/** Whether the current backend has the kernel. */
export const hasLstmTrunk = (): boolean => tf.getKernel(LSTM_TRUNK, tf.getBackend()) !== undefined;

/** Whether the current backend is TensorFlow, whose ops may be faster than the kernel. */
export const isOnTensorflow = (): boolean => tf.getBackend() === 'tensorflow';

/**
 * FusedLSTM, attention over its states and the trunk as one kernel for serving. It has no gradient, and returns [B, D] numbers instead of
 * [B, T, H].
 *
 * @param inputs x [B, T, F], or [S, T, F] with `sequenceOf`, the sequence of each row, ascending from 0 without gaps; context [B, C]; kernel [F, 4H], recurrentKernel [H, 4H] and bias [4H] with gates in Keras order i, f, c, o;
 *   attention [H, 1]; trunkKernel [2H + C, D], trunkBias [D]
 * @returns [B, D]: relu of the trunk over the last state, the mean of all states (weighted by the softmax of their products with
 *   `attention`) and context
 * @throws Error if the current backend does not have the kernel (hasLstmTrunk)
 */
export function lstmTrunk(inputs: Readonly<Record<keyof TrunkTensors, tf.Tensor>>, sequenceOf?: Int32Array): tf.Tensor {
  return tf.engine().runKernel(LSTM_TRUNK, { ...inputs }, { sequenceOf } as unknown as tf.NamedAttrMap);
}

/** Registers the kernel for one backend. */
export function registerLstmTrunk(backendName: string, program: TrunkProgram, { read, write }: TensorAccess): void {
  // Cached by tensor identity, like the layer's weights in the program, because each read from TensorFlow is a copy.
  const kept = new WeakMap<object, Float32Array>();
  const keptOf = (backend: tf.KernelBackend, tensor: tf.TensorInfo): Float32Array => {
    const values = kept.get(tensor.dataId) ?? read(backend, tensor).slice();
    kept.set(tensor.dataId, values);
    return values;
  };
  tf.registerKernel({
    kernelName: LSTM_TRUNK,
    backendName,
    kernelFunc({ inputs, backend, attrs }) {
      const { sequenceOf } = attrs as unknown as { readonly sequenceOf?: Int32Array };
      const on = backend as tf.KernelBackend;
      const { x, context, kernel, recurrentKernel, bias, attention, trunkKernel, trunkBias } = inputs as TrunkTensors;
      const layer = { x, kernel, recurrentKernel, bias };
      const call = new TensorLstmCall(layer, { returnSequences: true, tapeId: 0 }, (tensor) => read(on, tensor));
      const trunkCall = {
        attention: keptOf(on, attention),
        kernel: keptOf(on, trunkKernel),
        bias: keptOf(on, trunkBias),
        context: read(on, context),
        sequenceOf,
      };
      const trunk = program.forwardTrunk(call, trunkCall);
      return write(on, trunk, [context.shape[0], trunkCall.bias.length]);
    },
  });
}
