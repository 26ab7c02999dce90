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
  /** Objects whose identities stand for the values of the three weights; equal identities mean equal values. */
  readonly weightIds: readonly [object, object, object];
  /** Number of the forward call whose gradient may follow, 0 when none does. */
  readonly tapeId: number;
};

/** Each laid out like the input it belongs to. */
export type LstmGradients = {
  readonly x: Float32Array;
  readonly kernel: Float32Array;
  readonly recurrentKernel: Float32Array;
  readonly bias: Float32Array;
};

/**
 * The arithmetic of FusedLSTM on plain arrays, apart from any TensorFlow backend. Inputs are read before a method
 * returns and never written; results belong to the caller until the next call of the same program, which may reuse them.
 */
export type LstmProgram = {
  /** [batch, steps, units] with returnSequences, else [batch, units]. */
  forward(call: LstmCall): Float32Array;
  /** `dy` is laid out like the result of `forward`. */
  backward(call: LstmCall, dy: Float32Array): LstmGradients;
};
