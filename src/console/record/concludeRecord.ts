import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';

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
type RecordCounts = Pick<RecordRow, 'forecasts' | 'outcomes' | 'unscored' | 'marks' | 'hits' | 'moved'>;
export type RecordSum = RecordCounts & Comparison;

/** As of the service: `conclude` of src/service/live/score.ts, which the page may not import; a test compares both. */
const Z = 2.5758;
const MIN_EACH = 40;

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
  const { outcomes, moved } = counts;
  if (outcomes === 0) return { ...counts, brier: null, baselineBrier: null, difference: null, interval: null, conclusion: 'too_few' };
  const [brierSum, baselineSum] = [total((row) => row.brier_sum), total((row) => row.baseline_brier_sum)];
  const difference = (baselineSum - brierSum) / outcomes;
  const halfWidth = (Z * Math.sqrt(total((row) => row.squared_difference_sum))) / outcomes;
  const isEnough = Math.min(moved, outcomes - moved) >= MIN_EACH && Math.abs(difference) > halfWidth;
  return {
    ...counts,
    ...{ brier: brierSum / outcomes, baselineBrier: baselineSum / outcomes, difference },
    interval: [difference - halfWidth, difference + halfWidth],
    conclusion: !isEnough ? 'too_few' : difference > 0 ? 'better' : 'worse',
  };
}
