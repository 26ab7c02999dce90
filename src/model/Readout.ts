import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/**
 * The network after its LSTM, for serving: the same function as `forward` (a test compares them) on plain arrays, one row and one head at a time.
 * In small batches TensorFlow.js spends more on starting its two dozen ops than the arithmetic takes.
 */
export class Readout {
  readonly #spec: NetworkSpec;
  readonly #weights: WeightArrays;
  /** Kernels in double precision, both: otherwise each product would begin with a conversion, or with the question whether it needs one. */
  readonly #trunk: Float64Array;
  readonly #adapters: Float64Array;
  /** Attention scores [T]. */
  readonly #scores: Float64Array;
  /** Last state, pooled states and context, [2H + C]. */
  readonly #joined: Float64Array;
  /** Trunk and the adapter of the row's head, [D + r]. */
  readonly #hidden: Float64Array;

  constructor(spec: NetworkSpec, weights: WeightArrays) {
    this.#spec = spec;
    this.#weights = weights;
    this.#trunk = new Float64Array(weights['trunk/kernel']);
    this.#adapters = new Float64Array(weights['adapters/kernel']);
    this.#scores = new Float64Array(spec.steps);
    this.#joined = new Float64Array(2 * spec.units + spec.contextColumns);
    this.#hidden = new Float64Array(spec.dense + spec.adapterRank);
  }

  /** States [B,T,H] to summaries [B,2H]: the last state and the attention-weighted mean of all states. */
  pool(states: Float32Array, size: number): Float32Array {
    const summaries = new Float32Array(size * 2 * this.#spec.units);
    for (let row = 0; row < size; row++) this.#poolRow(states, row, summaries);
    return summaries;
  }

  /** Logits of one row: `summaries` [B,2H], `context` [B,C], `baseline` [B]. */
  run(row: number, head: number, summaries: Float32Array, context: Float32Array, baseline: Float32Array): NetworkOutput {
    const { units: H, contextColumns: C, dense: D, adapterRank: r, heads: K } = this.#spec;
    const w = this.#weights;
    this.#joined.set(summaries.subarray(row * 2 * H, (row + 1) * 2 * H));
    this.#joined.set(context.subarray(row * C, (row + 1) * C), 2 * H);
    const hidden = this.#hidden;
    denseRelu(this.#joined, this.#joined.length, this.#trunk, w['trunk/bias'], { from: 0, stride: D, count: D }, hidden, 0);
    const adapter = { from: head * r, stride: K * r, count: r };
    denseRelu(hidden, D, this.#adapters, w['adapters/bias'], adapter, hidden, D);
    return {
      head,
      baselineLogit: baseline[row]! * w['baseline/kernel'][head]! + w['baseline/bias'][head]!,
      residualLogit: this.#logit(w['opportunity/kernel'], w['opportunity/bias'], head),
      directionLogit: this.#logit(w['direction/kernel'], w['direction/bias'], head),
    };
  }

  #poolRow(states: Float32Array, row: number, summaries: Float32Array): void {
    const { steps: T, units: H } = this.#spec;
    const kernel = this.#weights['attention/kernel'];
    const scores = this.#scores;
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
    const last = row * 2 * H;
    const mean = this.#joined.fill(0, 0, H);
    for (let t = 0; t < T; t++) {
      const share = scores[t]! / sum;
      for (let h = 0, at = from + t * H; h < H; h++) mean[h]! += share * states[at + h]!;
    }
    for (let h = 0, at = from + (T - 1) * H; h < H; h++) {
      summaries[last + h] = states[at + h]!;
      summaries[last + H + h] = mean[h]!;
    }
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

/** Columns `from` to `from + count` of a kernel whose rows are `stride` long, and of its bias. */
type Columns = { readonly from: number; readonly stride: number; readonly count: number };

/** out[to ..] = relu(x[0 .. length] * kernel + bias) for those columns. Four sums at a time stay in registers. */
function denseRelu(
  x: Float64Array,
  length: number,
  kernel: Float64Array,
  bias: Float32Array,
  { from, stride, count }: Columns,
  out: Float64Array,
  to: number,
): void {
  let j = 0;
  for (; j + 3 < count; j += 4) {
    let [a, b, c, d] = [bias[from + j]!, bias[from + j + 1]!, bias[from + j + 2]!, bias[from + j + 3]!];
    for (let i = 0, at = from + j; i < length; i++, at += stride) {
      const value = x[i]!;
      a += value * kernel[at]!;
      b += value * kernel[at + 1]!;
      c += value * kernel[at + 2]!;
      d += value * kernel[at + 3]!;
    }
    out[to + j] = relu(a);
    out[to + j + 1] = relu(b);
    out[to + j + 2] = relu(c);
    out[to + j + 3] = relu(d);
  }
  for (; j < count; j++) {
    let sum = bias[from + j]!;
    for (let i = 0, at = from + j; i < length; i++, at += stride) sum += x[i]! * kernel[at]!;
    out[to + j] = relu(sum);
  }
}

/** NaN stays NaN, as in TensorFlow. */
const relu = (value: number): number => (value <= 0 ? 0 : value);
