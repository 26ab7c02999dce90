import type { NetworkSpec, WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { RowSet } from '../data/RowSet.ts';
import { scaleResiduals } from '../evaluation/residuals.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import { addContextUnits } from './addContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits } from './fitContextUnits.ts';
import { HEAD_SETS, treeProbabilities, treesOfSets } from './imitateTrees.ts';

/** Factors of the two residuals whose sum a head gives: fixed before the trials of docs/benchmarks/search.md, because fitted ones are worse on other markets. */
export const FACTORS = { lstm: 0.5, units: 0.4 } as const;

/** Fewest rows of a set of heads that gets units. */
const LEAST_ROWS = 200;

export type GrownNetwork = { readonly spec: NetworkSpec; readonly weights: WeightArrays };

/**
 * Adds units over the context to a trained network: for each set of heads, they imitate boosted trees on the residual of the baselines. The
 * residual of a head becomes the sum of both, each times its fixed factor. The same arguments give the same network.
 */
export function addTreeUnits(
  { spec, weights }: GrownNetwork,
  rows: RowSet,
  index: Int32Array,
  baselines: readonly BaselineFit[],
  seed: number,
): GrownNetwork {
  const target = treeProbabilities(rows, index, baselines, treesOfSets(rows, index, baselines, seed));
  const factorsOf = (factor: number, use: (head: number) => boolean): number[] =>
    Array.from({ length: spec.heads }, (_, head) => (use(head) ? factor : 0));
  let grown: GrownNetwork = {
    spec,
    weights: scaleResiduals(
      weights,
      factorsOf(FACTORS.lstm, () => true),
    ),
  };
  for (const heads of HEAD_SETS) {
    const own = index.filter((row) => heads.includes(rows.head[row]!));
    if (own.length < LEAST_ROWS) continue;
    const units = fitContextUnits(rows, own, baselines, { ...CONTEXT_FIT, seed: seed + heads[0]! }, { target });
    grown = addContextUnits(
      grown.spec,
      grown.weights,
      units,
      factorsOf(FACTORS.units, (head) => heads.includes(head)),
    );
  }
  return grown;
}
