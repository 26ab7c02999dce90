/** Sizes of one LSTM call. */
export type LstmShape = {
  readonly batch: number;
  readonly steps: number;
  readonly columns: number;
  readonly units: number;
};

/** One LSTM layer applied to a batch: row-major float32, Keras gate order i, f, c, o, sigmoid gates, tanh. */
export type LstmCall = LstmShape & {
  /** [batch, steps, columns] */
  readonly x: Float32Array;
  /** [columns, 4 units] */
  readonly kernel: Float32Array;
  /** [units, 4 units] */
  readonly recurrentKernel: Float32Array;
  /** [4 units] */
  readonly bias: Float32Array;
  readonly returnSequences: boolean;
  /** Objects whose identities represent the values of the three weights: equal identities mean equal values. */
  readonly weightIds: readonly [object, object, object];
  /** Number of the forward call if its gradient may follow, else 0. */
  readonly tapeId: number;
};

/** Each has the layout of its input. */
export type LstmGradients = {
  readonly x: Float32Array;
  readonly kernel: Float32Array;
  readonly recurrentKernel: Float32Array;
  readonly bias: Float32Array;
};

/**
 * FusedLSTM on plain arrays, independent of TensorFlow backends. Methods never write to inputs, and do not read them after they return.
 * A result is valid until the next call of the same program, which may reuse its memory.
 */
export type LstmProgram = {
  /** [batch, steps, units] with returnSequences, else [batch, units]. */
  forward(call: LstmCall): Float32Array;
  /** `dy` has the layout of the result of `forward`. */
  backward(call: LstmCall, dy: Float32Array): LstmGradients;
};
