import * as tf from '@tensorflow/tfjs-core';
import type { TensorAccess } from './registerFusedLstm.ts';
import { lazyLstmCall } from './lazyLstmCall.ts';
import type { LstmTensors } from './LstmRoute.ts';
import { instantiateRelaxedLstmModule } from './lstmModule.ts';
import { probeLstmProgram } from './probeLstmProgram.ts';
import { SimdLstmProgram } from './SimdLstmProgram.ts';

const POOLED_LSTM = 'PooledLSTM';

type PooledTensors = LstmTensors & { readonly attention: tf.TensorInfo };

/** Whether the open backend has the kernel. */
export const hasPooledLSTM = (): boolean => tf.getKernel(POOLED_LSTM, tf.getBackend()) !== undefined;

/**
 * FusedLSTM and attention over its states as one kernel, for serving: it has no gradient, and of [B, T, H] numbers only the summary leaves it.
 *
 * @param x [B, T, F]
 * @param kernel [F, 4H], gates in Keras order i, f, c, o
 * @param recurrentKernel [H, 4H]
 * @param bias [4H]
 * @param attention [H, 1]
 * @returns [B, 2H]: the last state beside the mean of all states, weighted by the softmax of their products with `attention`
 * @throws Error where the open backend has no such kernel (hasPooledLSTM)
 */
export function pooledLSTM(x: tf.Tensor, kernel: tf.Tensor, recurrentKernel: tf.Tensor, bias: tf.Tensor, attention: tf.Tensor): tf.Tensor {
  return tf.engine().runKernel(POOLED_LSTM, { x, kernel, recurrentKernel, bias, attention });
}

/** The program that serves: on the relaxed module where it can be had and gives right answers, else `strict`. */
export async function openPoolingProgram(strict: SimdLstmProgram, instantiate = instantiateRelaxedLstmModule): Promise<SimdLstmProgram> {
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
export function registerPooledLstm(backendName: string, program: SimdLstmProgram, { read, write }: TensorAccess): void {
  // By the identity of their tensors, as the program keeps the layer's weights: from TensorFlow each reading is a copy.
  const kept = new WeakMap<object, Float32Array>();
  const attentionOf = (backend: tf.KernelBackend, tensor: tf.TensorInfo): Float32Array => {
    const values = kept.get(tensor.dataId) ?? read(backend, tensor).slice();
    kept.set(tensor.dataId, values);
    return values;
  };
  tf.registerKernel({
    kernelName: POOLED_LSTM,
    backendName,
    kernelFunc({ inputs, backend }) {
      const on = backend as tf.KernelBackend;
      const { x, kernel, recurrentKernel, bias, attention } = inputs as PooledTensors;
      const call = lazyLstmCall({ x, kernel, recurrentKernel, bias }, { returnSequences: true, tapeId: 0 }, (tensor) => read(on, tensor));
      return write(on, program.forwardPooled(call, attentionOf(on, attention)), [call.batch, 2 * call.units]);
    },
  });
}
