import { daylightMinutes } from '../../src/engine/features/daylightMinutes.ts';
import { MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';

const HOUR = 60;
const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_WEEK = 7 * MINUTES_PER_DAY;
/** The weekend of a market that trades around the clock on five days: currencies, metals, index futures. Minutes without a tick. */
const WEEKEND_MINUTES = [46 * HOUR, 50 * HOUR] as const;
/** Such markets close on Friday at 17:00 New York time, in minutes since Thursday 1970-01-01 00:00. */
const CLOSE = MINUTES_PER_DAY + 17 * HOUR;
/** The last tick may be this far from the close. */
const MOST_FROM_CLOSE = 10;
/** New York in winter, minutes ahead of UTC. */
const NEW_YORK = -5 * HOUR;
/** Evidence needs this fraction of the weekends, and this many. */
export const LEAST_FRACTION = 0.75;
export const LEAST_WEEKENDS = 2;

/** First minutes without a tick of the weekends, minutes since 1970. `minute`: those with a tick, ascending. */
export function weekendStarts(minute: Int32Array): number[] {
  const starts: number[] = [];
  for (let at = 1; at < minute.length; at++) {
    const closed = minute[at]! - minute[at - 1]! - 1;
    if (closed >= WEEKEND_MINUTES[0] && closed <= WEEKEND_MINUTES[1]) starts.push(minute[at - 1]! + 1);
  }
  return starts;
}

/** Whether a time is Friday 17:00 New York time. */
export function isUsualClose(utcMinute: number): boolean {
  const local = utcMinute + NEW_YORK + daylightMinutes('us', utcMinute * SECONDS_PER_MINUTE);
  const late = (local - CLOSE + MINUTES_PER_WEEK / 2) % MINUTES_PER_WEEK;
  return Math.abs(late - MINUTES_PER_WEEK / 2) <= MOST_FROM_CLOSE;
}

/** Whether the weeks of a market end at the usual time. */
export function closesAsUsual(minute: Int32Array): boolean {
  const starts = weekendStarts(minute);
  const usual = starts.filter(isUsualClose).length;
  return usual >= LEAST_WEEKENDS && usual >= LEAST_FRACTION * starts.length;
}
