import { conclude, EMPTY_TALLY, mergeTallies, type Conclusion, type Tally } from './score.ts';

export type RecordSummary = Conclusion &
  Pick<Tally, 'forecasts' | 'outcomes' | 'marks' | 'hits' | 'moved'> & {
    /** Forecasts without an outcome: it is pending, cannot be known, or was lost by a restart. */
    readonly unscored: number;
    /** Of the marks, the fraction that came true; null without a mark. */
    readonly precision: number | null;
    /** Of the outcomes, the fraction that moved; null without an outcome. */
    readonly baseRate: number | null;
  };

/** Adds tallies up and compares the forecasts with the baseline. */
export function summarizeRecord(tallies: readonly Tally[]): RecordSummary {
  const sum = tallies.reduce(mergeTallies, EMPTY_TALLY);
  const { forecasts, outcomes, marks, hits, moved } = sum;
  return {
    ...{ forecasts, outcomes, unscored: unscoredOf(sum), marks, hits, moved },
    precision: marks === 0 ? null : hits / marks,
    baseRate: outcomes === 0 ? null : moved / outcomes,
    ...conclude(sum),
  };
}

/** An outcome may arrive after the row of its forecast was deleted. */
export function unscoredOf({ forecasts, outcomes }: Tally): number {
  return Math.max(0, forecasts - outcomes);
}
