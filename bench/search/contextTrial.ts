import { CONTEXT_COLUMN_NAMES, PRICE_TABLE, TEMPO_TABLE, THRESHOLD_TABLE } from '../../src/engine/features/columns.ts';
import { contextResiduals } from '../../training/context/ContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits, UNSIGNED_COLUMNS } from '../../training/context/fitContextUnits.ts';
import { HEAD_SETS, treeProbabilities, treeResiduals, treesOfSets } from '../../training/context/imitateTrees.ts';
import type { BoostedTrees } from '../../training/context/BoostedTrees.ts';
import type { RowSet } from '../../training/data/RowSet.ts';
import type { PredictedRows } from '../../training/loop/predictRows.ts';
import type { BaselineFit } from '../../training/loop/scaling.ts';
import type { Trial } from './Trial.ts';

const ALL_HEADS = [0, 1, 2, 3] as const;
/** Difference between the seeds of two units whose residuals are averaged. */
const SEED_STRIDE = 1000;
const LEAST_ROWS = 200;

const TABLES: Readonly<Record<string, readonly { readonly name: string }[]>> = {
  threshold: THRESHOLD_TABLE,
  tempo: TEMPO_TABLE,
  price: PRICE_TABLE,
};

/** Columns of the named tables and those that start with one of the names; all without names. */
function columnsOf({ keep, drop = [] }: Trial): number[] {
  const isKept = (name: string): boolean =>
    keep?.some((part) => TABLES[part]?.some((column) => column.name === name) ?? name.startsWith(part)) ?? true;
  return UNSIGNED_COLUMNS.filter((column) => {
    const name = CONTEXT_COLUMN_NAMES[column] as string;
    return isKept(name) && !drop.includes(name);
  });
}

/** By seed: trials with the same seed imitate the same trees. */
const TREES = new Map<number, BoostedTrees[]>();

function treesOf(seed: number, make: () => BoostedTrees[]): BoostedTrees[] {
  const trees = TREES.get(seed) ?? make();
  TREES.set(seed, trees);
  return trees;
}

/** Trains units over the context, for each head or for all of them, and predicts the rows of `test` at the default threshold. */
export function predictContext(
  trial: Trial & { readonly seed: number },
  rows: { readonly train: RowSet; readonly test: RowSet },
  index: { readonly train: Int32Array; readonly test: Int32Array },
  baselines: readonly BaselineFit[],
): PredictedRows {
  const { train, test } = rows;
  const { context: units = 0, seed, seeds = 1, heads = ALL_HEADS, pool = false, rowsOf = heads } = trial;
  const { epochs = CONTEXT_FIT.epochs, batchSize = CONTEXT_FIT.batchSize } = trial;
  const { learningRate = CONTEXT_FIT.learningRate, weightDecay = CONTEXT_FIT.weightDecay } = trial;
  const place = new Map([...index.test].map((row, at) => [row, at]));
  const trees =
    trial.trees === true || trial.imitate === true ? treesOf(seed, () => treesOfSets(train, index.train, baselines, seed)) : undefined;
  const target = trees === undefined ? undefined : treeProbabilities(train, index.train, baselines, trees);
  const residual = trees === undefined || units > 0 ? new Float32Array(index.test.length) : treeResiduals(test, index.test, 1, trees);
  const sets = pool ? [heads] : trial.imitate === true ? HEAD_SETS : heads.map((head) => [head]);
  for (const predicted of units > 0 ? sets : []) {
    const own = index.train.filter((row) => (pool ? rowsOf : predicted).includes(train.head[row] as number));
    const tested = index.test.filter((row) => predicted.includes(test.head[row] as number));
    if (own.length < LEAST_ROWS || tested.length === 0) continue;
    for (let s = 0; s < seeds; s++) {
      const fit = { units, epochs, batchSize, learningRate, weightDecay, seed: seed + SEED_STRIDE * s + (predicted[0] as number) };
      const found = contextResiduals(test, tested, 1, fitContextUnits(train, own, baselines, fit, { columns: columnsOf(trial), target }));
      tested.forEach((row, i) => {
        const at = place.get(row) as number;
        residual[at] = (residual[at] as number) + (found[i] as number) / seeds;
      });
    }
  }
  const baseline = Float32Array.from(index.test, (row) => {
    const { slope, intercept } = baselines[test.head[row] as number] as BaselineFit;
    return slope * (test.baseline[row * test.draws] as number) + intercept;
  });
  return { index: index.test, draws: 1, baseline, residual, direction: new Float32Array(index.test.length) };
}
