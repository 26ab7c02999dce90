import { ServiceError } from '../../src/core/ServiceError.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { openHoursOf, splitDays, type MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import { HOURS_PER_WEEK } from '../../src/engine/features/MarketClock.ts';
import { mondayOf, weekOf } from './marketExamples.ts';
import { stampZone, stampZoneNote } from './stampZone.ts';

const DAY_US = 86_400 * US_PER_SECOND;
/** A day with fewer open minutes does not count. */
const LEAST_MINUTES = 60;
/** A week has at least so many days, also where no week of the files is whole. */
const LEAST_DAYS_OF_A_WEEK = 5;
/** Fewer weeks are refused without --force; from the second number on, there is no warning. */
const LEAST_WEEKS = [3, 4] as const;

export type CoveredWeeks = {
  /** Days with ticks, over the days of a full week of this market, five or more. */
  readonly weeks: number;
  /** Mondays of the weeks between the first and the last that have less than half of their days, ISO dates. */
  readonly holes: readonly string[];
};

export function coveredWeeks(moves: MinuteMoves): CoveredWeeks {
  const daysOf = new Map<number, number>();
  for (const { day, minute } of splitDays(moves, 'none')) {
    if (minute.length < LEAST_MINUTES) continue;
    const week = weekOf(day * DAY_US);
    daysOf.set(week, (daysOf.get(week) ?? 0) + 1);
  }
  const full = Math.max(LEAST_DAYS_OF_A_WEEK, ...daysOf.values());
  const known = [...daysOf.keys()];
  const between = Array.from({ length: Math.max(0, (known.at(-1) ?? 0) - (known[0] ?? 0) - 1) }, (_, at) => (known[0] as number) + 1 + at);
  return {
    weeks: [...daysOf.values()].reduce((sum, days) => sum + days, 0) / full,
    holes: between.filter((week) => (daysOf.get(week) ?? 0) < full / 2).map(mondayOf),
  };
}

/** Warnings about weeks, opening hours and time zone. Throws ServiceError `training.too_little_data` for too few weeks without --force. */
export function weeksNotes(moves: MinuteMoves, isForced: boolean): string[] {
  const { weeks, holes } = coveredWeeks(moves);
  const text = `The ticks cover ${weeks.toFixed(1)} weeks; a market needs at least ${LEAST_WEEKS[1]}, and eight are recommended.`;
  if (weeks < LEAST_WEEKS[0] && !isForced) throw new ServiceError('training.too_little_data', `${text} Add weeks, or use --force.`);
  const zone = stampZone(moves);
  return [
    ...(weeks < LEAST_WEEKS[1] ? [text] : []),
    ...(holes.length === 0
      ? []
      : [`Weeks with less than half of their days, by their Monday: ${holes.join(', ')}. They count only by their days.`]),
    ...hoursNotes(openHoursOf(moves, 'none')),
    ...(zone === null ? [] : [stampZoneNote(zone)]),
  ];
}

/** A market with a weekend of this many hours trades around the clock on the other days. */
const WEEKEND_HOURS = [40, 56] as const;

/** Sentences about the open hours of the week, Monday 00 first. */
export function hoursNotes(openHours: Uint8Array): string[] {
  const open = openHours.reduce((sum, hour) => sum + hour, 0);
  if (open === HOURS_PER_WEEK)
    return ['The market is open all hours of the week: closed hours cannot reveal timestamps that are not in UTC (clock_mismatch).'];
  const weekend = longestPause(openHours);
  return weekend >= WEEKEND_HOURS[0] && weekend <= WEEKEND_HOURS[1]
    ? []
    : [
        `The market is open in ${open} of 168 hours of the week; in the others, answers are null with clock_mismatch at the horizons that use the time of day.`,
      ];
}

/** The longest run of closed hours, around the week. */
function longestPause(openHours: Uint8Array): number {
  let longest = 0;
  let hours = 0;
  for (let at = 0; at < 2 * HOURS_PER_WEEK; at++) {
    hours = openHours[at % HOURS_PER_WEEK] === 0 ? hours + 1 : 0;
    longest = Math.max(longest, hours);
  }
  return longest;
}
