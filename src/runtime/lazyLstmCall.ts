import type * as tf from '@tensorflow/tfjs-core';
import type { LstmCall } from './LstmProgram.ts';
import { shapeOf, type LstmTensors } from './LstmRoute.ts';

/** An LstmCall that reads the weights on access, each time again, because a program caches the weights that it knows. */
export function lazyLstmCall(
  inputs: LstmTensors,
  { returnSequences, tapeId }: Pick<LstmCall, 'returnSequences' | 'tapeId'>,
  read: (tensor: tf.TensorInfo) => Float32Array,
): LstmCall {
  const { x, kernel, recurrentKernel, bias } = inputs;
  return {
    ...shapeOf(inputs),
    x: read(x),
    get kernel() {
      return read(kernel);
    },
    get recurrentKernel() {
      return read(recurrentKernel);
    },
    get bias() {
      return read(bias);
    },
    returnSequences,
    weightIds: [kernel.dataId, recurrentKernel.dataId, bias.dataId],
    tapeId,
  };
}
