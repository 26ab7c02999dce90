import type { TickError } from './errors.ts';
import type { TickLists, TickRequestBody } from './wire.ts';

export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** Ticks in any form of the API: texts or epoch numbers, with Price, or with Bid and Ask. */
export type TickForm = DeepReadonly<TickLists>;

/** A future time, in milliseconds (a fraction is kept to the microsecond) or in integer microseconds since 1970, UTC. */
export type FutureTime = { readonly timeMs: number } | { readonly timeUs: number };

type Priced = { readonly price: number };
type Quoted = { readonly bid: number; readonly ask: number };

/** One observation: its time, and its price, or bid and ask, whose mid is the price. */
export type Tick = FutureTime & (Priced | Quoted);

type QuoteBody = Omit<TickRequestBody, 'Price'> & { Bid: number[]; Ask: number[] };

/** Body of a forecast, with Price, or with Bid and Ask. */
export type TickBody = TickRequestBody | QuoteBody;

const US_PER_SECOND = 1_000_000;

/** The largest power of ten that is exact as a double. */
const MAX_SCALE = 1e22;

/** The mid of a quote, rounded as the service does: to 9 decimals, below 1 to 9 digits after the leading zeros. */
export function midPrice(bid: number, ask: number): number {
  const mid = (bid + ask) / 2;
  let scale = 1e9;
  for (let digit = mid; digit < 1 && scale < MAX_SCALE; digit *= 10) scale *= 10;
  return scale < MAX_SCALE ? Math.round(mid * scale) / scale : mid;
}

export const priceOf = (tick: Tick): number => ('price' in tick ? tick.price : midPrice(tick.bid, tick.ask));

/** As the service: smaller numbers may be of the next larger unit, and years end with 2199. */
const [MS_FROM, US_FROM, END_US] = [1e11, 1e14, Date.UTC(2200, 0, 1) * 1000];

/** @returns integer microseconds @throws RangeError where it is no such time, or may be one in another unit */
export function timeUsOf(time: FutureTime): number {
  const isUs = 'timeUs' in time;
  const given: unknown = isUs ? time.timeUs : time.timeMs;
  const us = typeof given !== 'number' ? NaN : isUs ? given : Math.round(given * 1000);
  const from = isUs ? US_FROM : MS_FROM * 1000;
  if (Number.isSafeInteger(us) && us >= from && us < END_US) return us;
  throw new RangeError(`${isUs ? 'timeUs' : 'timeMs'} ${timeRule(time)}; it is ${String(given)}`);
}

/** What a time must be, and which unit a number may have instead. */
function timeRule(time: FutureTime): string {
  const isUs = 'timeUs' in time;
  const given = isUs ? time.timeUs : time.timeMs;
  const rule = `must be ${isUs ? 'integer microseconds (16 digits)' : 'milliseconds (13 digits)'} since 1970, up to 2199`;
  if (!Number.isFinite(given) || given < 0) return rule;
  if (given < MS_FROM) return `${rule}, and may be seconds`;
  if (given < US_FROM) return isUs ? `${rule}, and may be milliseconds` : rule;
  return given < 1e17 ? (isUs ? rule : `${rule}, and may be microseconds`) : `${rule}, and may be nanoseconds`;
}

/** Every price is below this. */
const PRICE_LIMIT = 1e12;

/** The time of a tick or a bar whose prices are these fields, in microseconds. `refuse` throws for the first one that breaks a rule. */
export function checkedUs<Field extends TickError['field']>(
  given: FutureTime & { readonly [name in Field]?: unknown },
  prices: readonly Field[],
  refuse: (field: TickError['field'], rule: string, value: unknown) => never,
): number {
  for (const field of prices) {
    const value = given[field];
    if (typeof value !== 'number' || !(value > 0 && value < PRICE_LIMIT)) refuse(field, 'must be above 0 and below 1e12', value);
  }
  try {
    return timeUsOf(given);
  } catch {
    return refuse('time', timeRule(given), 'timeUs' in given ? given.timeUs : given.timeMs);
  }
}

/**
 * Body of a forecast: the ticks as they are, with Bid and Ask if all have both, and the future time with price 0. Stamps have milliseconds, or
 * microseconds where any tick has them: no digit is rounded away. The service checks the rules of ticks (order, length, prices).
 *
 * @throws RangeError for a time that is none
 */
export function buildTickBody(ticks: readonly (FutureTime & Priced)[], future: FutureTime): TickRequestBody;
export function buildTickBody(ticks: readonly Tick[], future: FutureTime): TickBody;
export function buildTickBody(ticks: readonly Tick[], future: FutureTime): TickBody {
  const Timestamp = formatTimestamps([...ticks, future].map(timeUsOf));
  const quotes = ticks.filter((tick) => 'bid' in tick && !('price' in tick)) as Quoted[];
  // So that the service knows the spread.
  if (quotes.length === ticks.length && quotes.length > 0)
    return { Timestamp, Bid: [...quotes.map(({ bid }) => bid), 0], Ask: [...quotes.map(({ ask }) => ask), 0] };
  return { Timestamp, Price: [...ticks.map(priceOf), 0] };
}

/** `YYYY-MM-DD HH:MM:SS.fff`, UTC, all with 3 digits of fraction, or with 6 where one of them needs it. @param timesUs integer microseconds */
export function formatTimestamps(timesUs: readonly number[]): string[] {
  const digits = timesUs.some((us) => us % 1000 !== 0) ? 6 : 3;
  let [second, whole] = [-1, ''];
  return timesUs.map((us) => {
    const itsSecond = Math.floor(us / US_PER_SECOND);
    // Neighbours share their second more often than not, and the date is what takes long.
    if (itsSecond !== second) {
      const text = new Date(itsSecond * 1000).toISOString();
      [second, whole] = [itsSecond, `${text.slice(0, 10)} ${text.slice(11, 19)}.`];
    }
    return (
      whole +
      String(us - second * US_PER_SECOND)
        .padStart(6, '0')
        .slice(0, digits)
    );
  });
}
