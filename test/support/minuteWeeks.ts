import { seededRandom } from '../../src/core/Random.ts';
import { daylightMinutes } from '../../src/engine/features/daylightMinutes.ts';
import type { MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import { busyAfternoon } from './marketTicks.ts';

const MINUTES_PER_WEEK = 7 * 1440;
const HOUR = 60;

/** Local minutes of New York: winter time and the rule of the United States. */
export const newYork = (utc: number): number => utc - 5 * HOUR + daylightMinutes('us', utc * 60);
/** Whether the week is open from Sunday to Friday 17:00. */
export const untilFriday = (local: number): boolean => {
  const ofWeek = (local + 3 * 1440) % MINUTES_PER_WEEK;
  return ofWeek < 4 * 1440 + 17 * HOUR || ofWeek >= 6 * 1440 + 17 * HOUR;
};

type Week = { readonly isOpen?: (utc: number) => boolean; readonly busy?: (hour: number, utc: number) => number; readonly weeks?: number };

/** Minutes from a Monday on, open from Sunday to Friday 17:00 New York time, busy in the afternoon of UTC. */
export function weeksFrom(
  monday: string,
  { isOpen = (utc) => untilFriday(newYork(utc)), busy = busyAfternoon, weeks = 4 }: Week = {},
): MinuteMoves {
  const random = seededRandom(1);
  const from = Date.parse(monday) / 60_000;
  const minutes = Array.from({ length: weeks * MINUTES_PER_WEEK }, (_, at) => from + at).filter(isOpen);
  return {
    minute: Int32Array.from(minutes),
    size: Float64Array.from(minutes, (at) => Math.abs(random.normal()) * busy((at / HOUR) % 24, at) * 1e-4),
  };
}
