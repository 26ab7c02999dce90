import type { BarTime } from '../core/barTime.ts';
import { US_PER_MINUTE, US_PER_MS, US_PER_SECOND } from '../core/units.ts';
import { mapRanges, type Ranges } from './BarWindow.ts';
import { type BarsBefore, type Volumes, withoutFillers } from './fillers.ts';
import type { TickRequest } from './parseTickRequest.ts';
import { END_US } from './timestamps.ts';

/** Shortest and longest bar. */
export const BAR_PERIOD_US = [US_PER_SECOND, 86_400 * US_PER_SECOND] as const;

/** Relative distance by which adjusted prices of vendors miss their own high or low. */
const ROUNDING = 1e-9;

/** Times are ends of bars and prices their closes. */
export type Bars = Required<Pick<TickRequest, 'series' | 'bars'>>;

/** The first rule that bars break, and where. */
export type BarFault =
  | { readonly rule: 'range'; readonly at: number; readonly bound: 'High' | 'Low'; readonly price: 'Open' | 'Close' }
  /** The most frequent difference of timestamps is too short or too long. */
  | { readonly rule: 'period'; readonly periodUs: number }
  /** The bar begins before the one before it has ended, or off the grid (`fitsGrid`). */
  | { readonly rule: 'grid'; readonly at: number; readonly periodUs: number }
  /** The last bar ends after the supported years. */
  | { readonly rule: 'end' };

/** Closes, and opens, highs and lows if they are known. */
export type BarPrices = readonly [close: Float64Array, open?: Float64Array, high?: Float64Array, low?: Float64Array];

/**
 * Places bars at their ends: at their timestamps, or one period later. Timestamps ascend strictly. A last bar that has not
 * ended can say so with `close` only: its timestamp is then the time of its last price. With `open` its price is placed later than it was
 * known, never earlier. `ended`: all bars have ended, and their period if it is known; otherwise it is the most frequent difference.
 * `volumes`: bars of volume 0 that repeat the close before them are left out, like bars that are missing.
 */
export function placeBars(
  stampsUs: Float64Array,
  prices: BarPrices,
  barTime: BarTime,
  ended?: { readonly periodUs: number | undefined },
  volumes?: { readonly list: Volumes; readonly before?: BarsBefore | undefined },
): Bars | BarFault {
  const [close, open, high, low] = prices;
  const ranges = open === undefined || high === undefined || low === undefined ? undefined : { open, high, low };
  const fault = ranges === undefined ? undefined : fitRanges(ranges, close);
  if (fault !== undefined) return fault;
  const periodUs = ended?.periodUs ?? measurePeriodUs(stampsUs);
  if (!isPeriod(periodUs)) return { rule: 'period', periodUs };
  const at = offGrid(stampsUs, periodUs);
  const isUnfinished = at === stampsUs.length - 1 && barTime === 'close' && ended === undefined;
  if (at > 0 && !isUnfinished) return { rule: 'grid', at, periodUs };
  const timesUs = barTime === 'close' ? stampsUs : stampsUs.map((us) => us + periodUs);
  if (timesUs.at(-1)! >= END_US) return { rule: 'end' };
  const periodMs = periodUs / US_PER_MS;
  const placed = { series: { timesUs, prices: close }, bars: { periodMs, barTime, ranges } };
  const kept = volumes === undefined ? undefined : withoutFillers(prices, volumes.list, volumes.before);
  return kept === undefined ? placed : barsAt(placed, kept);
}

function barsAt({ series, bars }: Bars, kept: readonly number[]): Bars {
  const of = (list: Float64Array): Float64Array => Float64Array.from(kept, (i) => list[i]);
  const { ranges } = bars;
  return {
    series: { timesUs: of(series.timesUs), prices: of(series.prices) },
    bars: ranges === undefined ? bars : { ...bars, ranges: mapRanges(ranges, of) },
  };
}

export const isPeriod = (us: number): boolean => us >= BAR_PERIOD_US[0] && us <= BAR_PERIOD_US[1];

/** The most frequent difference, of equally frequent ones the smallest; 0 without one. */
function measurePeriodUs(stampsUs: Float64Array): number {
  const counts = new Map<number, number>();
  let [run, length] = [0, 0];
  for (let i = 1; i <= stampsUs.length; i++) {
    const difference = i < stampsUs.length ? stampsUs[i] - stampsUs[i - 1] : NaN;
    if (difference === run) length++;
    else {
      if (length > 0) counts.set(run, (counts.get(run) ?? 0) + length);
      [run, length] = [difference, 1];
    }
  }
  let [period, most] = [0, 0];
  for (const [difference, count] of counts)
    if (count > most || (count === most && difference < period)) [period, most] = [difference, count];
  return period;
}

/** Whether a bar may follow another one after this time: after a break, bars of some minutes begin again at any minute. */
export const fitsGrid = (us: number, periodUs: number): boolean =>
  us >= periodUs && us % (periodUs % US_PER_MINUTE === 0 ? US_PER_MINUTE : periodUs) === 0;

/** Index of the first bar off the grid of the one before it; -1 without one. */
function offGrid(stampsUs: Float64Array, periodUs: number): number {
  for (let i = 1; i < stampsUs.length; i++) {
    const difference = stampsUs[i] - stampsUs[i - 1];
    if (difference !== periodUs && !fitsGrid(difference, periodUs)) return i;
  }
  return -1;
}

/** The first bar whose range does not contain its prices. A bound that misses a price by rounding alone is moved to it. */
function fitRanges({ open, high, low }: Ranges, close: Float64Array): BarFault | undefined {
  for (let at = 0; at < close.length; at++) {
    const [first, last] = [open[at], close[at]];
    const [most, least] = first > last ? [first, last] : [last, first];
    if (high[at] < most) {
      if (high[at] < most * (1 - ROUNDING)) return { rule: 'range', at, bound: 'High', price: most === first ? 'Open' : 'Close' };
      high[at] = most;
    }
    if (low[at] > least) {
      if (low[at] > least * (1 + ROUNDING)) return { rule: 'range', at, bound: 'Low', price: least === first ? 'Open' : 'Close' };
      low[at] = least;
    }
  }
  return undefined;
}
