import type { BarWindow } from '../../ticks/BarWindow.ts';

/**
 * Ticks in time order, equal stamps kept. `timesUs`: integer microseconds since 1970-01-01 UTC; `prices`: finite, above 0.
 */
export type TickSeries = {
  readonly timesUs: Float64Array;
  readonly prices: Float64Array;
  /** Of each tick, whose mid is the price; absent for ticks of one price. */
  readonly quotes?: { readonly bids: Float64Array; readonly asks: Float64Array } | undefined;
  /** The ticks are closes of bars, at their ends; absent for ticks. */
  readonly bars?: BarWindow | undefined;
};

/** The `count` ticks up to `origin`, as views. */
export const ticksUpTo = (series: TickSeries, origin: number, count: number): TickSeries =>
  mapColumns(series, (values) => values.subarray(origin + 1 - count, origin + 1));

/** The same ticks or bars with other columns. */
export function mapColumns({ timesUs, prices, quotes, bars }: TickSeries, change: (values: Float64Array) => Float64Array): TickSeries {
  const { ranges } = bars ?? {};
  const changed = ranges && { open: change(ranges.open), high: change(ranges.high), low: change(ranges.low) };
  return {
    timesUs: change(timesUs),
    prices: change(prices),
    ...(quotes && { quotes: { bids: change(quotes.bids), asks: change(quotes.asks) } }),
    ...(bars && { bars: { periodMs: bars.periodMs, ...(changed && { ranges: changed }) } }),
  };
}

/** What a row of the series is called. */
export const unitOf = ({ bars }: Pick<TickSeries, 'bars'>): 'tick' | 'bar' => (bars === undefined ? 'tick' : 'bar');

/** Ticks that one request may carry, the future timestamp not counted; the middle one is what the contract recommends. */
export const MIN_TICKS = 200;
export const USUAL_TICKS = 500;
export const MAX_TICKS = 3000;

export const US_PER_MS = 1000;
export const US_PER_S = 1_000_000;
export const MS_PER_S = 1000;
export const BPS_PER_UNIT = 10_000;
