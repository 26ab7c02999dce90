import type { Random } from '../../src/core/Random.ts';
import type { RowSet } from '../data/RowSet.ts';
import { compareScores, entriesOf, type Scores } from './Scores.ts';

/** Mean and range over seeds of the figures that the gate uses: one sentence; none for one seed. */
export function describeSeeds(rows: RowSet, perSeed: readonly Scores[], random: Random): string[] {
  if (perSeed.length < 2) return [];
  const found = perSeed.map((scores) => {
    const { aucDifference, cellAucDifference, brierSkill } = compareScores(rows, scores, 'ewma', entriesOf(scores), random).intervals;
    return [aucDifference.estimate, cellAucDifference.estimate, brierSkill.estimate] as const;
  });
  const text = (at: 0 | 1 | 2): string => {
    const values = found.map((of) => of[at]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${mean.toFixed(4)} (${Math.min(...values).toFixed(4)} to ${Math.max(...values).toFixed(4)})`;
  };
  return [`Over ${perSeed.length} seeds, mean and range against EWMA: AUC ${text(0)}, mean of cells ${text(1)}, Brier skill ${text(2)}.`];
}
