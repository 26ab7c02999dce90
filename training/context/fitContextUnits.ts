import { seededRandom, shuffle } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS, CONTEXT_TABLE } from '../../src/engine/features/columns.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import { rateFactor } from '../loop/LoopTypes.ts';
import { sigmoid } from '../metrics/logistic.ts';

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

/**
 * Chosen by the search of docs/benchmarks/search.md. `batchSize`: rows of a step, each at two thresholds; `learningRate`: the peak, which
 * falls by half a cosine.
 */
export const CONTEXT_FIT = { units: 64, epochs: 12, batchSize: 256, learningRate: 0.004, weightDecay: 0.1 } as const;

const [BETA_1, BETA_2, EPSILON] = [0.9, 0.98, 1e-8];
/** Decay of the running mean of the weights, which is the result. */
const MEAN_DECAY = 0.995;
const LEAST_VARIANCE = 1e-6;

/** Columns that do not change when every price p becomes 1/p; the others say nothing about the size of a move. */
export const UNSIGNED_COLUMNS: readonly number[] = CONTEXT_TABLE.flatMap(({ mirror }, at) => (mirror === 'same' ? [at] : []));

/**
 * Trains units on the residual of fixed baselines, one of each head: cross entropy by AdamW over each row at its default threshold and a
 * random one. The same rows, targets and seed give the same units.
 *
 * @param target probabilities to imitate, [N, D]
 */
export function fitContextUnits(
  rows: RowSet,
  index: Int32Array,
  baselines: readonly BaselineFit[],
  target: Float32Array,
  seed: number,
): ContextUnits {
  const { units: H, epochs, batchSize, learningRate, weightDecay } = CONTEXT_FIT;
  const C = UNSIGNED_COLUMNS.length;
  const random = seededRandom(seed);
  const scale = columnScale(rows, index);
  // Kernel by unit, then biases, outputs and the bias of the output.
  const [biasAt, outputAt, size] = [C * H, C * H + H, C * H + 2 * H + 1];
  const weights = new Float64Array(size);
  for (let i = 0; i < biasAt; i++) weights[i] = Math.sqrt(6 / (C + H)) * (2 * random.uniform() - 1);
  const mean = weights.slice();
  const [gradient, first, second] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const x = new Float64Array(C);
  const active = new Float64Array(H);

  /** Adds the gradient of one row at one threshold. */
  const learn = (row: number, draw: number): void => {
    const at = row * rows.draws + draw;
    for (let c = 0; c < C; c++) {
      const value = rows.context[at * CONTEXT_COLUMNS + UNSIGNED_COLUMNS[c]] as number;
      x[c] = (value - (scale.mean[c] as number)) / (scale.std[c] as number);
    }
    const { slope, intercept } = baselines[rows.head[row] as number] as BaselineFit;
    let logit = slope * (rows.baseline[at] as number) + intercept + (weights[size - 1] as number);
    for (let h = 0; h < H; h++) {
      active[h] = Math.max(0, (weights[biasAt + h] as number) + dot(x, weights, h * C));
      logit += (active[h] as number) * (weights[outputAt + h] as number);
    }
    const error = (sigmoid(logit) - target[at]) / (2 * batchSize);
    gradient[size - 1] = (gradient[size - 1] as number) + error;
    for (let h = 0; h < H; h++) {
      if (active[h] === 0) continue;
      gradient[outputAt + h] = (gradient[outputAt + h] as number) + error * (active[h] as number);
      const back = error * (weights[outputAt + h] as number);
      gradient[biasAt + h] = (gradient[biasAt + h] as number) + back;
      addScaled(gradient, h * C, x, back);
    }
  };

  const update = (step: number, rate: number): void => {
    const [correction1, correction2] = [1 - BETA_1 ** (step + 1), 1 - BETA_2 ** (step + 1)];
    const decay = Math.min(MEAN_DECAY, (1 + step) / (10 + step));
    for (let i = 0; i < size; i++) {
      const g = gradient[i] as number;
      const m = (first[i] = BETA_1 * (first[i] as number) + (1 - BETA_1) * g);
      const v = (second[i] = BETA_2 * (second[i] as number) + (1 - BETA_2) * g * g);
      const isBias = (i >= biasAt && i < outputAt) || i === size - 1;
      const old = weights[i] as number;
      weights[i] = old - rate * ((isBias ? 0 : weightDecay * old) + m / correction1 / (Math.sqrt(v / correction2) + EPSILON));
      mean[i] = decay * (mean[i] as number) + (1 - decay) * (weights[i] as number);
    }
  };

  const order = index.slice();
  const perEpoch = Math.max(1, Math.floor(index.length / batchSize));
  const steps = perEpoch * epochs;
  for (let step = 0; step < steps; step++) {
    if (step % perEpoch === 0) shuffle(order, random);
    gradient.fill(0);
    for (let b = 0; b < batchSize; b++) {
      const row = order[((step % perEpoch) * batchSize + b) % order.length] as number;
      learn(row, 0);
      learn(row, rows.draws === 1 ? 0 : 1 + random.integer(rows.draws - 1));
    }
    update(step, learningRate * rateFactor('cosine', step, steps, 0));
  }
  return onUnscaled(mean, scale);
}

/** Four sums, because one would wait for each addition. */
function dot(x: Float64Array, weights: Float64Array, from: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let i = 0;
  for (; i + 3 < x.length; i += 4) {
    a += x[i] * weights[from + i];
    b += x[i + 1] * weights[from + i + 1];
    c += x[i + 2] * weights[from + i + 2];
    d += x[i + 3] * weights[from + i + 3];
  }
  for (; i < x.length; i++) a += x[i] * weights[from + i];
  return a + b + c + d;
}

function addScaled(to: Float64Array, from: number, x: Float64Array, factor: number): void {
  for (let i = 0; i < x.length; i++) to[from + i] = to[from + i] + factor * x[i];
}

type Scale = { readonly mean: Float64Array; readonly std: Float64Array };

/** Mean and standard deviation of the columns at the default threshold. */
function columnScale(rows: RowSet, index: Int32Array): Scale {
  const [sum, squares] = [new Float64Array(UNSIGNED_COLUMNS.length), new Float64Array(UNSIGNED_COLUMNS.length)];
  for (const row of index) {
    UNSIGNED_COLUMNS.forEach((column, c) => {
      const value = rows.context[row * rows.draws * CONTEXT_COLUMNS + column] as number;
      sum[c] = (sum[c] as number) + value;
      squares[c] = (squares[c] as number) + value * value;
    });
  }
  const mean = sum.map((total) => total / index.length);
  const std = squares.map((total, c) => Math.sqrt(Math.max(LEAST_VARIANCE, total / index.length - (mean[c] as number) ** 2)));
  return { mean, std };
}

function onUnscaled(weights: Float64Array, { mean, std }: Scale): ContextUnits {
  const [C, count] = [UNSIGNED_COLUMNS.length, CONTEXT_FIT.units];
  const kernel = new Float64Array(CONTEXT_COLUMNS * count);
  const bias = weights.slice(C * count, C * count + count);
  for (let h = 0; h < count; h++) {
    for (let c = 0; c < C; c++) {
      const scaled = (weights[h * C + c] as number) / (std[c] as number);
      kernel[UNSIGNED_COLUMNS[c] * count + h] = scaled;
      bias[h] = (bias[h] as number) - (mean[c] as number) * scaled;
    }
  }
  return { count, kernel, bias, output: weights.slice(C * count + count, C * count + 2 * count), outputBias: weights.at(-1) as number };
}
