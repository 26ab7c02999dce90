import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import type { MadeRows } from '../data/buildRows.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { permutedPlacebo, permutedRows } from '../evaluation/permutedPlacebo.ts';
import { fitBaselines } from '../loop/predictRows.ts';
import type { BaselineFit } from '../loop/scaling.ts';
import type { Fold } from '../splits/planFolds.ts';
import { splitValidation } from '../splits/splitValidation.ts';
import { contextResiduals } from './ContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits } from './fitContextUnits.ts';

/** Units trained on permuted outcomes of the completed heads must not predict the permuted outcomes of a left-out group. */
export function contextPlacebo(
  made: MadeRows,
  fold: Fold | undefined,
  groupOf: (instrument: number) => string,
  completed: readonly number[],
  seed: number,
): Placebo {
  if (fold === undefined) throw new RangeError('contextPlacebo: no fold');
  const { trainRows, testRows } = permutedRows(made.train.rows, made.test.rows, seed);
  const { training } = splitValidation(trainRows, fold.train, groupOf);
  const baselines = fitBaselines(trainRows, training, BUCKET_NAMES.length);
  const own = training.filter((row) => completed.includes(trainRows.head[row] as number));
  const index = fold.test.filter((row) => completed.includes(testRows.head[row] as number));
  const units = fitContextUnits(trainRows, own, baselines, { ...CONTEXT_FIT, seed });
  const baseline = Float32Array.from(index, (row) => {
    const { slope, intercept } = baselines[testRows.head[row] as number] as BaselineFit;
    return slope * (testRows.baseline[row * testRows.draws] as number) + intercept;
  });
  const residual = contextResiduals(testRows, index, 1, units);
  return permutedPlacebo(testRows, { index, draws: 1, baseline, residual, direction: new Float32Array(index.length) });
}
