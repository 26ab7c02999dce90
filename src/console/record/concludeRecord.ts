import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';
import { conclude, hitIntervalOf } from '../../engine/live/score.ts';

/** How much better than the volatility baseline forecasts are, by the Brier score. */
export type Comparison = {
  readonly brier: number | null;
  readonly baselineBrier: number | null;
  /** Baseline − forecasts: above 0, the forecasts are better. */
  readonly difference: number | null;
  /** 99 % interval of the difference. */
  readonly interval: readonly number[] | null;
  readonly conclusion: 'better' | 'worse' | 'too_few';
};

export type RecordRow = TrackRecordAnswer['rows'][number];
type RecordCounts = Pick<RecordRow, 'forecasts' | 'outcomes' | 'unscored' | 'marks' | 'hits' | 'moved'> & {
  /** 90 % interval of hits / marks; marks that overlap in time count by what they do not share. Null without a mark. */
  readonly hitInterval: readonly number[] | null;
};
export type RecordSum = RecordCounts & Comparison;

/** Adds rows up and compares the forecasts with the baseline. */
export function concludeRecord(rows: readonly RecordRow[]): RecordSum {
  const total = (of: (row: RecordRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0);
  const counts = {
    forecasts: total((row) => row.forecasts),
    outcomes: total((row) => row.outcomes),
    unscored: total((row) => row.unscored),
    marks: total((row) => row.marks),
    hits: total((row) => row.hits),
    moved: total((row) => row.moved),
  };
  const sums = {
    ...{
      markOverlapSum: total((row) => row.mark_overlap_sum),
      brierSum: total((row) => row.brier_sum),
      baselineBrierSum: total((row) => row.baseline_brier_sum),
    },
    squaredDifferenceSum: total((row) => row.squared_difference_sum),
  };
  return { ...counts, hitInterval: hitIntervalOf({ ...counts, ...sums }), ...conclude({ ...counts, ...sums }) };
}
