import { US_PER_SECOND } from '../core/units.ts';
import { MAX_YEAR } from '../ticks/timestamps.ts';
import { DateReader, type EpochUnit, STAMP_MALFORMED, STAMP_NOT_A_TIME, STAMP_OTHER_UNIT, type TimestampForm } from './DateReader.ts';

const ZERO = 48;
const [BLANK, COMMA, POINT, COLON] = [32, 44, 46, 58];
const [UPPER_A, UPPER_P, UPPER_T, UPPER_Z] = [65, 80, 84, 90];
const DAY_US = 86_400 * US_PER_SECOND;
const US_OF: Readonly<Record<EpochUnit, number>> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

/** Unit of an epoch number by its size: seconds from 1973 to 5138 have 9 to 11 digits, and so on by thousands. */
export function epochUnit(value: number): EpochUnit | undefined {
  if (!(value >= 1e8) || value >= 7.3e18) return undefined;
  return value < 1e11 ? 's' : value < 1e14 ? 'ms' : value < 1e17 ? 'us' : 'ns';
}

/**
 * Reads stamps of one form from bytes. Made to be called a million times a second. `hasZone` says after a row whether its stamp carried a zone; `timeUs` is then UTC, else the time as written.
 */
export class TimestampParser {
  readonly #form: TimestampForm;
  readonly #date: DateReader | undefined;
  hasZone = false;
  /** Of the stamp read last, where it has one. */
  zoneOffsetUs = 0;

  constructor(form: TimestampForm) {
    this.#form = form;
    this.#date = form.kind === 'calendar' ? new DateReader(form) : undefined;
  }

  /** Microseconds, or one of the negative faults. */
  timeUs(bytes: Uint8Array, from: number, to: number): number {
    this.hasZone = false;
    if (this.#form.kind === 'epoch') {
      this.hasZone = true;
      return epochUs(bytes, from, to, this.#form.unit);
    }
    const at = this.#date!.read(bytes, from, to);
    if (at < 0) return at;
    if (at === to) return this.#date!.us;
    let time = at;
    const mark = bytes[at]!;
    if (mark === BLANK || mark === UPPER_T || mark === COMMA) time++;
    // 20240102170000123 has no mark between date and time; anything else must have one.
    else if (this.#form.order !== 'packed') return STAMP_MALFORMED;
    return this.#addTime(bytes, time, to);
  }

  /** The same, date and time in two fields. */
  splitUs(bytes: Uint8Array, dateFrom: number, dateTo: number, from: number, to: number): number {
    this.hasZone = false;
    const at = this.#date!.read(bytes, dateFrom, dateTo);
    if (at < 0) return at;
    return at === dateTo ? this.#addTime(bytes, from, to) : STAMP_MALFORMED;
  }

  #addTime(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    let value = 0;
    while (at < to) {
      const digit = bytes[at]! - ZERO;
      if (digit >>> 0 > 9 || at - from === 6) break;
      value = value * 10 + digit;
      at++;
    }
    const width = at - from;
    let hour: number;
    let minute: number;
    let second = 0;
    if (width === 6 || width === 4) {
      const hhmm = width === 6 ? (value / 100) | 0 : value;
      hour = (hhmm / 100) | 0;
      minute = hhmm % 100;
      second = width === 6 ? value % 100 : 0;
    } else {
      if ((width !== 2 && width !== 1) || bytes[at] !== COLON || at + 2 >= to) return STAMP_MALFORMED;
      hour = value;
      minute = twoDigits(bytes, at + 1);
      at += 3;
      if (minute < 0) return STAMP_MALFORMED;
      if (at < to && bytes[at] === COLON) {
        if (at + 2 >= to) return STAMP_MALFORMED;
        second = twoDigits(bytes, at + 1);
        at += 3;
        if (second < 0) return STAMP_MALFORMED;
      }
    }
    let fractionUs = 0;
    if (at < to) {
      const mark = bytes[at]!;
      const isMarked = mark === POINT || mark === COLON || mark === COMMA;
      if (isMarked || (width === 6 && (mark - ZERO) >>> 0 <= 9)) {
        if (isMarked) at++;
        const first = at;
        let scale = 100_000;
        for (; at < to && at - first < 9; at++) {
          const digit = bytes[at]! - ZERO;
          if (digit >>> 0 > 9) break;
          // Beyond microseconds digits are cut, not rounded: a stamp never moves forward.
          if (scale >= 1) fractionUs += digit * scale;
          scale /= 10;
        }
        if (at === first) return STAMP_MALFORMED;
      }
      if (at < to) {
        const half = this.#readSuffix(bytes, at, to);
        if (half === STAMP_MALFORMED) return STAMP_MALFORMED;
        if (half > 0) {
          if (hour < 1 || hour > 12) return STAMP_NOT_A_TIME;
          hour = (hour % 12) + (half === 2 ? 12 : 0);
        }
      }
    }
    if (hour > 23 || minute > 59 || second > 59) return STAMP_NOT_A_TIME;
    const us = this.#date!.us + (hour * 3600 + minute * 60 + second) * US_PER_SECOND + fractionUs;
    return this.hasZone ? us - this.zoneOffsetUs : us;
  }

  /** What stands behind the time: AM (1) or PM (2), and a zone (`Z`, `UTC`, `GMT+0200`, `+02:00`). 0: no half of the day is named. */
  #readSuffix(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 1 && bytes[from] === UPPER_Z) {
      this.hasZone = true;
      this.zoneOffsetUs = 0;
      return 0;
    }
    if (to - from > 16) return STAMP_MALFORMED;
    let text = '';
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
    const match = /^ ?(AM|PM)?\s*(Z|UTC|GMT)?\s*(?:([+-])(\d\d):?(\d\d)?)?$/i.exec(text);
    if (match === null) return STAMP_MALFORMED;
    const [, half, name, sign, hours = '0', minutes = '0'] = match;
    if (name !== undefined || sign !== undefined) {
      if (Number(hours) > 15 || Number(minutes) > 59) return STAMP_MALFORMED;
      this.hasZone = true;
      this.zoneOffsetUs = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) * US_PER_SECOND;
    }
    const letter = half?.toUpperCase().charCodeAt(0);
    return letter === UPPER_A ? 1 : letter === UPPER_P ? 2 : 0;
  }
}

/** An epoch number, whole or with a decimal fraction, to whole microseconds (cut). */
function epochUs(bytes: Uint8Array, from: number, to: number, unit: EpochUnit): number {
  let value = 0;
  let at = from;
  // 16 digits fit a double; of nanoseconds the last three are below a microsecond anyway.
  let dropped = 1;
  for (; at < to; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 > 9) break;
    if (at - from < 16) value = value * 10 + digit;
    else dropped *= 10;
  }
  if (at === from || at - from > 19) return STAMP_MALFORMED;
  if (epochUnit(value * dropped) !== unit) return STAMP_OTHER_UNIT;
  const factor = US_OF[unit] * dropped;
  let us = factor < 1 ? Math.floor(value / Math.round(1 / factor)) : value * Math.round(factor);
  if (at === to) return us <= (MAX_YEAR - 1969) * 366 * DAY_US ? us : STAMP_NOT_A_TIME;
  if (bytes[at] !== POINT && bytes[at] !== COMMA) return STAMP_MALFORMED;
  let scale = US_OF[unit];
  for (at++; at < to; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit >>> 0 > 9) return STAMP_MALFORMED;
    scale /= 10;
    if (scale >= 1) us += digit * Math.round(scale);
  }
  return us;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? -1 : tens * 10 + ones;
}
