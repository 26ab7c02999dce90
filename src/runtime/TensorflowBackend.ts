import type * as tf from '@tensorflow/tfjs-core';

/** Number of a tensor in TensorFlow. */
export type TensorId = number;
export type OpAttr = { readonly name: string; readonly type: number; readonly value: boolean | number | string };
export type OpOutput = { readonly id: TensorId; readonly shape: number[]; readonly dtype: number };

/** The used part of tfjs-node-gpu's addon. Its own type declarations are not installed everywhere. */
export type TensorflowBinding = {
  readonly TF_Version: string;
  readonly TF_FLOAT: number;
  readonly TF_INT32: number;
  readonly TF_INT64: number;
  readonly TF_ATTR_TYPE: number;
  readonly TF_ATTR_BOOL: number;
  readonly TF_ATTR_INT: number;
  readonly TF_ATTR_FLOAT: number;
  readonly TF_ATTR_STRING: number;
  createTensor(shape: readonly number[], dtype: number, values: Float32Array | Int32Array): TensorId;
  deleteTensor(id: TensorId): void;
  executeOp(name: string, attrs: readonly OpAttr[], inputs: readonly TensorId[], outputs: number): OpOutput[];
  isUsingGpuDevice(): boolean;
};

export type TensorflowBackend = tf.KernelBackend & {
  readonly binding: TensorflowBinding;
  /** First copies values that are still in JavaScript to TensorFlow. */
  getInputTensorIds(tensors: readonly tf.TensorInfo[]): TensorId[];
  /** Passes ownership of the tensor to TensorFlow.js, which frees it. */
  createOutputTensor(output: OpOutput): tf.Tensor;
};
