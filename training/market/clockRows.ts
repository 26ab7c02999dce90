import { US_PER_SECOND } from '../../src/core/units.ts';
import { daylightMinutes, type DaylightRule } from '../../src/engine/features/daylightMinutes.ts';
import {
  type DayMoves,
  learnShape,
  levelBefore,
  type MinuteMoves,
  openHoursOf,
  splitDays,
} from '../../src/engine/features/learnProfile.ts';
import { MarketClock, type MarketProfile } from '../../src/engine/features/MarketClock.ts';
import { movesBefore, recentLevel } from '../../src/engine/features/recentLevel.ts';
import type { RowSet } from '../data/RowSet.ts';

const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_MINUTE = 60;

/** The newest days count most in the level: the weight of a day halves in this many calendar days. */
const LEVEL_HALF_LIFE_DAYS = 30;
/** A training row has a level only after this many days. */
const LEAST_DAYS_OF_LEVEL = 5;

/** The weeks that a profile is learned from. */
export type MarketHistory = { readonly moves: MinuteMoves; readonly daylight: DaylightRule; readonly days: readonly DayMoves[] };

export function historyOf(moves: MinuteMoves, daylight: DaylightRule): MarketHistory {
  return { moves, daylight, days: splitDays(moves, daylight) };
}

/** The profile of all days of a history; null if no day moves. */
export function learnMarket({ moves, daylight, days }: MarketHistory): MarketProfile | null {
  const { shape, levels } = learnShape(days);
  const level = levelBefore(levels, LEVEL_HALF_LIFE_DAYS);
  return level === null ? null : { daylight, shape, level, openHours: openHoursOf(moves, daylight) };
}

/** Readings of each row of an index; NaN where there is no level yet. */
export type ClockRows = {
  readonly clock: Float64Array;
  readonly usualMove: Float64Array;
  /** The usual move at the level of the day before the window; NaN without enough of its minutes. */
  readonly recentMove: Float64Array;
};

/** The readings without those of rows that have no recent level. */
export function withRecent({ clock, usualMove, recentMove }: ClockRows): ClockRows {
  return { clock: clock.map((value, at) => (Number.isFinite(recentMove[at]!) ? value : NaN)), usualMove, recentMove };
}

/** Readings of one profile, for rows after the weeks that it was learned from. `moves`: those of all weeks, for the recent level. */
export function readClock(rows: RowSet, index: ArrayLike<number>, profile: MarketProfile, moves: MinuteMoves): ClockRows {
  const market = new MarketClock(profile);
  return readRows(rows, index, moves, () => market);
}

/**
 * Readings for rows inside the weeks of the profile. The shape is learned without the days that the window and the horizon of the row
 * touch, and the level only from days before them.
 */
export function readOwnClock(rows: RowSet, index: ArrayLike<number>, { moves, daylight, days }: MarketHistory): ClockRows {
  const known = new Map<string, MarketClock | null>();
  const dayOf = (timeS: number): number => Math.floor((timeS + SECONDS_PER_MINUTE * daylightMinutes(daylight, timeS)) / SECONDS_PER_DAY);
  return readRows(rows, index, moves, (row) => {
    const originS = (rows.originUs[row] as number) / US_PER_SECOND;
    const first = dayOf(originS - (rows.windowS[row] as number));
    const last = dayOf(originS + (rows.horizonS[row] as number));
    const key = `${first} ${last}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const without = new Set(Array.from({ length: last - first + 1 }, (_, at) => first + at));
    const { shape, levels } = learnShape(days, without);
    const level = levelBefore(levels, LEVEL_HALF_LIFE_DAYS, first);
    const isEarly = levels.filter(({ day }) => day < first).length < LEAST_DAYS_OF_LEVEL;
    const market = level === null || isEarly ? null : new MarketClock({ daylight, shape, level, openHours: new Uint8Array(0) });
    known.set(key, market);
    return market;
  });
}

function readRows(rows: RowSet, index: ArrayLike<number>, moves: MinuteMoves, marketOf: (row: number) => MarketClock | null): ClockRows {
  const unknown = (): Float64Array => new Float64Array(index.length).fill(NaN);
  const out: ClockRows = { clock: unknown(), usualMove: unknown(), recentMove: unknown() };
  const reading = { clock: 0, usualMove: 0 };
  for (let at = 0; at < index.length; at++) {
    const row = index[at] as number;
    const market = marketOf(row);
    if (market === null) continue;
    const { profile } = market;
    const originS = (rows.originUs[row] as number) / US_PER_SECOND;
    const windowS = rows.windowS[row] as number;
    market.read(originS, windowS, rows.horizonS[row] as number, reading);
    out.clock[at] = reading.clock;
    out.usualMove[at] = reading.usualMove;
    const firstMinute = Math.floor((originS - windowS) / SECONDS_PER_MINUTE);
    const recent = recentLevel(moves, movesBefore(moves, firstMinute), firstMinute, profile);
    if (recent !== null) out.recentMove[at] = reading.usualMove + Math.log(recent / profile.level);
  }
  return out;
}
