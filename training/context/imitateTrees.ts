import { seededRandom } from '../../src/core/Random.ts';
import { CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { BOOST, type BoostedTrees, boostTrees, sumOfLeaves } from './boostTrees.ts';
import { UNSIGNED_COLUMNS } from './fitContextUnits.ts';

/** Heads that share their trees: those beyond 3 min have few rows. */
const HEAD_SETS: readonly (readonly number[])[] = [[0], [1], [2, 3]];

const COLUMNS = UNSIGNED_COLUMNS.length + 1;

/** The columns that trees read: the unsigned ones of the context, and the baseline's. */
function readColumns(rows: RowSet, at: number, into: Float32Array): Float32Array {
  UNSIGNED_COLUMNS.forEach((column, c) => (into[c] = rows.context[at * CONTEXT_COLUMNS + column]));
  into[COLUMNS - 1] = rows.baseline[at];
  return into;
}

const baselineLogit = (rows: RowSet, row: number, at: number, baselines: readonly BaselineFit[]): number => {
  const { slope, intercept } = baselines[rows.head[row]];
  return slope * rows.baseline[at] + intercept;
};

/** Boosted trees of each set of heads, on the residual of the baselines: each row at its default threshold and a random one. */
function treesOfSets(rows: RowSet, index: Int32Array, baselines: readonly BaselineFit[], seed: number): BoostedTrees[] {
  const random = seededRandom(seed);
  return HEAD_SETS.map((heads, set) => {
    const own = index.filter((row) => heads.includes(rows.head[row]));
    const entries = [...own].flatMap((row) => [
      [row, 0] as const,
      [row, rows.draws === 1 ? 0 : 1 + random.integer(rows.draws - 1)] as const,
    ]);
    const columns = Array.from({ length: COLUMNS }, () => new Float32Array(entries.length));
    const x = new Float32Array(COLUMNS);
    entries.forEach(([row, draw], i) => {
      readColumns(rows, row * rows.draws + draw, x);
      for (let c = 0; c < COLUMNS; c++) columns[c][i] = x[c];
    });
    const label = Uint8Array.from(entries, ([row, draw]) => isOpportunity(rows, row, draw));
    const start = Float64Array.from(entries, ([row, draw]) => baselineLogit(rows, row, row * rows.draws + draw, baselines));
    return boostTrees(columns, label, start, { ...BOOST, seed: seed + set });
  });
}

/** Probabilities of boosted trees for the rows of `index`, which they are fitted on, at every threshold, [N, D]; 0 for other rows. */
export function treeProbabilities(rows: RowSet, index: Int32Array, baselines: readonly BaselineFit[], seed: number): Float32Array {
  const trees = treesOfSets(rows, index, baselines, seed);
  const x = new Float32Array(COLUMNS);
  const setOf = Array.from({ length: 1 + Math.max(...HEAD_SETS.flat()) }, (_, head) => HEAD_SETS.findIndex((set) => set.includes(head)));
  const p = new Float32Array(rows.count * rows.draws);
  for (const row of index) {
    const own = trees[setOf[rows.head[row]]];
    for (let at = row * rows.draws; at < (row + 1) * rows.draws; at++)
      p[at] = sigmoid(baselineLogit(rows, row, at, baselines) + Math.fround(sumOfLeaves(own, readColumns(rows, at, x))));
  }
  return p;
}
