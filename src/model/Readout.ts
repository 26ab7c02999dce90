import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/**
 * The network after its LSTM, for serving: the same function as `forward` (a test compares them) on plain arrays, one row and one head at a time.
 * In small batches TensorFlow.js spends more on starting its two dozen ops than the arithmetic takes.
 */
export class Readout {
  readonly #spec: NetworkSpec;
  readonly #weights: WeightArrays;
  /** Attention scores [T]. */
  readonly #scores: Float64Array;
  /** Last state, pooled states and context, [2H + C]. */
  readonly #joined: Float64Array;
  /** Trunk and the adapter of the row's head, [D + r]. */
  readonly #hidden: Float64Array;

  constructor(spec: NetworkSpec, weights: WeightArrays) {
    this.#spec = spec;
    this.#weights = weights;
    this.#scores = new Float64Array(spec.steps);
    this.#joined = new Float64Array(2 * spec.units + spec.contextColumns);
    this.#hidden = new Float64Array(spec.dense + spec.adapterRank);
  }

  /** Logits of one row: `states` [B,T,H], `context` [B,C], `baseline` [B]. */
  run(row: number, head: number, states: Float32Array, context: Float32Array, baseline: Float32Array): NetworkOutput {
    const { dense: D, adapterRank: r, heads: K } = this.#spec;
    const w = this.#weights;
    this.#pool(states, row);
    this.#joined.set(context.subarray(row * this.#spec.contextColumns, (row + 1) * this.#spec.contextColumns), 2 * this.#spec.units);
    const hidden = this.#hidden;
    for (let j = 0; j < D; j++) hidden[j] = w['trunk/bias'][j]!;
    addProduct(hidden, 0, D, this.#joined, this.#joined.length, w['trunk/kernel'], 0, D);
    for (let j = 0; j < D; j++) hidden[j] = relu(hidden[j]!);
    const adapter = head * r;
    for (let j = 0; j < r; j++) hidden[D + j] = w['adapters/bias'][adapter + j]!;
    addProduct(hidden, D, r, hidden, D, w['adapters/kernel'], adapter, K * r);
    for (let j = 0; j < r; j++) hidden[D + j] = relu(hidden[D + j]!);
    return {
      head,
      baselineLogit: baseline[row]! * w['baseline/kernel'][head]! + w['baseline/bias'][head]!,
      residualLogit: this.#logit(w['opportunity/kernel'], w['opportunity/bias'], head),
      directionLogit: this.#logit(w['direction/kernel'], w['direction/bias'], head),
    };
  }

  /** Writes the last state and the attention-weighted mean of all states. */
  #pool(states: Float32Array, row: number): void {
    const { steps: T, units: H } = this.#spec;
    const kernel = this.#weights['attention/kernel'];
    const scores = this.#scores;
    const joined = this.#joined;
    const from = row * T * H;
    let largest = -Infinity;
    for (let t = 0; t < T; t++) {
      let score = 0;
      for (let h = 0, at = from + t * H; h < H; h++) score += states[at + h]! * kernel[h]!;
      scores[t] = score;
      // Not Math.max: a NaN has to stay one.
      if (!(score <= largest)) largest = score;
    }
    let sum = 0;
    for (let t = 0; t < T; t++) sum += scores[t] = Math.exp(scores[t]! - largest);
    joined.fill(0, H, 2 * H);
    for (let t = 0; t < T; t++) {
      const share = scores[t]! / sum;
      for (let h = 0, at = from + t * H; h < H; h++) joined[H + h]! += share * states[at + h]!;
    }
    for (let h = 0, at = from + (T - 1) * H; h < H; h++) joined[h] = states[at + h]!;
  }

  /** Of the trunk and the head's own adapter: the rows of all other adapters are 0 (isConnected). */
  #logit(kernel: Float32Array, bias: Float32Array, head: number): number {
    const { dense: D, adapterRank: r, heads: K } = this.#spec;
    let sum = bias[head]!;
    for (let j = 0; j < D; j++) sum += this.#hidden[j]! * kernel[j * K + head]!;
    for (let j = 0; j < r; j++) sum += this.#hidden[D + j]! * kernel[(D + head * r + j) * K + head]!;
    return sum;
  }
}

/** out[to .. to + count] += x[0 .. length] * kernel[:, from .. from + count], whose rows are `stride` long. */
function addProduct(
  out: Float64Array,
  to: number,
  count: number,
  x: Float64Array,
  length: number,
  kernel: Float32Array,
  from: number,
  stride: number,
): void {
  for (let i = 0; i < length; i++) {
    const value = x[i]!;
    const at = i * stride + from;
    for (let j = 0; j < count; j++) out[to + j]! += value * kernel[at + j]!;
  }
}

/** NaN stays NaN, as in TensorFlow. */
const relu = (value: number): number => (value <= 0 ? 0 : value);
