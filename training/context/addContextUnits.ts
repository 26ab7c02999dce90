import type { NetworkSpec, WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import type { ContextUnits } from './ContextUnits.ts';

/**
 * The same network with more units in its trunk: they read only the context, and only the opportunity of heads with a factor above 0 reads
 * them. The outputs of all other heads are unchanged, bit for bit, because the new terms are 0.
 *
 * @param factors one for each head
 */
export function addContextUnits(
  spec: NetworkSpec,
  weights: WeightArrays,
  units: ContextUnits,
  factors: readonly number[],
): { readonly spec: NetworkSpec; readonly weights: WeightArrays } {
  const { units: H, contextColumns: C, dense: D, heads: K, adapterRank: r } = spec;
  const wide = D + units.count;
  const trunk = new Float32Array((2 * H + C) * wide);
  for (let row = 0; row < 2 * H + C; row++) trunk.set(weights['trunk/kernel'].subarray(row * D, (row + 1) * D), row * wide);
  for (let c = 0; c < C; c++)
    for (let unit = 0; unit < units.count; unit++) trunk[(2 * H + c) * wide + D + unit] = units.kernel[c * units.count + unit] as number;
  // The trunk is the first part of the rows of these kernels.
  const widened = (kernel: Float32Array, columns: number): Float32Array => {
    const result = new Float32Array(kernel.length + units.count * columns);
    result.set(kernel.subarray(0, D * columns));
    result.set(kernel.subarray(D * columns), wide * columns);
    return result;
  };
  const opportunity = widened(weights['opportunity/kernel'], K);
  for (let head = 0; head < K; head++)
    for (let unit = 0; unit < units.count; unit++)
      opportunity[(D + unit) * K + head] = (factors[head] as number) * (units.output[unit] as number) + 0;
  return {
    spec: { ...spec, dense: wide },
    weights: {
      ...weights,
      'trunk/kernel': trunk,
      'trunk/bias': Float32Array.from([...weights['trunk/bias'], ...units.bias]),
      'adapters/kernel': widened(weights['adapters/kernel'], K * r),
      'opportunity/kernel': opportunity,
      'opportunity/bias': weights['opportunity/bias'].map((bias, head) => bias + (factors[head] as number) * units.outputBias + 0),
      'direction/kernel': widened(weights['direction/kernel'], K),
    },
  };
}
