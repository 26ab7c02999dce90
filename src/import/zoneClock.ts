import { ServiceError, quoteValue } from '../core/ServiceError.ts';
import { US_PER_MINUTE } from '../core/units.ts';

const US_PER_HOUR = 60 * US_PER_MINUTE;
/** Zones change their offset at whole quarters of an hour since 1970. */
const QUARTER_US = 15 * US_PER_MINUTE;
/** Names that traders use for an offset that knows no summer time, in hours. */
const FIXED: Readonly<Record<string, number>> = { UTC: 0, GMT: 0, Z: 0, EST: -5, CST: -6, MST: -7, PST: -8, CET: 1, EET: 2, JST: 9 };

/** Turns times of day as they are written into UTC. Stateful: of a doubled hour it takes the one that goes on from the stamp before, in the direction of the file. */
export type ZoneClock = {
  readonly name: string;
  /** Quarters of an hour with stamps in the hour that spring leaves out, and in the one that autumn doubles. */
  missing: number;
  doubled: number;
  /** Microseconds of the written time as if it were UTC, to microseconds UTC. `lastUs`: the stamp before. */
  toUtc(writtenUs: number, lastUs: number): number;
};

/** @throws ServiceError command.invalid for a zone that is none */
export function zoneClock(zone: string, isNewestFirst = false): ZoneClock {
  const name = zone.trim();
  const hours = FIXED[name.toUpperCase()];
  if (hours !== undefined) return fixedClock(name, hours * US_PER_HOUR);
  const offset = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name);
  if (offset !== null) {
    const us = (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * US_PER_MINUTE;
    if (us <= 15 * US_PER_HOUR && Number(offset[3] ?? 0) < 60) return fixedClock(name, offset[1] === '-' ? -us : us);
  }
  try {
    return placeClock(name, isNewestFirst, new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }));
  } catch (cause) {
    throw new ServiceError(
      'command.invalid',
      `The zone ${quoteValue(zone)} is unknown: write UTC, +02:00, EST or a place such as America/New_York.`,
      {
        cause,
      },
    );
  }
}

function fixedClock(name: string, offsetUs: number): ZoneClock {
  return { name, missing: 0, doubled: 0, toUtc: (writtenUs) => writtenUs - offsetUs };
}

function placeClock(name: string, isNewestFirst: boolean, format: Intl.DateTimeFormat): ZoneClock {
  const offsetAt = (utcUs: number): number => {
    const part = format.formatToParts(utcUs / 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const match = /GMT([+-])(\d\d):(\d\d)/.exec(part);
    if (match === null) return 0;
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) * US_PER_MINUTE;
  };
  let quarter = NaN;
  let earlierUs = 0;
  let laterUs = 0;
  return {
    name,
    missing: 0,
    doubled: 0,
    toUtc(writtenUs, lastUs) {
      const at = Math.floor(writtenUs / QUARTER_US);
      if (at !== quarter) {
        quarter = at;
        // The offsets a day before and a day after are all that can hold at this written time.
        const before = offsetAt(writtenUs - 24 * US_PER_HOUR);
        const after = offsetAt(writtenUs + 24 * US_PER_HOUR);
        const holds = [before, after].filter((offsetUs) => offsetAt(writtenUs - offsetUs) === offsetUs);
        // In the hour that is left out neither holds: the offset before the change goes on.
        earlierUs = Math.max(...(holds.length > 0 ? holds : [before]));
        laterUs = Math.min(...(holds.length > 0 ? holds : [before]));
        if (holds.length === 0) this.missing++;
        else if (earlierUs !== laterUs) this.doubled++;
      }
      const [first, second] = [writtenUs - earlierUs, writtenUs - laterUs];
      if (isNewestFirst) return second <= lastUs ? second : first;
      return first >= lastUs ? first : second;
    },
  };
}
