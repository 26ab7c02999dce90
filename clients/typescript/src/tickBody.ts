import type { TickRequestBody } from './wire.ts';

/** A future time, in milliseconds (a fraction is kept to the microsecond) or in integer microseconds since 1970, UTC. */
export type FutureTime = { readonly timeMs: number } | { readonly timeUs: number };

/** One observation: its time, and its price, or bid and ask, whose mid is the price. */
export type Tick = FutureTime & ({ readonly price: number } | { readonly bid: number; readonly ask: number });

const US_PER_SECOND = 1_000_000;

/** The mid of a quote, rounded as the service does. */
export const midPrice = (bid: number, ask: number): number => Math.round(((bid + ask) / 2) * 1e9) / 1e9;

export const priceOf = (tick: Tick): number => ('price' in tick ? tick.price : midPrice(tick.bid, tick.ask));

/** @returns integer microseconds @throws RangeError where it is no such time */
export function timeUsOf(time: FutureTime): number {
  const us = 'timeUs' in time ? time.timeUs : Math.round(time.timeMs * 1000);
  if (Number.isSafeInteger(us) && us >= 0) return us;
  throw new RangeError(
    'timeUs' in time
      ? `timeUs must be integer microseconds since 1970; it is ${time.timeUs}`
      : `timeMs must be milliseconds since 1970; it is ${time.timeMs}`,
  );
}

/**
 * Body of a forecast: the ticks as they are, and the future time with price 0. `closes`: the last price of each minute of the day before the
 * first tick, at most 1,500, for a version with a market profile. Stamps have milliseconds, or microseconds where any tick has
 * them: no digit is rounded away. The service checks the rules of ticks (order, length, prices).
 *
 * @throws RangeError for a time that is none
 */
export function buildTickBody(ticks: readonly Tick[], future: FutureTime, closes: readonly Tick[] = []): TickRequestBody {
  const timesUs = ticks.map(timeUsOf);
  timesUs.push(timeUsOf(future));
  const price = ticks.map(priceOf);
  price.push(0);
  return { Timestamp: formatTimestamps(timesUs), Price: price, ...(closes.length === 0 ? {} : { Closes: listsOf(closes) }) };
}

const listsOf = (ticks: readonly Tick[]): { Timestamp: string[]; Price: number[] } => ({
  Timestamp: formatTimestamps(ticks.map(timeUsOf)),
  Price: ticks.map(priceOf),
});

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
