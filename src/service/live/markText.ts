import type { MarkedForecast } from './ForecastEvents.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';

/** What a mark means, in words: for this market with the default threshold, for the cost of the caller with an own one; and whether it can pay. */
export function markText({ futureUs, probability, minMoveBps, ownThreshold, costBps }: MarkedForecast): string {
  const chance = `by ${writeTimestamp(futureUs)} UTC has a probability of ${Math.round(100 * probability)} %.`;
  const words = ownThreshold
    ? `A move beyond your cost of ${short(minMoveBps)} bps ${chance}`
    : `An unusually large move is expected for this market: more than ${short(minMoveBps)} bps ${chance}`;
  if (costBps === null || minMoveBps >= costBps) return words;
  return `${words} That is less than the spread of ${short(costBps)} bps: such a move does not pay.`;
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
