import { US_PER_MINUTE } from '../../src/core/units.ts';
import { learnShape, splitDays, type MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import { MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';
import { zoneClock } from '../../src/ticks/import/DateReader.ts';
import { correlationOf } from './profileDrift.ts';
import { isUsualClose, LEAST_FRACTION, LEAST_WEEKENDS, weekendStarts } from './usualClose.ts';

const HOUR = 60;
/** The volatility by time of day contradicts a zone if its correlation with the sessions is lower than that of UTC by more than this. */
const MOST_WORSE = 0.15;
/** Opening hours on their own clocks, minutes of the day. */
const SESSIONS = [
  { zone: 'Asia/Tokyo', from: 9 * HOUR, to: 15 * HOUR, weight: 0.5 },
  { zone: 'Europe/London', from: 8 * HOUR, to: 17 * HOUR, weight: 1 },
  { zone: 'America/New_York', from: 8.5 * HOUR, to: 16 * HOUR, weight: 1 },
] as const;

/** Zones of tick files, as `--zone` accepts them; the ones that are found most often first. */
const PLACES = [
  'America/New_York',
  'EST',
  'Europe/Athens',
  'Europe/London',
  'Europe/Berlin',
  'America/Chicago',
  'America/Los_Angeles',
  'Europe/Moscow',
  'Asia/Kolkata',
  'Asia/Singapore',
  'Asia/Tokyo',
  'Australia/Sydney',
] as const;
const OFFSETS = Array.from({ length: 53 }, (_, at) => {
  const minutes = Math.abs(at * 30 - 12 * HOUR);
  return `${at < 24 ? '-' : '+'}${String(Math.floor(minutes / HOUR)).padStart(2, '0')}:${String(minutes % HOUR).padStart(2, '0')}`;
});

export type StampZone = {
  /** Zones under which equally many weeks end at the usual time, for `--zone`. */
  readonly zones: readonly string[];
  /** Lowest and highest offset of the first zone at the ends of the weeks, minutes ahead of UTC. */
  readonly offsets: readonly [number, number];
  /** Weekends, and how many of them begin at the usual time in this zone and in UTC. */
  readonly weekends: number;
  readonly found: number;
  readonly inUtc: number;
  /** Correlation of ln volatility by minute of the day with the sessions, in this zone and in UTC. */
  readonly fit: number;
  readonly fitUtc: number;
};

/**
 * The zone that stamps read as UTC seem to be in; null if that is UTC or if the evidence is weak. Evidence: the weekends begin on Friday at
 * 17:00 New York time, and the volatility by time of day does not contradict it.
 */
export function stampZone(moves: MinuteMoves): StampZone | null {
  const closes = weekendStarts(moves.minute);
  const inUtc = closes.filter((minute) => isUsualClose(minute)).length;
  const read = [...PLACES, ...OFFSETS].map((zone) => {
    const offsets = closes.map((minute) => offsetOf(zone, minute));
    return { zone, offsets, found: closes.filter((minute, at) => isUsualClose(minute - (offsets[at] as number))).length };
  });
  const found = Math.max(0, ...read.map((of) => of.found));
  if (found < LEAST_FRACTION * closes.length || found < inUtc + LEAST_WEEKENDS) return null;
  const best = read.filter((of) => of.found === found);
  const places = best.filter(({ zone }) => (PLACES as readonly string[]).includes(zone));
  const [first] = best as [(typeof best)[0]];
  const { shape } = learnShape(splitDays(moves, 'none'));
  const middle = moves.minute[moves.minute.length >> 1] as number;
  const [fit, fitUtc] = [offsetOf(first.zone, middle), 0].map((offset) => sessionFit(shape, middle, offset)) as [number, number];
  if (!(fit >= fitUtc - MOST_WORSE)) return null;
  return {
    zones: (places.length > 0 ? places : best).map(({ zone }) => zone),
    offsets: [Math.min(...first.offsets), Math.max(...first.offsets)],
    ...{ weekends: closes.length, found, inUtc, fit, fitUtc },
  };
}

export function stampZoneNote({ zones, offsets: [low, high], weekends, found, inUtc, fit, fitUtc }: StampZone): string {
  const hours = [...new Set([low, high].map((offset) => Math.abs(offset) / HOUR))].sort((a, b) => a - b).join(' to ');
  return (
    `The timestamps seem to be ${hours} h ${high <= 0 ? 'behind' : 'ahead of'} UTC (${zones.join(' or ')}): ` +
    `in this zone, ${found} of ${weekends} weeks end on Friday at 17:00 New York time, as those of currencies, metals and index futures do; read as UTC, ${inUtc} of them. ` +
    `The correlation of the volatility by time of day with the sessions of Tokyo, London and New York is ${fit.toFixed(2)} in this zone and ${fitUtc.toFixed(2)} in UTC. ` +
    'If so, name the zone with --zone or correct the files, and send UTC to the service.'
  );
}

/** Minutes that a zone is ahead of UTC at a time that is written in it. */
function offsetOf(zone: string, minute: number): number {
  const writtenUs = minute * US_PER_MINUTE;
  return (writtenUs - zoneClock(zone).toUtc(writtenUs, -Infinity)) / US_PER_MINUTE;
}

/** Correlation of ln shape with the weights of the open sessions, if the shape is of stamps `offset` minutes ahead of UTC. */
function sessionFit(shape: Float64Array, minute: number, offset: number): number {
  const open = new Array<number>(MINUTES_PER_DAY).fill(0);
  for (const { zone, from, to, weight } of SESSIONS) {
    const toUtc = offset - offsetOf(zone, minute);
    for (let local = from; local < to; local++) open[(local + toUtc + 2 * MINUTES_PER_DAY) % MINUTES_PER_DAY]! += weight;
  }
  return correlationOf(open, Array.from(shape, Math.log));
}
