import { seededRandom } from '../../src/core/Random.ts';
import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import { sizeOf, WEIGHT_NAMES, weightShapes, type WeightArrays, type WeightName } from '../../src/model/NetworkWeights.ts';

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
