import { type Random, seededRandom, shuffle } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { allRows } from '../splits/planFolds.ts';
import { labelsOf } from './Scores.ts';
import type { Placebo } from './gate.ts';

/**
 * The same rows with permuted outcomes: each row gets the signed move, in units of theta*, of another row. Nothing is predictable any more,
 * so an evaluation that still finds a signal has a leak.
 */
export function permuteMoves(rows: RowSet, random: Random): RowSet {
  const order = shuffle(allRows(rows), random);
  const move = new Float64Array(new SharedArrayBuffer(8 * rows.count));
  for (let row = 0; row < rows.count; row++) {
    const from = order[row] as number;
    move[row] = ((rows.move[from] as number) / (rows.thetaDefault[from] as number)) * (rows.thetaDefault[row] as number);
  }
  return { ...rows, move };
}

/** An AUC further from chance than this many standard errors indicates a leak until shown otherwise. */
const MOST_STANDARD_ERRORS = 3;

/** Training and test rows with permuted outcomes, each with its own seed. */
export function permutedRows(trainRows: RowSet, testRows: RowSet, seed: number): { readonly trainRows: RowSet; readonly testRows: RowSet } {
  return { trainRows: permuteMoves(trainRows, seededRandom(seed)), testRows: permuteMoves(testRows, seededRandom(seed + 1)) };
}

/**
 * Evaluates a network trained on the rows of `permutedRows` on the outcomes of its test rows: its AUC must be that of chance.
 *
 * @param testRows the rows of `permutedRows`
 */
export function permutedPlacebo(testRows: RowSet, { index, draws, baseline, residual }: PredictedRows): Placebo {
  const labels = labelsOf(testRows, index);
  const logits = Float64Array.from(index, (_, i) => (baseline[i * draws] as number) + (residual[i * draws] as number));
  const positives = labels.reduce((sum, label) => sum + label, 0);
  const value = auc(logits, labels);
  const allowed = MOST_STANDARD_ERRORS * aucStandardError(positives, labels.length - positives);
  return {
    name: 'Trained on randomly permuted outcomes',
    holds: Math.abs(value - 0.5) <= allowed,
    text: `AUC ${value.toFixed(3)} on ${labels.length} rows, chance is 0.500 ± ${allowed.toFixed(3)}.`,
  };
}
