import { setImmediate as nextIteration } from 'node:timers/promises';
import type { TrackRecordAnswer } from '../../../contract/trackRecord.ts';
import type { Bin } from '../../../engine/live/bins.ts';
import { type BaseRateSums, comparisonFields } from '../../../engine/live/score.ts';
import { type Coverage, coverageShare } from '../../../engine/scoring/coverage.ts';
import { type RecordSummary, summarizeRecord, unscoredOf } from '../../live/summarizeRecord.ts';
import { PAGE_ROWS, type RecordRow } from '../../live/TrackRecord.ts';

/** The answer of GET /auth/track-record, written page by page: 10,000 rows are up to 8 MB. */
export async function writeTrackRecord(kept: boolean, rows: readonly RecordRow[]): Promise<string> {
  const summary = summarizeRecord(rows.map(({ tally }) => tally));
  const { forecasts, outcomes, unscored, marks, hits, moved, precision, precisionInterval, baseRate, touches, bins, coverage } = summary;
  const { brier, baseline_brier, base_rate_brier, ...comparison } = comparisonFields(summary);
  const rest: Omit<TrackRecordAnswer, 'kept' | 'rows'> = {
    sum: {
      ...{ forecasts, outcomes, unscored, marks, hits, moved, precision, precision_interval: precisionInterval, base_rate: baseRate },
      ...{ brier, baseline_brier, base_rate_brier },
      touches: touches === null ? undefined : touchesAnswer(touches),
      bins: bins.map(binAnswer),
      coverage: coverage.map((one) => ({ ...coverageAnswer(one), ...coverageShare(one) })),
    },
    ...comparison,
  };
  const pages: string[] = [];
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    if (at > 0) await nextIteration();
    pages.push(JSON.stringify(rows.slice(at, at + PAGE_ROWS).map(rowAnswer)).slice(1, -1));
  }
  return `{"kept":${kept},"rows":[${pages.join(',')}],${JSON.stringify(rest).slice(1)}`;
}

function rowAnswer({ day, series, model, bucket, ownThreshold, tally }: RecordRow): TrackRecordAnswer['rows'][number] {
  return {
    day,
    series,
    model,
    bucket,
    own_threshold: ownThreshold,
    forecasts: tally.forecasts,
    outcomes: tally.outcomes,
    unscored: unscoredOf(tally),
    marks: tally.marks,
    hits: tally.hits,
    moved: tally.moved,
    brier_sum: tally.brierSum,
    baseline_brier_sum: tally.baselineBrierSum,
    squared_difference_sum: tally.squaredDifferenceSum,
    mark_overlap_sum: tally.markOverlapSum,
    base_rate_sums: tally.baseRateSums === undefined ? null : baseRateAnswer(tally.baseRateSums),
    touch_sums: tally.touchSums && { ...baseRateAnswer(tally.touchSums), levels: tally.touchSums.levels, reached: tally.touchSums.reached },
    bins: (tally.bins ?? []).map(binAnswer),
    coverage: (tally.coverage ?? []).map(coverageAnswer),
  };
}

const baseRateAnswer = ({ outcomes, brierSum, forecastBrierSum, squaredDifferenceSum }: BaseRateSums) => ({
  ...{ outcomes, brier_sum: brierSum, forecast_brier_sum: forecastBrierSum, squared_difference_sum: squaredDifferenceSum },
});

function touchesAnswer({ outcomes, levels, reached, forecastBrier, brier, difference, interval }: NonNullable<RecordSummary['touches']>) {
  return { outcomes, levels, reached, brier: forecastBrier, baseline_brier: brier, difference, interval };
}

const binAnswer = ({ tenth, outcomes, moved, probabilitySum }: Bin): TrackRecordAnswer['rows'][number]['bins'][number] => ({
  from: tenth / 10,
  outcomes,
  moved,
  probability_sum: probabilitySum,
});

const coverageAnswer = ({ level, outcomes, covered, overlapSum }: Coverage): TrackRecordAnswer['rows'][number]['coverage'][number] => ({
  ...{ level, outcomes, covered },
  overlap_sum: overlapSum,
});
