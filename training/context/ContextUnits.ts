/** A layer of relu units over the context columns with a linear output: the residual of a head without the sequence. */
export type ContextUnits = {
  readonly count: number;
  /** [C, count], on unscaled columns. */
  readonly kernel: Float64Array;
  readonly bias: Float64Array;
  /** [count] */
  readonly output: Float64Array;
  readonly outputBias: number;
};
