import type * as tf from '@tensorflow/tfjs-core';
import type { LstmCall, LstmShape } from './LstmProgram.ts';

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

/**
 * An LstmCall that reads the weights on access, each time again, because a program caches the weights that it knows. This is a
 * class because the getters of an object literal are made again at each call, and only a collection of the whole heap frees them.
 */
export class TensorLstmCall implements LstmCall {
  readonly batch: number;
  readonly steps: number;
  readonly columns: number;
  readonly units: number;
  readonly x: Float32Array;
  readonly returnSequences: boolean;
  readonly weightIds: LstmCall['weightIds'];
  readonly tapeId: number;
  readonly #inputs: LstmTensors;
  readonly #read: (tensor: tf.TensorInfo) => Float32Array;

  constructor(
    inputs: LstmTensors,
    { returnSequences, tapeId }: Pick<LstmCall, 'returnSequences' | 'tapeId'>,
    read: (tensor: tf.TensorInfo) => Float32Array,
  ) {
    const { batch, steps, columns, units } = shapeOf(inputs);
    this.batch = batch;
    this.steps = steps;
    this.columns = columns;
    this.units = units;
    this.x = read(inputs.x);
    this.returnSequences = returnSequences;
    this.weightIds = [inputs.kernel.dataId, inputs.recurrentKernel.dataId, inputs.bias.dataId];
    this.tapeId = tapeId;
    this.#inputs = inputs;
    this.#read = read;
  }

  get kernel(): Float32Array {
    return this.#read(this.#inputs.kernel);
  }

  get recurrentKernel(): Float32Array {
    return this.#read(this.#inputs.recurrentKernel);
  }

  get bias(): Float32Array {
    return this.#read(this.#inputs.bias);
  }
}
