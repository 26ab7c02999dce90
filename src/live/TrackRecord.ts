import type { Tally } from './score.ts';

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
  /** UTC day of the service's clock on which it was counted, YYYY-MM-DD. */
  readonly day: string;
};

export type RecordRow = RecordKey & { readonly tally: Tally };

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
  /** Ordered by day, series, version, bucket and threshold. Throws ServiceError `store.unavailable`. */
  rows(query: RecordQuery): Promise<readonly RecordRow[]>;
};

/** TRACK_RECORD=false. */
export const NO_TRACK_RECORD: TrackRecord = { add: () => {}, rows: () => Promise.resolve([]) };

/** The UTC day of a wall clock, YYYY-MM-DD. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}
