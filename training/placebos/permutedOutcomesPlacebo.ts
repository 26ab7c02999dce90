import { seededRandom } from '../../src/core/Random.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { permuteMoves } from '../evaluation/permuteMoves.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { allRows } from '../splits/planFolds.ts';
import type { PlaceboInput } from './PlaceboInput.ts';
import { chanceTest, scoreRows } from './scoreRows.ts';

/** The same rows with permuted outcomes: the version must not predict them. */
export function permutedOutcomesPlacebo({ model, rows, seed }: PlaceboInput): Placebo {
  const permuted = permuteMoves(rows, seededRandom(seed));
  const { auc, allowed, n } = chanceTest(scoreRows(model, rows).p, labelsOf(permuted, allRows(rows)));
  return {
    name: 'Randomly permuted outcomes',
    holds: Math.abs(auc - 0.5) <= allowed,
    text: `AUC ${auc.toFixed(3)} on ${n} rows; chance is 0.500 ± ${allowed.toFixed(3)}.`,
  };
}
