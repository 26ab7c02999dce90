import { quoteValue, ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MINUTE } from '../../core/units.ts';
import { MAX_YEAR, MIN_YEAR, US_PER_HOUR } from '../timestamps.ts';

/** Order of the parts of a date; `packed` is YYYYMMDD. */
export type DateOrder = 'ymd' | 'dmy' | 'mdy' | 'packed';
/** A time of day in a column of its own. */
export type TimeForm =
  /** 14:30:01.053 */
  | { readonly kind: 'clock' }
  /** 143001 or, where a leading zero is left out, 93001; then `decimals` digits of a fraction without a point. */
  | { readonly kind: 'packed'; readonly decimals: number }
  /** 1430 */
  | { readonly kind: 'minutes' }
  /** Since midnight: 52201.053 */
  | { readonly kind: 'elapsed'; readonly unit: SubUnit };

export type CalendarForm = {
  readonly kind: 'calendar';
  readonly order: DateOrder;
  /** The date is that of a trading session, which begins on the evening of the weekday before: only with a time in a column of its own. */
  readonly isSession?: boolean;
  /** Of a time in a column of its own. Default: clock. */
  readonly time?: TimeForm;
  /** Date and time stand in two columns. */
  readonly isSplit: boolean;
  /** The year has two digits: 70 to 99 are of the last century. Default: four. */
  readonly isShortYear?: boolean;
  /** The month is an English name, whole or its first letters: 22-Nov-2026. Default: a number. */
  readonly namesMonth?: boolean;
};
/** The units of a fraction of a second, and of time since midnight. */
export type SubUnit = 's' | 'ms' | 'us' | 'ns';
export const US_OF: Readonly<Record<SubUnit, number>> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };
/** Since 1970; `dotnet` counts 100 ns since the year 1, `filetime` since 1601, `kdb` nanoseconds since 2000, `excel` days since 1899-12-30. */
export type EpochUnit = SubUnit | 'dotnet' | 'filetime' | 'kdb' | 'excel';
/** How the stamps of a file are written. `words`: Tue Jan 09 14:30:01 2024, or Tue, 09 Jan 2024 14:30:01 GMT. */
export type TimestampForm = CalendarForm | { readonly kind: 'epoch'; readonly unit: EpochUnit } | { readonly kind: 'words' };

export const STAMP_MALFORMED = -1;
export const STAMP_NOT_A_TIME = -2;
export const STAMP_OTHER_UNIT = -3;

const ZERO = 48;
const [BLANK, COMMA, DASH, POINT, SLASH] = [32, 44, 45, 46, 47];
const LOWER = 32;
/** A longer date is parsed again in each row. */
const KEPT_BYTES = 20;
/** Years of two digits below this are of this century. */
const CENTURY_PIVOT = 70;
const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** Reads dates of one form from bytes. The date is kept from row to row and read again where its bytes change. */
export class DateReader {
  readonly #form: CalendarForm;
  readonly #isPacked: boolean;
  readonly #kept = new Uint8Array(KEPT_BYTES);
  #keptLength = 0;
  #end = 0;
  /** Midnight of the date read last, microseconds. */
  us = NaN;

  constructor(form: CalendarForm) {
    this.#form = form;
    this.#isPacked = form.order === 'packed';
  }

