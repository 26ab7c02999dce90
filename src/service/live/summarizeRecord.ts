import type { Coverage } from '../../engine/scoring/coverage.ts';
import type { Bin } from '../../engine/live/bins.ts';
import {
  type Against,
  againstOf,
  conclude,
  EMPTY_TALLY,
  hitIntervalOf,
  mergeTallies,
  type Conclusion,
  type Tally,
} from '../../engine/live/score.ts';

export type RecordSummary = Conclusion &
  Pick<Tally, 'forecasts' | 'outcomes' | 'marks' | 'hits' | 'moved'> & {
    /** Forecasts without an outcome: it is pending, cannot be known, or was lost by a restart. */
    readonly unscored: number;
    /** Of the marks, the fraction that came true; null without a mark. */
    readonly precision: number | null;
    readonly precisionInterval: [number, number] | null;
    /** Of the outcomes, the fraction that moved; null without an outcome. */
    readonly baseRate: number | null;
    /** The outcomes by tenths of the probability; those that an earlier release counted are in none. */
    readonly bins: readonly Bin[];
    /** The ranges by level. */
    readonly coverage: readonly Coverage[];
    /** Prices of touch, against a driftless normal; null without one. */
    readonly touches:
      | (Against & { readonly outcomes: number; readonly levels: number; readonly reached: number; readonly forecastBrier: number })
      | null;
  };

/** Adds tallies up and compares the forecasts with the baseline. */
export function summarizeRecord(tallies: Iterable<Tally>): RecordSummary {
  let sum = EMPTY_TALLY;
  for (const tally of tallies) sum = mergeTallies(sum, tally);
  const { forecasts, outcomes, marks, hits, moved } = sum;
  return {
    ...{ forecasts, outcomes, unscored: unscoredOf(sum), marks, hits, moved },
    precision: marks === 0 ? null : hits / marks,
    precisionInterval: hitIntervalOf(sum),
    baseRate: outcomes === 0 ? null : moved / outcomes,
    bins: sum.bins ?? [],
    coverage: sum.coverage ?? [],
    touches: touchesOf(sum.touchSums),
    ...conclude(sum),
  };
}

function touchesOf(sums: Tally['touchSums']): RecordSummary['touches'] {
  if (sums === undefined) return null;
  const { outcomes, levels, reached, forecastBrierSum } = sums;
  return { ...againstOf(sums)!, outcomes, levels, reached, forecastBrier: forecastBrierSum / outcomes };
}

/** An outcome may arrive after the row of its forecast was deleted. */
export function unscoredOf({ forecasts, outcomes }: Tally): number {
  return Math.max(0, forecasts - outcomes);
}
