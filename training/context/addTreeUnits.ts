import type { NetworkSpec, WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { scaleResiduals } from '../evaluation/residuals.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import { type ContextUnits, fitContextUnits } from './fitContextUnits.ts';
import { treeProbabilities } from './imitateTrees.ts';

/** Factors of the two residuals whose sum a head gives: fixed before the trials of docs/benchmarks/search.md, because fitted ones are worse on other markets. */
export const FACTORS = { lstm: 0.5, units: 0.4 } as const;

/** Fewest rows that units are trained on. */
const LEAST_ROWS = 200;

export type GrownNetwork = { readonly spec: NetworkSpec; readonly weights: WeightArrays };

/**
 * Adds units over the context to a trained network: all heads share them, and they imitate boosted trees on the residual of the baselines.
 * The residual of a head becomes the sum of both, each times its fixed factor. The same arguments give the same network.
 */
export function addTreeUnits(
  { spec, weights }: GrownNetwork,
  rows: RowSet,
  index: Int32Array,
  baselines: readonly BaselineFit[],
  seed: number,
): GrownNetwork {
  const scaled = scaleResiduals(weights, new Array<number>(spec.heads).fill(FACTORS.lstm));
  if (index.length < LEAST_ROWS) return { spec, weights: scaled };
  const target = treeProbabilities(rows, index, baselines, seed);
  return addContextUnits(spec, scaled, fitContextUnits(rows, index, baselines, target, seed));
}

/** The same network with more units in its trunk: they read only the context, and only the opportunity of the heads reads them. */
function addContextUnits(spec: NetworkSpec, weights: WeightArrays, units: ContextUnits): GrownNetwork {
  const { units: H, contextColumns: C, dense: D, heads: K, adapterRank: r } = spec;
  const wide = D + units.count;
  const trunk = new Float32Array((2 * H + C) * wide);
  for (let row = 0; row < 2 * H + C; row++) trunk.set(weights['trunk/kernel'].subarray(row * D, (row + 1) * D), row * wide);
  for (let c = 0; c < C; c++)
    for (let unit = 0; unit < units.count; unit++) trunk[(2 * H + c) * wide + D + unit] = units.kernel[c * units.count + unit];
  // The trunk is the first part of the rows of these kernels.
  const widened = (kernel: Float32Array, columns: number): Float32Array => {
    const result = new Float32Array(kernel.length + units.count * columns);
    result.set(kernel.subarray(0, D * columns));
    result.set(kernel.subarray(D * columns), wide * columns);
    return result;
  };
  const opportunity = widened(weights['opportunity/kernel'], K);
  for (let unit = 0; unit < units.count; unit++)
    opportunity.fill(FACTORS.units * units.output[unit] + 0, (D + unit) * K, (D + unit + 1) * K);
  return {
    spec: { ...spec, dense: wide },
    weights: {
      ...weights,
      'trunk/kernel': trunk,
      'trunk/bias': Float32Array.from([...weights['trunk/bias'], ...units.bias]),
      'adapters/kernel': widened(weights['adapters/kernel'], K * r),
      'opportunity/kernel': opportunity,
      'opportunity/bias': weights['opportunity/bias'].map((bias) => bias + FACTORS.units * units.outputBias + 0),
      'direction/kernel': widened(weights['direction/kernel'], K),
    },
  };
}
