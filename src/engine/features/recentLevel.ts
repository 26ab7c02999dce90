import { US_PER_MINUTE } from '../../core/units.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { daylightMinutes } from './daylightMinutes.ts';
import { minuteMoves, type MinuteMoves, perRootSecond } from './learnProfile.ts';
import { MINUTES_PER_DAY, type MarketProfile } from './MarketClock.ts';

/** A day of open minutes. */
const MOST_MINUTES = MINUTES_PER_DAY;
/** Fewer open minutes say too little about the level. */
const LEAST_MINUTES = 60;
/** Older moves are not recent: a long weekend lies in between at most. */
const OLDEST_MINUTES = 4 * MINUTES_PER_DAY;
const SECONDS_PER_MINUTE = 60;

/**
 * The level of the last open minutes before a time, at most a day of them: their mean |move| over what the shape expects. `end`: index after
 * the last move that counts; `beforeMinute`: minutes since 1970 UTC. Null if there are too few.
 */
export function recentLevel(
  { minute, size }: MinuteMoves,
  end: number,
  beforeMinute: number,
  { shape, daylight }: Pick<MarketProfile, 'shape' | 'daylight'>,
): number | null {
  const from = Math.max(0, end - MOST_MINUTES);
  // One offset for all of them: an hour off for the part before a clock change hardly changes a mean over a day.
  const offset = daylightMinutes(daylight, beforeMinute * SECONDS_PER_MINUTE);
  let moved = 0;
  let expected = 0;
  let at = end - 1;
  for (; at >= from && beforeMinute - minute[at]! <= OLDEST_MINUTES; at--) {
    moved += size[at]!;
    expected += shape[(minute[at]! + offset) % MINUTES_PER_DAY]!;
  }
  return end - 1 - at < LEAST_MINUTES || moved === 0 ? null : perRootSecond(moved / expected);
}

/** The level of one-minute closes, of those in whole minutes before `beforeUs`, microseconds. Null if there are too few. */
export function closesLevel(closes: TickSeries, beforeUs: number, profile: Pick<MarketProfile, 'shape' | 'daylight'>): number | null {
  const beforeMinute = Math.floor(beforeUs / US_PER_MINUTE);
  if (closes.timesUs.length < LEAST_MINUTES) return null;
  const moves = movesOfCloses(closes);
  return recentLevel(moves, movesBefore(moves, beforeMinute), beforeMinute, profile);
}

/** Moves between one-minute closes: the last close of each minute counts. */
function movesOfCloses({ timesUs, prices }: TickSeries): MinuteMoves {
  const minutes: number[] = [];
  const closes: number[] = [];
  for (let i = 0; i < timesUs.length; i++) {
    const minute = Math.floor(timesUs[i]! / US_PER_MINUTE);
    if (minute !== minutes.at(-1)) minutes.push(minute);
    closes[minutes.length - 1] = prices[i]!;
  }
  return minuteMoves(minutes, closes);
}

/** Index of the first move at or after a minute: the end of those before it. */
export function movesBefore({ minute }: MinuteMoves, beforeMinute: number): number {
  let [low, high] = [0, minute.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (minute[middle]! < beforeMinute) low = middle + 1;
    else high = middle;
  }
  return low;
}
