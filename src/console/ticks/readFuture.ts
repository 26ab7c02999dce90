import type { BarBody, TickBody } from '../../../clients/typescript/src/index.ts';
import { US_PER_MS, type TickSeries } from './TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { parseTimestamp } from './timeText.ts';
import { barHorizonFault } from '../../engine/scoring/barPeriod.ts';

/** Milliseconds of a unit as people write it. */
const UNITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['ms', 'millisecond', 'milliseconds'].map((unit) => [unit, 1])),
  ...Object.fromEntries(['', 's', 'sec', 'secs', 'second', 'seconds'].map((unit) => [unit, 1000])),
  ...Object.fromEntries(['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, 60_000])),
  ...Object.fromEntries(['h', 'hr', 'hour', 'hours'].map((unit) => [unit, 3_600_000])),
  ...Object.fromEntries(['d', 'day', 'days'].map((unit) => [unit, 86_400_000])),
};

const PART = /\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*/gy;

/** A length of time such as `90`, `90 s`, `5 min`, `1m 30s`, in milliseconds; null where the text is not a length. */
export function readLength(text: string): number | null {
  PART.lastIndex = 0;
  let total = 0;
  while (PART.lastIndex < text.length) {
    const part = PART.exec(text);
    const unitMs = part === null ? undefined : UNITS[part[2] ?? ''];
    if (part === null || unitMs === undefined) return null;
    total += Number(part[1]) * unitMs;
  }
  return text.trim() === '' ? null : total;
}

export type Future =
  | { readonly horizonMs: number }
  /** Why the text is not a time after the last tick, as a sentence. */
  | { readonly fault: string };

/** Parses the future time: a length after the last tick, or a time (UTC). */
export function readFuture(text: string, lastUs: number): Future {
  const stamp = parseTimestamp(text);
  if (stamp !== null) {
    if (stamp > lastUs) return { horizonMs: (stamp - lastUs) / US_PER_MS };
    return {
      fault: `${writeTimestamp(stamp)} is not after the last tick (${writeTimestamp(lastUs)}). Name a later time, or a length such as 5 min.`,
    };
  }
  const lengthMs = readLength(text.toLowerCase());
  if (lengthMs === null) return { fault: 'Write a length such as 90 s, 5 min or 1 h, or a time such as 2024-01-02 09:34:18.000 (UTC).' };
  if (lengthMs < 1) return { fault: 'The future time must be later than the last tick: write 1 ms or more.' };
  return { horizonMs: Math.round(lengthMs * US_PER_MS) / US_PER_MS };
}

/** The future time after a tick of a series; a fault where it is under two periods of bars, because no outcome can be scored. */
export function scoredFuture(text: string, { timesUs, bars }: Pick<TickSeries, 'timesUs' | 'bars'>, at: number): Future {
  const count = bars === undefined ? null : (/^\s*(\d{1,4})\s*bars?\s*$/i.exec(text)?.[1] ?? null);
  const future = count === null ? readFuture(text, timesUs[at]) : { horizonMs: Number(count) * bars!.periodMs };
  // Of bars, the model says which horizons it has.
  if ('fault' in future || bars !== undefined) return future;
  const fault = barHorizonFault(timesUs, future.horizonMs * US_PER_MS);
  return fault === null ? future : { fault: `No outcome can be scored: ${fault}.` };
}

/** What is asked: a future time so long after the last of these ticks. */
export type Window = { readonly series: TickSeries; readonly horizonMs: number };

/** Microseconds. */
export const futureUsOf = ({ series: { timesUs }, horizonMs }: Window): number => Math.round(timesUs.at(-1)! + horizonMs * US_PER_MS);

/** The body of POST /auth/ti-tick: the ticks, quotes as Bid and Ask, bars with their ranges, and the future time with price 0. */
export function buildBody(window: Window): TickBody | BarBody {
  const { timesUs, prices, quotes, bars } = window.series;
  const Timestamp = Array.from(timesUs, writeTimestamp);
  Timestamp.push(writeTimestamp(futureUsOf(window)));
  const listOf = (values: Float64Array): number[] => [...values, 0];
  if (bars !== undefined) {
    const { open, high, low } = bars.ranges ?? {};
    const ranges = open === undefined ? {} : { Open: listOf(open), High: listOf(high!), Low: listOf(low!) };
    return { Timestamp, ...ranges, Close: listOf(prices) };
  }
  return quotes === undefined ? { Timestamp, Price: listOf(prices) } : { Timestamp, Bid: listOf(quotes.bids), Ask: listOf(quotes.asks) };
}

/** A number as people write it, with a point or a comma; null: an empty field; NaN: anything else. */
export function readDecimal(text: string): number | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return null;
  return /^\d{1,10}(?:\.\d{1,10})?$/.test(trimmed) ? Number(trimmed) : NaN;
}
