import type * as tf from '@tensorflow/tfjs-core';

/** Maximum of cached constants; each has a few hundred bytes, the largest (zero states) B*H*4. */
const MAX_CONSTANTS = 64;

/**
 * TensorFlow ops on tensor ids, without TensorFlow.js. The caller must free every result with `free`, except constants, which are
 * cached per shape and evicted by least recent use.
 */
export class TensorflowOps {
  readonly #binding: TensorflowBinding;
  readonly #constants = new Map<string, TensorId>();
  readonly #t: OpAttr;

  constructor(binding: TensorflowBinding) {
    this.#binding = binding;
    this.#t = this.type('T', binding.TF_FLOAT);
  }

  type(name: string, value: number): OpAttr {
    return { name, type: this.#binding.TF_ATTR_TYPE, value };
  }

  /** Zeros of a shape. */
  zeros(...shape: number[]): TensorId {
    return this.#constant(`zeros ${shape.join(' ')}`, () => {
      const count = shape.reduce((product, size) => product * size, 1);
      return this.#binding.createTensor(shape, this.#binding.TF_FLOAT, new Float32Array(count));
    });
  }

  int32(...values: number[]): TensorId {
    return this.#constant(`int32 ${values.join(' ')}`, () =>
      this.#binding.createTensor([values.length], this.#binding.TF_INT32, Int32Array.from(values)),
    );
  }

  int32Scalar(value: number): TensorId {
    return this.#constant(`scalar ${value}`, () => this.#binding.createTensor([], this.#binding.TF_INT32, Int32Array.of(value)));
  }

  /** The addon expects each 64-bit number as two 32-bit numbers, low half first. */
  int64Scalar(value: number): TensorId {
    return this.#constant(`int64 ${value}`, () => this.#binding.createTensor([], this.#binding.TF_INT64, Int32Array.of(value, 0)));
  }

  run(name: string, attrs: readonly OpAttr[], inputs: readonly TensorId[], outputs: number): OpOutput[] {
    return this.#binding.executeOp(name, attrs, inputs, outputs);
  }

  /** [A, B, C] to [B, A, C]; if A or B is 1, the order of the values stays, and a reshape is enough. */
  swapFirstAxes(x: TensorId, [a, b, c]: readonly [number, number, number]): OpOutput {
    if (a === 1 || b === 1) return this.reshape(x, b, a, c);
    return this.#only('Transpose', [this.#t, this.type('Tperm', this.#binding.TF_INT32)], [x, this.int32(1, 0, 2)]);
  }

  reshape(x: TensorId, ...shape: number[]): OpOutput {
    return this.#only('Reshape', [this.#t, this.type('Tshape', this.#binding.TF_INT32)], [x, this.int32(...shape)]);
  }

  slice(x: TensorId, begin: readonly number[], size: readonly number[]): OpOutput {
    return this.#only('Slice', [this.#t, this.type('Index', this.#binding.TF_INT32)], [x, this.int32(...begin), this.int32(...size)]);
  }

  /** Concatenates along the first axis: [A, ...] and [B, ...] to [A + B, ...]. */
  stackRows(...parts: readonly TensorId[]): OpOutput {
    const attrs = [{ name: 'N', type: this.#binding.TF_ATTR_INT, value: parts.length }, this.#t, this.type('Tidx', this.#binding.TF_INT32)];
    return this.#only('ConcatV2', attrs, [...parts, this.int32Scalar(0)]);
  }

  free(...outputs: readonly OpOutput[]): void {
    for (const { id } of outputs) this.#binding.deleteTensor(id);
  }

  #only(name: string, attrs: readonly OpAttr[], inputs: readonly TensorId[]): OpOutput {
    return this.run(name, attrs, inputs, 1)[0];
  }

  #constant(name: string, make: () => TensorId): TensorId {
    const known = this.#constants.get(name);
    const id = known ?? make();
    // Moves the entry to the end: the map is ordered by last use.
    if (known !== undefined) this.#constants.delete(name);
    this.#constants.set(name, id);
    return id;
  }

  /** Evicts constants. Call it between two kernels, never inside one, because an id in use must not be freed. */
  trim(): void {
    for (const [name, id] of this.#constants) {
      if (this.#constants.size <= MAX_CONSTANTS) return;
      this.#constants.delete(name);
      this.#binding.deleteTensor(id);
    }
  }
}

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
