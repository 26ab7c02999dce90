import type { FieldCode } from '../core/errorTable.ts';
import { US_PER_MS, US_PER_SECOND } from '../core/units.ts';

/** Faults that `parseTimestampUs` returns in place of a time. `timestampFault` has the message for each. */
export const TIMESTAMP_MALFORMED = -1;
export const TIMESTAMP_NOT_A_TIME = -2;
export const TIMESTAMP_OUT_OF_RANGE = -3;
export const TIMESTAMP_OFFSET_UNSUPPORTED = -4;
/** Of a number (`epochUnitUs`). */
const EPOCH_MALFORMED = -5;

export const MIN_YEAR = 1970;
export const MAX_YEAR = 2199;

export const US_PER_HOUR = 3600 * US_PER_SECOND;
export const US_PER_DAY = 24 * US_PER_HOUR;
/** A leap year. */
export const US_PER_YEAR = 366 * US_PER_DAY;

const ZERO = 48;
const DASH = 45;
const COLON = 58;
const POINT = 46;
const PLUS = 43;
const BLANK = 32;
const UPPER_T = 84;
const UPPER_Z = 90;

/** `YYYY-MM-DD HH:MM:SS` */
const SECONDS_LENGTH = 19;
/** A point, nine digits of fraction and `+00:00`. */
const MAX_LENGTH = SECONDS_LENGTH + 10 + 6;
const MAX_FRACTION_DIGITS = 9;
const KEPT_FRACTION_DIGITS = 6;

const US_PER_OFFSET_MINUTE = 60_000_000;

/** Means "not two digits". Each sum below stays negative, so one sign check covers six fields. */
const NOT_DIGITS = -1_000_000;
const DAYS_0000_03_01_TO_1970 = 719_468;

/**
 * Parses text at fixed positions to integer microseconds since 1970-01-01 UTC. No allocation, no state.
 *
 * Accepted: `YYYY-MM-DD HH:MM:SS` (the blank may be a `T`), then nothing or `.` or `:` and 1 to 9 digits (cut, not rounded, to
 * microseconds), then nothing, `Z` or an offset from UTC: `+02:00`, `+0200` or `+02`, up to 23:59. Without an offset the clock is UTC, so
 * daylight saving time adds no repeated or missing hours. `-00:00` is UTC (RFC 9557: the time is known, the zone is not).
 * Refused: lower-case `t` and `z`, digits outside ASCII, blanks around the text, a point without digits (truncated text),
 * a comma before the fraction, second 60, hour 24.
 *
 * @returns microseconds >= 0, or one of the negative faults above, checked in this order: format, offset, year, calendar
 */
export function parseTimestampUs(text: string): number {
  const length = text.length;
  if (length < SECONDS_LENGTH || length > MAX_LENGTH) return TIMESTAMP_MALFORMED;
  const separator = text.charCodeAt(10);
  if (
    text.charCodeAt(4) !== DASH ||
    text.charCodeAt(7) !== DASH ||
    (separator !== BLANK && separator !== UPPER_T) ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON
  ) {
    return TIMESTAMP_MALFORMED;
  }
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if ((year | month | day | hour | minute | second) < 0) return TIMESTAMP_MALFORMED;

  let at = SECONDS_LENGTH;
  let fractionUs = 0;
  let offsetMinutes = 0;
  if (at < length) {
    const mark = text.charCodeAt(at);
    if (mark === POINT || mark === COLON) {
      const firstDigit = ++at;
      const end = Math.min(length, firstDigit + MAX_FRACTION_DIGITS);
      for (; at < end; at++) {
        const digit = text.charCodeAt(at) - ZERO;
        if (digit < 0 || digit > 9) break;
        if (at - firstDigit < KEPT_FRACTION_DIGITS) fractionUs = fractionUs * 10 + digit;
      }
      if (at === firstDigit) return TIMESTAMP_MALFORMED;
      for (let kept = at - firstDigit; kept < KEPT_FRACTION_DIGITS; kept++) fractionUs *= 10;
    }
    if (at < length) {
      offsetMinutes = suffixMinutes(text, at);
      if (offsetMinutes >= NO_OFFSET) return NO_OFFSET - offsetMinutes;
    }
  }

  if (year < MIN_YEAR || year > MAX_YEAR) return TIMESTAMP_OUT_OF_RANGE;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return TIMESTAMP_NOT_A_TIME;
  if (day > 28 && day > daysInMonth(year, month)) return TIMESTAMP_NOT_A_TIME;
  const localUs = (daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second) * 1_000_000 + fractionUs;
  if (offsetMinutes === 0) return localUs;
  const us = localUs - offsetMinutes * US_PER_OFFSET_MINUTE;
  return us < 0 || us >= END_US ? TIMESTAMP_OUT_OF_RANGE : us;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? NOT_DIGITS : tens * 10 + ones;
}

/** Above every offset; a fault is returned as the difference to it. */
const NO_OFFSET = 10_000;

