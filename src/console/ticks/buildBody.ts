import type { TickRequestBody } from '../../contract/tickForecast.ts';
import { formatTimestamp } from './formatTimestamp.ts';
import { US_PER_MS, type TickSeries } from './TickSeries.ts';

/** The body of POST /auth/ti-tick: the `count` ticks up to `origin`, and the future time with price 0. */
export function buildBody({ timesUs, prices }: TickSeries, origin: number, count: number, horizonMs: number): TickRequestBody {
  const from = origin + 1 - count;
  const Timestamp = Array.from(timesUs.subarray(from, origin + 1), formatTimestamp);
  Timestamp.push(formatTimestamp(Math.round(timesUs[origin]! + horizonMs * US_PER_MS)));
  const Price = Array.from(prices.subarray(from, origin + 1));
  Price.push(0);
  return { Timestamp, Price };
}
