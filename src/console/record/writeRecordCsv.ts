import type { Against } from '../../engine/live/score.ts';
import { csvText } from '../csvText.ts';
import type { RecordGroup } from './groupRecord.ts';

const COLUMNS = [
  ...['group', 'forecasts', 'outcomes', 'unscored', 'marks', 'hits', 'hit_rate', 'hit_rate_low_90', 'hit_rate_high_90', 'base_rate'],
  ...['brier', 'baseline_brier', 'difference', 'difference_low_99', 'difference_high_99'],
  ...['base_rate_brier', 'base_rate_difference', 'base_rate_difference_low_99', 'base_rate_difference_high_99', 'rival', 'conclusion'],
];

const cellsOf = (one: Against | null): readonly (number | null)[] =>
  one === null ? [null, null, null, null] : [one.brier, one.difference, ...one.interval];

/** The rows of the table of the track record. */
export function writeRecordCsv(groups: readonly RecordGroup[]): string {
  const rate = (count: number, of: number): number | null => (of === 0 ? null : count / of);
  const rows = groups.map(({ name, sum }) => {
    const { forecasts, outcomes, unscored, marks, hits, moved, brier, against, rival, conclusion, hitInterval } = sum;
    return [
      ...[name, forecasts, outcomes, unscored, marks, hits, rate(hits, marks), ...(hitInterval ?? [null, null])],
      ...[rate(moved, outcomes), brier, ...cellsOf(against.baseline), ...cellsOf(against.base_rate), rival, conclusion],
    ];
  });
  return csvText(COLUMNS, rows);
}
