/**
 * Ticks in time order as sent or read; equal timestamps are kept.
 * `timesUs`: integer microseconds since 1970-01-01 UTC (exact as a double up to the year 2199). `prices`: finite, above 0.
 */
export type TickSeries = {
  readonly timesUs: Float64Array;
  readonly prices: Float64Array;
};

/** Every price lies strictly between 0 and this. */
export const PRICE_LIMIT = 1e12;
