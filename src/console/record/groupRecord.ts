import { concludeRecord, type RecordRow, type RecordSum } from './concludeRecord.ts';

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
