import type { MemoryLine } from '../../src/engine/memory/memoryLine.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { readOutOfFold } from './outOfFold.ts';
import type { Scores } from './Scores.ts';

/** Id of a base, the content of its `out-of-fold.json`, undefined if it has none, and its line of the memory, which a new base begins with. */
export type PreviousBase = { readonly id: string; readonly outOfFold: string | undefined; readonly memory: MemoryLine | undefined };

/**
 * Probabilities of the base that a new one would replace, on the origins that both predicted out of fold, NaN on others: the served weights of both
 * are trained on these ticks, so they cannot be evaluated on them. Null if there is no previous base, or if it has no such predictions.
 */
export function previousProbabilities(
  rows: RowSet,
  scores: Scores,
  sources: readonly TickSource[],
  previous: PreviousBase | null,
): { readonly served: Float64Array | null; readonly notes: readonly string[] } {
  if (previous === null) return { served: null, notes: [] };
  const { id } = previous;
  if (previous.outOfFold === undefined)
    return { served: null, notes: [`${id} has no out-of-fold predictions: compared only with the baselines.`] };
  const served = readOutOfFold(previous.outOfFold, rows, scores.row, sources);
  const known = served.filter(Number.isFinite).length;
  if (known === 0) return { served: null, notes: [`${id} predicted none of these windows out of fold: compared only with the baselines.`] };
  return { served, notes: [`Compared with ${id} on ${known} of ${scores.row.length} origins whose windows both predicted out of fold.`] };
}
