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
export function ticksUpTo({ timesUs, prices, quotes, bars }: TickSeries, origin: number, count: number): TickSeries {
  const cut = (values: Float64Array): Float64Array => values.subarray(origin + 1 - count, origin + 1);
  const window = { timesUs: cut(timesUs), prices: cut(prices), ...(bars === undefined ? {} : { bars: mapBars(bars, cut) }) };
  return quotes === undefined ? window : { ...window, quotes: { bids: cut(quotes.bids), asks: cut(quotes.asks) } };
}

/** The same bars with other columns. */
export function mapBars({ periodMs, ranges }: BarWindow, change: (values: Float64Array) => Float64Array): BarWindow {
  if (ranges === undefined) return { periodMs };
  return { periodMs, ranges: { open: change(ranges.open), high: change(ranges.high), low: change(ranges.low) } };
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
