import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '../../core/Clock.ts';
import type { Tally } from '../../engine/live/score.ts';
import type { SealedStore } from './sealedChain.ts';

/** What the tallies of the track record are kept by. */
export type RecordKey = {
  readonly accountId: string;
  readonly series: string;
  /** Id of the version. */
  readonly model: string;
  /** Name of the horizon bucket (BUCKET_NAMES). */
  readonly bucket: string;
  /** Whether the caller named the threshold. */
  readonly ownThreshold: boolean;
  /** UTC day of the last tick of the forecast, never after that of the service's clock, YYYY-MM-DD: see `bookingDay`. */
  readonly day: string;
};

export type RecordRow = RecordKey & {
  readonly tally: Tally;
  /** UTC day of the service's clock on which it was last added to; the retention counts from it. Absent: an earlier release did, on `day`. */
  readonly addedDay?: string | undefined;
};

/** The rows of one account; `from` and `to`: days, both included. */
export type RecordQuery = {
  readonly accountId: string;
  readonly series?: string;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
};

/** Keeps how right the forecasts of an account were: counts and sums, never ticks. Live series and POST /auth/ti-tick?series= call it. */
export type TrackRecord = {
  /** Adds to the row of a key. Never throws and never waits: what is added is stored within seconds, and at the latest at close. */
  add(key: RecordKey, tally: Tally): void;
  /** Stores what was added within a second: a series has ended, and its owner may look. Never throws and never waits. */
  storeSoon(): void;
  /** Ordered by day, series, version, bucket and threshold. Throws ServiceError `store.unavailable`. */
  rows(query: RecordQuery): Promise<readonly RecordRow[]>;
  /** Absent: forecasts are not sealed. */
  readonly sealed?: SealedRecord | undefined;
};

type SealedRecord = {
  /** Adds a line to the record of an account. Never throws and never waits; it is stored together with the counts. */
  add(accountId: string, line: string): void;
  /** The record of an account, in parts of whole lines. Throws ServiceError `store.unavailable`. */
  record(accountId: string): AsyncGenerator<string>;
};

/** TRACK_RECORD=false. */
export const NO_TRACK_RECORD: TrackRecord = { add: () => {}, storeSoon: () => {}, rows: () => Promise.resolve([]) };

/** A page of rows in their order. */
export type RecordPage = RecordQuery & {
  readonly limit: number;
  /** Only rows after this one. */
  readonly after?: RecordKey;
};

/** The part of the account store that keeps the track record. Every method throws only ServiceError `store.unavailable`. */
export type RecordStore = SealedStore & {
  /**
   * Adds tallies to the rows of their keys, each row atomically, and skips accounts that do not exist. A batch that failed may be added again
   * under the same id: no row counts it twice. Afterwards, an account has at most 10,000 rows; its oldest days are deleted first.
   */
  addRecords(rows: readonly RecordRow[], batch: string): Promise<void>;
  listRecords(page: RecordPage): Promise<readonly RecordRow[]>;
};

/** Rows that are read in one iteration of the event loop: a few milliseconds in SQLite. */
export const PAGE_ROWS = 200;

/** All rows of a query, read page by page, so that forecasts go on in between. Throws ServiceError `store.unavailable`. */
export async function readRecord(store: Pick<RecordStore, 'listRecords'>, query: RecordQuery): Promise<readonly RecordRow[]> {
  const rows: RecordRow[] = [];
  for (;;) {
    const after = rows.at(-1);
    const page = await store.listRecords({ ...query, limit: PAGE_ROWS, after });
    rows.push(...page);
    if (page.length < PAGE_ROWS) return rows;
    await nextIteration();
  }
}

/**
 * The UTC day on which a forecast and its outcome are booked: that of its last tick, so that a recording of 2018 is not part of this week. Stamps
 * ahead of the clock are of today.
 */
export const bookingDay = (originMs: number, clock: Pick<Clock, 'nowMs'>): string => dayOf(Math.min(originMs, clock.nowMs()));

const DAY_MS = 86_400_000;
/** The last day and its text: each live forecast asks twice. */
let [lastDay, lastText] = [NaN, ''];

/** The UTC day of a time, YYYY-MM-DD. */
export function dayOf(timeMs: number): string {
  const day = Math.floor(timeMs / DAY_MS);
  if (day !== lastDay) [lastDay, lastText] = [day, new Date(timeMs).toISOString().slice(0, 10)];
  return lastText;
}
