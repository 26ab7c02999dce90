import { MS_PER_SECOND } from '../../core/units.ts';

/**
 * Clock changes that the sessions of a market follow: none (UTC all year), of the United States (since 2007: second Sunday of March,
 * 07:00 UTC, to first Sunday of November, 06:00 UTC), or of the European Union (last Sundays of March and October, 01:00 UTC).
 */
export const DAYLIGHT_RULES = ['none', 'us', 'eu'] as const;
export type DaylightRule = (typeof DAYLIGHT_RULES)[number];

/** Minutes that local time of the rule is ahead of its winter time. */
const SUMMER_MINUTES = 60;
const MARCH = 2;
const OCTOBER = 9;
const NOVEMBER = 10;

/** Minutes to add to UTC, so that sessions of a market under this rule start at the same minute all year. `timeS`: seconds since 1970 UTC. */
export function daylightMinutes(rule: DaylightRule, timeS: number): number {
  if (rule === 'none') return 0;
  const [start, end] = changesOf(rule, new Date(timeS * MS_PER_SECOND).getUTCFullYear());
  return timeS >= start && timeS < end ? SUMMER_MINUTES : 0;
}

const changesCache: Record<Exclude<DaylightRule, 'none'>, Map<number, readonly [number, number]>> = { us: new Map(), eu: new Map() };

/** Start and end of summer time in a year, seconds since 1970 UTC. */
export function changesOf(rule: Exclude<DaylightRule, 'none'>, year: number): readonly [start: number, end: number] {
  const known = changesCache[rule].get(year);
  if (known !== undefined) return known;
  const found =
    rule === 'us'
      ? ([sunday(year, MARCH, 8, 7), sunday(year, NOVEMBER, 1, 6)] as const)
      : ([sunday(year, MARCH, 25, 1), sunday(year, OCTOBER, 25, 1)] as const);
  changesCache[rule].set(year, found);
  return found;
}

/** The first Sunday at or after a day of a month, at a whole hour UTC, in seconds. */
function sunday(year: number, month: number, day: number, hour: number): number {
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  return Date.UTC(year, month, day + ((7 - weekday) % 7), hour) / MS_PER_SECOND;
}
