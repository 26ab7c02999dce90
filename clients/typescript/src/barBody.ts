import { TickError } from './errors.ts';
import { checkedUs, formatTimestamps, timeUsOf, type FutureTime } from './tickBody.ts';

/** What the timestamps of bars are: their beginnings (exchanges, ccxt, MetaTrader, Yahoo), or their ends. */
export type BarTime = 'open' | 'close';

type Range = { readonly open: number; readonly high: number; readonly low: number };
/** A bar of ccxt: milliseconds, open, high, low, close and volume, which is not used. */
export type Ohlcv = readonly [timeMs: number, open: number, high: number, low: number, close: number, volume?: number];
/** One bar: its time, its close, and open, high and low or none of them. */
export type Bar = (FutureTime & { readonly close: number } & (Range | { readonly [name in keyof Range]?: undefined })) | Ohlcv;

/** Body of a forecast from bars, sent with `barTime`. */
export type BarBody = {
  Timestamp: string[];
  Close: number[];
  Open?: number[];
  High?: number[];
  Low?: number[];
};

/** A checked bar: microseconds, close, and open, high and low. */
export type BarRow = { readonly timeUs: number; readonly close: number; readonly range: Range | undefined };

/** Bars of one request. */
const MOST_BARS = 3000;

/**
 * Body of a forecast: the last 3,000 bars, and the future time with 0 as each price; without one, for `forecastHorizons`.
 *
 * @throws TickError for the first bar that is none; RangeError for no bars, or a future time that is none
 */
export function buildBarBody(bars: readonly Bar[], future?: FutureTime): BarBody {
  const first = Math.max(0, bars.length - MOST_BARS);
  const rows = checkedBars(bars.slice(first), first);
  if (rows.length === 0) throw new RangeError('there are no bars');
  const timesUs = rows.map(({ timeUs }) => timeUs);
  const end = future === undefined ? [] : [0];
  const lists = Object.entries(barLists(rows)).map(([name, values]) => [name, [...values, ...end]]);
  return {
    Timestamp: formatTimestamps(future === undefined ? timesUs : [...timesUs, timeUsOf(future)]),
    ...(Object.fromEntries(lists) as Omit<BarBody, 'Timestamp'>),
  };
}

/** The lists next to the timestamps. */
export function barLists(rows: readonly BarRow[]): Omit<BarBody, 'Timestamp'> {
  const Close = rows.map(({ close }) => close);
  if (rows[0]?.range === undefined) return { Close };
  const of = (name: keyof Range): number[] => rows.map(({ range }) => range![name]);
  return { Open: of('open'), High: of('high'), Low: of('low'), Close };
}

/** `first`: index of the first bar, for messages. @throws TickError for the first bar that breaks a rule */
export function checkedBars(bars: readonly Bar[], first = 0): BarRow[] {
  let last: BarRow | undefined;
  return bars.map((bar, at) => {
    const refuse = (field: TickError['field'], rule: string, value: unknown): never => {
      throw new TickError(first + at, field, rule, value, 'bar');
    };
    const given = isOhlcv(bar) ? { timeMs: bar[0], open: bar[1], high: bar[2], low: bar[3], close: bar[4] } : bar;
    const names = given.open === undefined ? (['close'] as const) : (['open', 'high', 'low', 'close'] as const);
    const timeUs = checkedUs(given, names, refuse);
    if (last !== undefined && timeUs <= last.timeUs)
      refuse('time', `must be later than that of the bar before it (${formatTimestamps([last.timeUs])[0]})`, formatTimestamps([timeUs])[0]);
    if (last !== undefined && (last.range === undefined) !== (given.open === undefined))
      refuse('open', 'must be there, with high and low, in all bars or in none', given.open);
    const range = given.open === undefined ? undefined : { open: given.open, high: given.high, low: given.low };
    return (last = { timeUs, close: given.close, range });
  });
}

export const isOhlcv = (bar: Bar): bar is Ohlcv => Array.isArray(bar);
