import { seededRandom } from '../../src/core/Random.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { type PlaceboInput, scoreRows } from './scoreRows.ts';

/**
 * Outcomes drawn from the version's own probabilities: a signal with a known AUC, Σ over pairs of P(i is one, j is none), which the
 * evaluation must measure. It fails if rows and probabilities are off by one, or if outcomes are read from the wrong position.
 */
export function plantedPlacebo({ model, rows, seed }: PlaceboInput): Placebo {
  const { p } = scoreRows(model, rows);
  const random = seededRandom(seed + 1);
  const y = Uint8Array.from(p, (value) => (random.uniform() < value ? 1 : 0));
  const positives = y.reduce((sum, label) => sum + label, 0);
  const expected = expectedAuc(p);
  const measured = auc(p, y);
  const allowed = 3 * aucStandardError(positives, y.length - positives);
  return {
    name: 'A planted signal of known strength is found',
    holds: Math.abs(measured - expected) <= allowed,
    text: `AUC ${measured.toFixed(3)}; planted was ${expected.toFixed(3)}, ± ${allowed.toFixed(3)} is allowed.`,
  };
}

/** The AUC of probabilities on outcomes drawn from them. O(n log n). */
export function expectedAuc(p: Float64Array): number {
  const sorted = Float64Array.from(p).sort();
  let below = 0;
  let wins = 0;
  let ones = 0;
  for (const value of sorted) {
    wins += value * below;
    below += 1 - value;
    ones += value;
  }
  return wins / (ones * below);
}
