import { addCoverage, type Coverage } from '../../engine/scoring/coverage.ts';
import { countText } from '../answer/describeAnswer.ts';
import type { RecordRow } from './groupRecord.ts';

/** Forecasts with about the same probability. */
export type RecordBin = {
  /** The probability was from here to 0.1 above. */
  readonly from: number;
  /** Mean probability, and the fraction that moved. */
  readonly mean: number;
  readonly share: number;
  readonly moved: number;
  readonly outcomes: number;
};

/** The bins of all rows, added up, in the order of the probability. */
export function recordBins(rows: readonly RecordRow[]): readonly RecordBin[] {
  const sums = new Map<number, { outcomes: number; moved: number; probability: number }>();
  for (const { from, outcomes, moved, probability_sum: probability } of rows.flatMap(({ bins }) => bins)) {
    const sum = sums.get(from) ?? { outcomes: 0, moved: 0, probability: 0 };
    sums.set(from, { outcomes: sum.outcomes + outcomes, moved: sum.moved + moved, probability: sum.probability + probability });
  }
  return [...sums]
    .sort(([a], [b]) => a - b)
    .map(([from, { outcomes, moved, probability }]) => ({ from, mean: probability / outcomes, share: moved / outcomes, moved, outcomes }));
}

/** The ranges of some rows added up, by level. */
export const coverageOf = (rows: readonly RecordRow[]): readonly Coverage[] =>
  addCoverage(...rows.map(({ coverage }) => coverage.map(({ overlap_sum: overlapSum, ...counts }) => ({ ...counts, overlapSum }))));

/** What the plot cannot show; empty if it shows all. */
export function uncountedText(rows: readonly RecordRow[], bins: readonly RecordBin[]): string {
  const counted = bins.reduce((sum, { outcomes }) => sum + outcomes, 0);
  const earlier = rows.reduce((sum, { outcomes }) => sum + outcomes, 0) - counted;
  return earlier <= 0 ? '' : `${countText(earlier, 'outcome')} counted by an earlier release ${earlier === 1 ? 'is' : 'are'} not in it.`;
}
