import type { Random } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import type { PairedComparison } from '../metrics/comparePaired.ts';
import { readOutOfFold } from './outOfFold.ts';
import { compareScores, entriesOf, type Scores } from './Scores.ts';

/** Id of a base and the content of its `out-of-fold.json`; undefined if it has none. */
export type PreviousBase = { readonly id: string; readonly outOfFold: string | undefined };

/**
 * Compares a base with the one that it would replace on the origins that both predicted out of fold. The served weights of both are trained
 * on these ticks, so they cannot be evaluated on them. Null if there is no previous base, or if it has no such predictions.
 */
export function compareWithPrevious(
  rows: RowSet,
  scores: Scores,
  sources: readonly TickSource[],
  previous: PreviousBase | null,
  random: Random,
): { readonly previous: PairedComparison | null; readonly notes: readonly string[] } {
  if (previous === null) return { previous: null, notes: [] };
  const { id } = previous;
  if (previous.outOfFold === undefined)
    return { previous: null, notes: [`${id} has no out-of-fold predictions: compared only with the EWMA baseline.`] };
  const served = readOutOfFold(previous.outOfFold, rows, scores.row, sources);
  const known = entriesOf(scores).filter((at) => Number.isFinite(served[at]));
  if (known.length === 0)
    return { previous: null, notes: [`${id} predicted none of these windows out of fold: compared only with the EWMA baseline.`] };
  return {
    previous: compareScores(rows, { ...scores, served }, 'served', known, random),
    notes: [`Compared with ${id} on ${known.length} of ${scores.row.length} origins whose windows both predicted out of fold.`],
  };
}