/** Minutes of the suffix after seconds and fraction, from `at` < length on: 0 for `Z`; for a fault, NO_OFFSET - fault. */
function suffixMinutes(text: string, at: number): number {
  const left = text.length - at;
  const sign = text.charCodeAt(at);
  if (sign === UPPER_Z) return left === 1 ? 0 : NO_OFFSET - TIMESTAMP_MALFORMED;
  if (sign !== PLUS && sign !== DASH) return NO_OFFSET - TIMESTAMP_MALFORMED;
  // ±HH, ±HHMM or ±HH:MM
  const hours = left >= 3 ? twoDigits(text, at + 1) : NOT_DIGITS;
  const hasColon = left === 6 && text.charCodeAt(at + 3) === COLON;
  const minutes = left === 3 ? 0 : hasColon || left === 5 ? twoDigits(text, at + (hasColon ? 4 : 3)) : NOT_DIGITS;
  if ((hours | minutes) < 0) return NO_OFFSET - TIMESTAMP_MALFORMED;
  if (hours > 23 || minutes > 59) return NO_OFFSET - TIMESTAMP_OFFSET_UNSUPPORTED;
  return (sign === PLUS ? 1 : -1) * (hours * 60 + minutes);
}

/** Microseconds of the midnight of a date; -1 if there is no such date in the supported years. */
export function midnightUs(year: number, month: number, day: number): number {
  if (!(year >= MIN_YEAR && year <= MAX_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return -1;
  return daysFromCivil(year, month, day) * 86_400 * US_PER_SECOND;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day is the last (Hinnant, days_from_civil). */
function daysFromCivil(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const century = (marchYear / 100) | 0;
  const leapDays = (marchYear >> 2) - century + (century >> 2);
  const dayOfYear = (((153 * marchMonth + 2) / 5) | 0) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - DAYS_0000_03_01_TO_1970;
}

/** End of the supported years. */
export const END_US = Date.UTC(MAX_YEAR + 1, 0, 1) * US_PER_MS;

/** Smallest numbers that count milliseconds and microseconds; both are 1973-03-03. Smaller ones may be seconds. */
const EPOCH_MS_FROM = 1e11;
const EPOCH_US_FROM = 1e14;

/** Microseconds of one unit in which a number counts the time since 1970: 1000 or 1. */
export function epochUnitUs(first: number): number {
  return first < EPOCH_US_FROM ? US_PER_MS : 1;
}

/** Microseconds of a number that counts units of `unitUs` microseconds since 1970; or a fault. */
export function parseEpochUs(value: number, unitUs: number): number {
  if (!Number.isSafeInteger(value) || value < EPOCH_MS_FROM || epochUnitUs(value) !== unitUs) return EPOCH_MALFORMED;
  const us = value * unitUs;
  return us < END_US ? us : TIMESTAMP_OUT_OF_RANGE;
}

const S_PER_DAY = 86_400;
/** The last day that was formatted: most timestamps of a series have the same one. */
let [lastDay, lastDayText] = [NaN, ''];

const pad = (number: number): string => (number < 10 ? `0${number}` : `${number}`);

/**
 * Formats a time as `YYYY-MM-DD HH:MM:SS.fff`, UTC, which `parseTimestampUs` reads.
 *
 * @param us integer microseconds, years 1970 to 2199
 * @param digits digits of fraction, 0 to 6; further digits are cut, not rounded, so that a timestamp never moves forward
 * @throws RangeError if an argument is out of range
 */
export function formatTimestamp(us: number, digits = 3): string {
  if (!Number.isInteger(us) || us < 0 || us >= END_US) throw new RangeError(`formatTimestamp: ${us} us`);
  if (!Number.isInteger(digits) || digits < 0 || digits > 6) throw new RangeError(`formatTimestamp: ${digits} digits`);
  const second = Math.floor(us / US_PER_SECOND);
  const day = Math.floor(second / S_PER_DAY);
  if (day !== lastDay) [lastDay, lastDayText] = [day, new Date(1000 * S_PER_DAY * day).toISOString().slice(0, 10)];
  const ofDay = second - day * S_PER_DAY;
  const whole = `${lastDayText} ${pad(Math.floor(ofDay / 3600))}:${pad(Math.floor(ofDay / 60) % 60)}:${pad(ofDay % 60)}`;
  if (digits === 0) return whole;
  const fraction = String(us - second * US_PER_SECOND).padStart(6, '0');
  return `${whole}.${fraction.slice(0, digits)}`;
}

/** The shortest text with all of a time: milliseconds, and microseconds where it has some. Arguments and errors of `formatTimestamp`. */
export function writeTimestamp(us: number): string {
  return formatTimestamp(us, us % US_PER_MS === 0 ? 3 : 6);
}

export type TimestampFault = {
  readonly code: FieldCode;
  /** The broken rule, which messages append to the value. */ readonly rule: string;
};

const FAULTS: Readonly<Record<number, TimestampFault>> = {
  [TIMESTAMP_MALFORMED]: { code: 'timestamp.malformed', rule: 'the format is YYYY-MM-DD HH:MM:SS with 0 to 9 digits of fraction' },
  [TIMESTAMP_NOT_A_TIME]: { code: 'timestamp.not_a_time', rule: 'this date or time of day does not exist' },
  [TIMESTAMP_OUT_OF_RANGE]: { code: 'timestamp.out_of_range', rule: `the year must be from ${MIN_YEAR} to ${MAX_YEAR}` },
  [TIMESTAMP_OFFSET_UNSUPPORTED]: { code: 'timestamp.offset_unsupported', rule: 'an offset from UTC must be from -23:59 to +23:59' },
  [EPOCH_MALFORMED]: {
    code: 'timestamp.epoch_malformed',
    rule: 'a number must be integer milliseconds (from 1e11 to below 1e14) or integer microseconds (from 1e14) since 1970, in the unit of the first one',
  },
};

/** Code and message of a negative result of `parseTimestampUs`. */
export const timestampFault = (fault: number): TimestampFault => FAULTS[fault];
