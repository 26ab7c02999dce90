import { seededRandom } from '../../src/core/Random.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { permuteMoves } from '../evaluation/permuteMoves.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import { allRows } from '../splits/planFolds.ts';
import type { PlaceboInput } from './runPlacebos.ts';
import { chanceTest, scoreRows } from './scoreRows.ts';

/** The same rows with the outcomes of others: the version may know nothing of them. */
export function dealtPlacebo({ model, rows, seed }: PlaceboInput): Placebo {
  const dealt = permuteMoves(rows, seededRandom(seed));
  const { auc, allowed, n } = chanceTest(scoreRows(model, rows).p, labelsOf(dealt, allRows(rows)));
  return {
    name: 'Outcomes dealt out by chance',
    holds: Math.abs(auc - 0.5) <= allowed,
    text: `AUC ${auc.toFixed(3)} on ${n} rows; chance is .500 ± ${allowed.toFixed(3)}.`,
  };
}
