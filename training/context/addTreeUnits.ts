import type { NetworkSpec, WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { scaleResiduals } from '../evaluation/residuals.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import { addContextUnits } from './addContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits } from './fitContextUnits.ts';
import { treeProbabilities, treesOfSets } from './imitateTrees.ts';

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
  const ofAllHeads = (factor: number): number[] => new Array<number>(spec.heads).fill(factor);
  const scaled = scaleResiduals(weights, ofAllHeads(FACTORS.lstm));
  if (index.length < LEAST_ROWS) return { spec, weights: scaled };
  const target = treeProbabilities(rows, index, baselines, treesOfSets(rows, index, baselines, seed));
  const units = fitContextUnits(rows, index, baselines, { ...CONTEXT_FIT, seed }, { target });
  return addContextUnits(spec, scaled, units, ofAllHeads(FACTORS.units));
}
