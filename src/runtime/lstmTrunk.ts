import * as tf from '@tensorflow/tfjs-core';
import type { TensorAccess } from './registerFusedLstm.ts';
import { lazyLstmCall } from './lazyLstmCall.ts';
import type { LstmTensors } from './LstmRoute.ts';
import { instantiateRelaxedLstmModule } from './lstmModule.ts';
import { probeLstmProgram } from './probeLstmProgram.ts';
import { SimdLstmProgram } from './SimdLstmProgram.ts';

const LSTM_TRUNK = 'LstmTrunk';

type TrunkTensors = LstmTensors & Readonly<Record<'context' | 'attention' | 'trunkKernel' | 'trunkBias', tf.TensorInfo>>;

/** Whether the open backend has the kernel. */
export const hasLstmTrunk = (): boolean => tf.getKernel(LSTM_TRUNK, tf.getBackend()) !== undefined;

/**
 * FusedLSTM, attention over its states and the trunk as one kernel, for serving: it has no gradient, and of [B, T, H] numbers only [B, D] leave it.
 *
 * @param inputs x [B, T, F]; context [B, C]; kernel [F, 4H], recurrentKernel [H, 4H] and bias [4H] with gates in Keras order i, f, c, o;
 *   attention [H, 1]; trunkKernel [2H + C, D], trunkBias [D]
 * @returns [B, D]: relu of the trunk over the last state, the mean of all states, weighted by the softmax of their products with `attention`, and context
 * @throws Error where the open backend has no such kernel (hasLstmTrunk)
 */
export function lstmTrunk(inputs: Readonly<Record<keyof TrunkTensors, tf.Tensor>>): tf.Tensor {
  return tf.engine().runKernel(LSTM_TRUNK, { ...inputs });
}

/** The program that serves: on the relaxed module where it can be had and gives right answers, else `strict`. */
export async function openTrunkProgram(strict: SimdLstmProgram, instantiate = instantiateRelaxedLstmModule): Promise<SimdLstmProgram> {
  const module = await instantiate();
  if (module === undefined) return strict;
  const relaxed = new SimdLstmProgram(module);
  try {
    probeLstmProgram(relaxed);
    return relaxed;
  } catch {
    return strict;
  }
}

/** Registers the kernel for one backend on the SIMD module. */
export function registerLstmTrunk(backendName: string, program: SimdLstmProgram, { read, write }: TensorAccess): void {
  // By the identity of their tensors, as the program keeps the layer's weights: from TensorFlow each reading is a copy.
  const kept = new WeakMap<object, Float32Array>();
  const keptOf = (backend: tf.KernelBackend, tensor: tf.TensorInfo): Float32Array => {
    const values = kept.get(tensor.dataId) ?? read(backend, tensor).slice();
    kept.set(tensor.dataId, values);
    return values;
  };
  tf.registerKernel({
    kernelName: LSTM_TRUNK,
    backendName,
    kernelFunc({ inputs, backend }) {
      const on = backend as tf.KernelBackend;
      const { x, context, kernel, recurrentKernel, bias, attention, trunkKernel, trunkBias } = inputs as TrunkTensors;
      const layer = { x, kernel, recurrentKernel, bias };
      const call = lazyLstmCall(layer, { returnSequences: true, tapeId: 0 }, (tensor) => read(on, tensor));
      const weights = { attention: keptOf(on, attention), kernel: keptOf(on, trunkKernel), bias: keptOf(on, trunkBias) };
      const trunk = program.forwardTrunk(call, { context: read(on, context), ...weights });
      return write(on, trunk, [call.batch, weights.bias.length]);
    },
  });
}
