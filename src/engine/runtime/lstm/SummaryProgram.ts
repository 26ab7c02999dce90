import type { LstmCall, LstmGradients, LstmProgram } from './LstmProgram.ts';

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

/** What the gradient needs of a forward call. */
type Trace = {
  readonly tapeId: number;
  /** [batch, steps, units] */
  readonly states: Float32Array;
  /** [batch, steps]: softmax of the scores. */
  readonly shares: Float32Array;
};

/** Attention in TypeScript over the states of a program. */
export class StatesSummary implements SummaryProgram {
  readonly #program: LstmProgram;
  #trace: Trace | undefined;

  constructor(program: LstmProgram) {
    this.#program = program;
  }

  forwardSummary(call: SummaryCall): Float32Array {
    const { batch, steps, units } = call;
    const { states, shares } = this.#run(call);
    const summary = new Float32Array(batch * 2 * units);
    const mean = new Float64Array(units);
    for (let row = 0; row < batch; row++) {
      mean.fill(0);
      for (let t = row * steps; t < (row + 1) * steps; t++) for (let u = 0; u < units; u++) mean[u] += shares[t] * states[t * units + u];
      const last = ((row + 1) * steps - 1) * units;
      summary.set(states.subarray(last, last + units), row * 2 * units);
      summary.set(mean, (2 * row + 1) * units);
    }
    return summary;
  }

  backwardSummary(call: SummaryCall, dy: Float32Array): SummaryGradients {
    const { batch, steps, units, attention } = call;
    const isOfThisCall = call.tapeId !== 0 && this.#trace?.tapeId === call.tapeId;
    const { states, shares } = isOfThisCall ? this.#trace! : this.#run(call);
    const dStates = new Float32Array(states.length);
    const dAttention = new Float64Array(units);
    const dShares = new Float64Array(steps);
    for (let row = 0; row < batch; row++) {
      const dMean = dy.subarray((2 * row + 1) * units, (2 * row + 2) * units);
      let whole = 0;
      for (let t = 0; t < steps; t++) {
        const at = (row * steps + t) * units;
        let sum = 0;
        for (let u = 0; u < units; u++) sum += dMean[u] * states[at + u];
        dShares[t] = sum;
        whole += shares[row * steps + t] * sum;
      }
      for (let t = 0; t < steps; t++) {
        const share = shares[row * steps + t];
        const dScore = share * (dShares[t] - whole);
        const at = (row * steps + t) * units;
        for (let u = 0; u < units; u++) {
          dStates[at + u] = share * dMean[u] + dScore * attention[u];
          dAttention[u] += dScore * states[at + u];
        }
      }
      const last = ((row + 1) * steps - 1) * units;
      for (let u = 0; u < units; u++) dStates[last + u] += dy[2 * row * units + u];
    }
    const { kernel, recurrentKernel, bias } = this.#program.backward(call, dStates);
    return { kernel, recurrentKernel, bias, attention: Float32Array.from(dAttention) };
  }

  #run(call: SummaryCall): Trace {
    const { batch, steps, units, attention, tapeId } = call;
    // A copy, because the program reuses its memory.
    const states = this.#program.forward(call).slice();
    const shares = new Float32Array(batch * steps);
    for (let row = 0; row < batch; row++) writeShares(states, row, attention, shares.subarray(row * steps, (row + 1) * steps), units);
    const trace = { tapeId, states, shares };
    if (tapeId !== 0) this.#trace = trace;
    return trace;
  }
}

/** Softmax over the steps of one row; the largest score is subtracted, so that nothing overflows. */
function writeShares(states: Float32Array, row: number, attention: Float32Array, shares: Float32Array, units: number): void {
  let largest = -Infinity;
  for (let t = 0, at = row * shares.length * units; t < shares.length; t++, at += units) {
    let score = 0;
    for (let u = 0; u < units; u++) score += states[at + u] * attention[u];
    shares[t] = score;
    largest = Math.max(largest, score);
  }
  let whole = 0;
  for (const [t, score] of shares.entries()) whole += shares[t] = Math.exp(score - largest);
  for (const t of shares.keys()) shares[t] /= whole;
}
