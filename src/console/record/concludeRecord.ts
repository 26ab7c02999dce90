import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';
import { addBaseRates, type BaseRateSums, conclude, type Conclusion, hitIntervalOf } from '../../engine/live/score.ts';

export type RecordRow = TrackRecordAnswer['rows'][number];
type RecordCounts = Pick<RecordRow, 'forecasts' | 'outcomes' | 'unscored' | 'marks' | 'hits' | 'moved'> & {
  /** 90 % interval of hits / marks; marks that overlap in time count by what they do not share. Null without a mark. */
  readonly hitInterval: readonly number[] | null;
};
export type RecordSum = RecordCounts & Conclusion;

/** Adds rows up and compares the forecasts with the baselines. */
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
    ...baseRateOf(rows),
  };
  return { ...counts, hitInterval: hitIntervalOf({ ...counts, ...sums }), ...conclude({ ...counts, ...sums }) };
}

function baseRateOf(rows: readonly RecordRow[]): { readonly baseRateSums?: BaseRateSums } {
  const known = rows.flatMap(({ base_rate_sums: sums }): BaseRateSums[] =>
    sums === null
      ? []
      : [
          {
            ...{ outcomes: sums.outcomes, brierSum: sums.brier_sum, forecastBrierSum: sums.forecast_brier_sum },
            squaredDifferenceSum: sums.squared_difference_sum,
          },
        ],
  );
  return known.length === 0 ? {} : { baseRateSums: known.reduce(addBaseRates) };
}
