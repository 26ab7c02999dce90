import type * as tf from '@tensorflow/tfjs-core';
import type { LstmCall } from './LstmProgram.ts';
import { shapeOf, type LstmTensors } from './LstmRoute.ts';

/** The call of a kernel for a program that keeps weights which it knows: they are read where they are asked for, and then each time anew. */
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
