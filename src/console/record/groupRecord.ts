import type { TrackRecordAnswer } from '../../contract/trackRecord.ts';
import { addBaseRates, type BaseRateSums, conclude, type Conclusion, hitIntervalOf, type Against } from '../../engine/live/score.ts';
import { csvText } from '../csvText.ts';

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

export type Grouping = 'week' | 'series' | 'model' | 'bucket';

export const FIRST_HEAD: Readonly<Record<Grouping, string>> = {
  week: 'Horizon and week',
  series: 'Horizon and series',
  model: 'Horizon and version',
  bucket: 'Horizon',
};

const DAY_MS = 86_400_000;

/** Horizons of each head of the model, in words. */
const BUCKETS: Readonly<Record<string, string>> = {
  h30s: 'up to 30 s',
  h3m: 'over 30 s, up to 3 min',
  h15m: 'over 3 min, up to 15 min',
  hlong: 'over 15 min',
};
const BUCKET_ORDER = Object.keys(BUCKETS);

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `2026-11-23 to 11-29`: the week of the day, from Monday on, in UTC. */
export function weekOf(day: string): string {
  const ms = Date.parse(`${day}T00:00:00Z`);
  const monday = ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS;
  return `${dayOf(monday)} to ${dayOf(monday + 6 * DAY_MS).slice(5)}`;
}

/** The first day of the last so many weeks, today included. */
export const weeksAgo = (weeks: number, nowMs: number): string => dayOf(nowMs - (7 * weeks - 1) * DAY_MS);

const KEYS: Readonly<Record<Grouping, (row: RecordRow) => string>> = {
  week: ({ day }) => weekOf(day),
  series: ({ series }) => series,
  model: ({ model }) => model,
  bucket: ({ bucket }) => BUCKETS[bucket] ?? bucket,
};

const placeOf = (bucket: string): number => BUCKET_ORDER.indexOf(bucket) + 1 || BUCKET_ORDER.length + 1;

export type RecordGroup = { readonly name: string; readonly sum: RecordSum };

/** Rows added up by horizon (shortest first), and each of them by week (newest first), series or version: 10 s and 30 min are never pooled. */
export const groupRecord = (rows: readonly RecordRow[], by: Grouping): readonly RecordGroup[] =>
  groupRows(rows, by).map(({ name, rows: some }) => ({ name, sum: concludeRecord(some) }));

/** The rows of each group, in the same order. */
export function groupRows(
  rows: readonly RecordRow[],
  by: Grouping,
): readonly { readonly name: string; readonly rows: readonly RecordRow[] }[] {
  const ordered = rows.toSorted((a, b) => placeOf(a.bucket) - placeOf(b.bucket) || b.day.localeCompare(a.day));
  const groups = new Map<string, RecordRow[]>();
  for (const row of ordered) {
    const horizon = KEYS.bucket(row);
    const name = by === 'bucket' ? horizon : `${horizon}: ${KEYS[by](row)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups].map(([name, group]) => ({ name, rows: group }));
}

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