  /** Reads the date at `from` into `us`. Position behind it, or a fault. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const length = this.#keptLength;
    let same = 0;
    while (same < length && bytes[from + same] === this.#kept[same]) same++;
    if (length > 0 && same === length && from + length <= to) {
      const next = bytes[from + length] - ZERO;
      if (from + length === to || next >>> 0 > 9 || this.#isPacked) return from + length;
    }
    this.#keptLength = 0;
    const end = this.#isPacked ? this.#parsePacked(bytes, from, to) : this.#parse(bytes, from, to);
    if (end < 0 || end - from > KEPT_BYTES) return end;
    this.#keptLength = end - from;
    this.#kept.set(bytes.subarray(from, end));
    return end;
  }

  #parsePacked(bytes: Uint8Array, from: number, to: number): number {
    if (to - from < 8) return STAMP_MALFORMED;
    let packed = 0;
    for (let at = from; at < from + 8; at++) {
      const digit = bytes[at] - ZERO;
      if (digit >>> 0 > 9) return STAMP_MALFORMED;
      packed = packed * 10 + digit;
    }
    return this.#keep(Math.floor(packed / 10_000), Math.floor(packed / 100) % 100, packed % 100, from + 8);
  }

  #parse(bytes: Uint8Array, from: number, to: number): number {
    const { order, namesMonth = false, isShortYear = false } = this.#form;
    const [yearAt, monthAt] = order === 'ymd' ? [0, 1] : order === 'dmy' ? [2, 1] : [2, 0];
    const groups: [number, number, number] = [0, 0, 0];
    let at = from;
    let mark = -1;
    for (let group = 0; group < 3; group++) {
      const first = at;
      if (namesMonth && group === monthAt) {
        groups[group] = this.#parseName(bytes, at, to);
        if (groups[group] === 0) return STAMP_MALFORMED;
        at = this.#end;
      } else {
        for (; at < to && at - first < 4; at++) {
          const digit = bytes[at] - ZERO;
          if (digit >>> 0 > 9) break;
          groups[group] = groups[group] * 10 + digit;
        }
        const width = at - first;
        if (group === yearAt ? width !== (isShortYear ? 2 : 4) : width < 1 || width > 2) return STAMP_MALFORMED;
      }
      if (group === 2) break;
      const found = at < to ? bytes[at] : -1;
      // Nov 22, 2026
      if (namesMonth && group === 1 && found === COMMA && bytes[at + 1] === BLANK) at++;
      else if ((found !== DASH && found !== SLASH && found !== POINT && !(namesMonth && found === BLANK)) || (mark >= 0 && found !== mark))
        return STAMP_MALFORMED;
      mark = found;
      at++;
    }
    const written = groups[yearAt];
    const year = !isShortYear ? written : written < CENTURY_PIVOT ? 2000 + written : 1900 + written;
    return this.#keep(year, groups[monthAt], groups[3 - yearAt - monthAt], at);
  }

  /** The number of a month by its English name, whole or its first three letters, or `Sept`; 0 where it is none. Ends at `#end`. */
  #parseName(bytes: Uint8Array, from: number, to: number): number {
    let name = '';
    let at = from;
    for (; at < to && name.length < 10; at++) {
      const letter = String.fromCharCode(bytes[at] | LOWER);
      if (letter < 'a' || letter > 'z') break;
      name += letter;
    }
    this.#end = at;
    if (name.length < 3) return 0;
    const month = MONTHS.findIndex((full) => full.startsWith(name));
    return month >= 0 && (name.length === 3 || name === MONTHS[month] || name === 'sept') ? month + 1 : 0;
  }

  #keep(year: number, month: number, day: number, end: number): number {
    if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > 31) return STAMP_NOT_A_TIME;
    const ms = Date.UTC(year, month - 1, day);
    if (new Date(ms).getUTCDate() !== day) return STAMP_NOT_A_TIME;
    this.us = ms * 1000;
    return end;
  }
}

/** Zones change their offset at whole quarters of an hour since 1970. */
const QUARTER_US = 15 * US_PER_MINUTE;
/** Names that traders use for an offset that knows no summer time, in hours. */
const FIXED: Readonly<Record<string, number>> = {
  ...{ UTC: 0, UT: 0, GMT: 0, Z: 0, EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7, WET: 0, WEST: 1 },
  ...{ CET: 1, CEST: 2, EET: 2, EEST: 3, MSK: 3, HKT: 8, SGT: 8, JST: 9, KST: 9, AEST: 10, AEDT: 11 },
};
/** Names that stand for several zones. */
const AMBIGUOUS = ['CST', 'IST', 'BST', 'AST'];

/** The offset that a zone's name in a file stands for, microseconds; undefined: it is no such name, or one of several zones. */
export function fixedOffsetUs(name: string): number | undefined {
  const text = name.trim().toUpperCase();
  const hours = AMBIGUOUS.includes(text) ? undefined : FIXED[text];
  return hours === undefined ? undefined : hours * US_PER_HOUR;
}

/** Whether a word in a header names a zone: EET, +02:00, America/New_York. */
export function isZoneName(text: string): boolean {
  if (fixedOffsetUs(text) !== undefined || /^(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?$/i.test(text)) return true;
  if (!/^[A-Za-z_]+\/[A-Za-z_/+-]+$/.test(text)) return false;
  try {
    zoneClock(text);
    return true;
  } catch {
    return false;
  }
}

/** Turns times of day as they are written into UTC. Stateful: of a doubled hour it takes the one that goes on from the stamp before, in the direction of the file. */
export type ZoneClock = {
  /** Microseconds of the written time as if it were UTC, to microseconds UTC. `lastUs`: the stamp before. */
  toUtc(writtenUs: number, lastUs: number): number;
};

/** @throws ServiceError command.invalid for a zone that is none */
export function zoneClock(zone: string, isNewestFirst = false): ZoneClock {
  const name = zone.trim();
  const hours = FIXED[name.toUpperCase()];
  if (hours !== undefined) return fixedClock(hours * US_PER_HOUR);
  const offset = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name);
  if (offset !== null) {
    const us = (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * US_PER_MINUTE;
    if (us <= 15 * US_PER_HOUR && Number(offset[3] ?? 0) < 60) return fixedClock(offset[1] === '-' ? -us : us);
  }
  try {
    return placeClock(isNewestFirst, new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }));
  } catch (cause) {
    const detail = `The zone ${quoteValue(zone)} is unknown: write UTC, +02:00, EST or a place such as America/New_York.`;
    throw new ServiceError('command.invalid', detail, { cause });
  }
}

const fixedClock = (offsetUs: number): ZoneClock => ({ toUtc: (writtenUs) => writtenUs - offsetUs });

function placeClock(isNewestFirst: boolean, format: Intl.DateTimeFormat): ZoneClock {
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
      }
      const [first, second] = [writtenUs - earlierUs, writtenUs - laterUs];
      if (isNewestFirst) return second <= lastUs ? second : first;
      return first >= lastUs ? first : second;
    },
  };
}
