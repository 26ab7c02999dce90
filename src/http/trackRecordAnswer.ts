import type { TrackRecordAnswer } from '../contract/trackRecord.ts';
import { summarizeRecord, unscoredOf } from '../live/summarizeRecord.ts';
import type { RecordRow } from '../live/TrackRecord.ts';

export function trackRecordAnswer(kept: boolean, rows: readonly RecordRow[]): TrackRecordAnswer {
  const { precision, baseRate, brier, baselineBrier, conclusion, difference, interval, ...counts } = summarizeRecord(
    rows.map(({ tally }) => tally),
  );
  return {
    kept,
    rows: rows.map(({ day, series, model, bucket, ownThreshold, tally }) => ({
      ...{ day, series, model, bucket, own_threshold: ownThreshold },
      ...{ forecasts: tally.forecasts, outcomes: tally.outcomes, unscored: unscoredOf(tally) },
      ...{ marks: tally.marks, hits: tally.hits, moved: tally.moved },
      ...{ brier_sum: tally.brierSum, baseline_brier_sum: tally.baselineBrierSum, squared_difference_sum: tally.squaredDifferenceSum },
    })),
    sum: { ...counts, precision, base_rate: baseRate, brier, baseline_brier: baselineBrier },
    conclusion,
    difference,
    interval,
  };
}
