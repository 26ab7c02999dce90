import { seededRandom } from '../../src/core/Random.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../../src/engine/features/WindowMeasures.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import {
  type NetworkSpec,
  type WeightArrays,
  sizeOf,
  WEIGHT_NAMES,
  weightShapes,
  type WeightName,
} from '../../src/engine/model/NetworkWeights.ts';
import { SEQUENCE_SIZE, type RowSet } from '../data/RowSet.ts';

type Scale = { readonly mean: Float64Array; readonly std: Float64Array };
export type Scaling = { readonly sequence: Scale; readonly context: Scale };

/** Most rows that are sampled: more do not change the result noticeably. */
const SAMPLE_ROWS = 4000;

/** Mean and standard deviation of every input column over the training rows, all thresholds. */
export function fitScaling(rows: RowSet, order: Int32Array): Scaling {
  const sequence = emptyScale(SEQUENCE_COLUMNS);
  const context = emptyScale(CONTEXT_COLUMNS);
  const step = Math.max(1, Math.floor(order.length / SAMPLE_ROWS));
  for (let i = 0; i < order.length; i += step) {
    const row = order[i] as number;
    for (let t = 0; t < SEQUENCE_STEPS; t++) addTo(sequence, rows.sequence, row * SEQUENCE_SIZE + t * SEQUENCE_COLUMNS);
    for (let draw = 0; draw < rows.draws; draw++) addTo(context, rows.context, (row * rows.draws + draw) * CONTEXT_COLUMNS);
  }
  return { sequence: finish(sequence), context: finish(context) };
}

type Sums = { count: number; readonly sum: Float64Array; readonly squares: Float64Array };
const emptyScale = (columns: number): Sums => ({ count: 0, sum: new Float64Array(columns), squares: new Float64Array(columns) });

function addTo(sums: Sums, values: Float32Array, offset: number): void {
  sums.count++;
  for (let c = 0; c < sums.sum.length; c++) {
    const value = values[offset + c] as number;
    sums.sum[c] = (sums.sum[c] as number) + value;
    sums.squares[c] = (sums.squares[c] as number) + value * value;
  }
}

function finish({ count, sum, squares }: Sums): Scale {
  const mean = sum.map((total) => total / count);
  const std = squares.map((total, c) => {
    const variance = total / count - (mean[c] as number) ** 2;
    return variance > 1e-8 ? Math.sqrt(variance) : 1;
  });
  return { mean, std };
}

/** Scales rows of `columns` columns in place. */
export function applyScale(values: Float32Array, { mean, std }: Scale): void {
  const columns = mean.length;
  for (let i = 0, c = 0; i < values.length; i++, c = c + 1 === columns ? 0 : c + 1)
    values[i] = ((values[i] as number) - (mean[c] as number)) / (std[c] as number);
}

/** Weights with the same outputs on unscaled inputs as `weights` on scaled ones: the scaling is folded into the first kernels and biases. */
export function foldScaling(weights: WeightArrays, spec: NetworkSpec, scaling: Scaling): WeightArrays {
  const fold = (kernel: Float32Array, bias: Float32Array, firstRow: number, { mean, std }: Scale): void => {
    const columns = bias.length;
    for (let c = 0; c < mean.length; c++) {
      for (let j = 0; j < columns; j++) {
        const at = (firstRow + c) * columns + j;
        const scaled = (kernel[at] as number) / (std[c] as number);
        bias[j] = (bias[j] as number) - (mean[c] as number) * scaled;
        kernel[at] = scaled;
      }
    }
  };
  const folded = {
    ...weights,
    'lstm/kernel': weights['lstm/kernel'].slice(),
    'lstm/bias': weights['lstm/bias'].slice(),
    'trunk/kernel': weights['trunk/kernel'].slice(),
    'trunk/bias': weights['trunk/bias'].slice(),
  };
  fold(folded['lstm/kernel'], folded['lstm/bias'], 0, scaling.sequence);
  fold(folded['trunk/kernel'], folded['trunk/bias'], 2 * spec.units, scaling.context);
  return folded;
}

/** The EWMA logistic of one horizon bucket: logit = intercept + slope * ln(sigma(600) sqrt(H) / theta). */
export type BaselineFit = { readonly intercept: number; readonly slope: number };

/**
 * Weights before training: Glorot uniform (Glorot and Bengio, 2010), forget bias 1 (Jozefowicz et al., 2015), the skip input at the fitted
 * baseline and the output kernels at 0, so that the initial network equals the baseline.
 */
export function initialWeights(spec: NetworkSpec, baselines: readonly BaselineFit[], seed: number): WeightArrays {
  const random = seededRandom(seed);
  const shapes = weightShapes(spec);
  const weights = Object.fromEntries(WEIGHT_NAMES.map((name) => [name, new Float32Array(sizeOf(shapes[name]))])) as Record<
    WeightName,
    Float32Array
  >;
  const { units: H } = spec;
  for (const name of ['lstm/kernel', 'lstm/recurrent_kernel', 'attention/kernel', 'trunk/kernel', 'adapters/kernel'] as const) {
    const [fanIn = 1, columns = 1] = shapes[name];
    // The LSTM kernels contain four gates: the fan of one gate counts.
    const fanOut = name.startsWith('lstm/') ? columns / 4 : columns;
    const bound = Math.sqrt(6 / (fanIn + fanOut));
    weights[name].forEach((_, i, array) => (array[i] = bound * (2 * random.uniform() - 1)));
  }
  weights['lstm/bias'].fill(1, H, 2 * H);
  baselines.forEach(({ intercept, slope }, head) => {
    weights['baseline/kernel'][head] = slope;
    weights['baseline/bias'][head] = intercept;
  });
  return weights;
}
