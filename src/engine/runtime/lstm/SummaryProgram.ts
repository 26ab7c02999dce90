import type { LstmCall, LstmGradients } from './LstmProgram.ts';

/** An LSTM whose states are summarised; `returnSequences` is true. */
export type SummaryCall = LstmCall & {
  /** [units]: weights of the scores whose softmax over the steps weights the mean of the states. */
  readonly attention: Float32Array;
};

/** Each has the layout of its input. */
export type SummaryGradients = Omit<LstmGradients, 'x'> & { readonly attention: Float32Array };

/** LSTM and attention over its states for training, on plain arrays. Inputs and results as for LstmProgram. */
export type SummaryProgram = {
  /** [batch, 2 units]: the last state, then the weighted mean of all states. */
  forwardSummary(call: SummaryCall): Float32Array;
  /** `dy` has the layout of the result of `forwardSummary`. */
  backwardSummary(call: SummaryCall, dy: Float32Array): SummaryGradients;
};
