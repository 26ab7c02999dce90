import type { TickRequestBody } from '../../contract/tickForecast.ts';
import { US_PER_MS, type TickSeries } from './TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { parseTimestamp } from './timeText.ts';

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
function readLength(text: string): number | null {
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

/** The body of POST /auth/ti-tick: the `count` ticks up to `origin`, and the future time with price 0. */
export function buildBody({ timesUs, prices }: TickSeries, origin: number, count: number, horizonMs: number): TickRequestBody {
  const from = origin + 1 - count;
  const Timestamp = Array.from(timesUs.subarray(from, origin + 1), writeTimestamp);
  Timestamp.push(writeTimestamp(Math.round(timesUs[origin]! + horizonMs * US_PER_MS)));
  const Price = Array.from(prices.subarray(from, origin + 1));
  Price.push(0);
  return { Timestamp, Price };
}
