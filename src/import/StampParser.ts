import { US_PER_SECOND } from '../core/units.ts';
import { MAX_YEAR, MIN_YEAR } from '../ticks/parseTimestampUs.ts';

/** Order of the parts of a date; `packed` is YYYYMMDD. */
export type DateOrder = 'ymd' | 'dmy' | 'mdy' | 'packed';
/** `us` is the factor from the number to microseconds. */
export type StampForm =
  | { readonly kind: 'calendar'; readonly order: DateOrder; /** Date and time stand in two columns. */ readonly isSplit: boolean }
  | { readonly kind: 'epoch'; readonly unit: EpochUnit };
export type EpochUnit = 's' | 'ms' | 'us' | 'ns';

export const STAMP_MALFORMED = -1;
export const STAMP_NOT_A_TIME = -2;
export const STAMP_OTHER_UNIT = -3;
export const STAMP_OTHER_ZONE = -4;

const ZERO = 48;
const [BLANK, COMMA, DASH, POINT, SLASH, COLON] = [32, 44, 45, 46, 47, 58];
const [UPPER_A, UPPER_P, UPPER_T, UPPER_Z] = [65, 80, 84, 90];
const DAY_US = 86_400 * US_PER_SECOND;
const US_OF: Readonly<Record<EpochUnit, number>> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

/** Unit of an epoch number by its size: seconds from 1973 to 5138 have 9 to 11 digits, and so on by thousands. */
export function epochUnit(value: number): EpochUnit | undefined {
  if (!(value >= 1e8) || value >= 7.3e18) return undefined;
  return value < 1e11 ? 's' : value < 1e14 ? 'ms' : value < 1e17 ? 'us' : 'ns';
}

/**
 * Reads stamps of one form from bytes. Made to be called a million times a second: the date is kept from row to row and read again where
 * its bytes change. `hasZone` says after a row whether its stamp carried a zone; `timeUs` is then UTC, else the time as written.
 */
export class StampParser {
  readonly #form: StampForm;
  readonly #isPacked: boolean;
  readonly #date = new Uint8Array(10);
  #dateLength = 0;
  #dateUs = NaN;
  hasZone = false;
  /** Of the stamp read last, where it has one. */
  zoneOffsetUs = 0;

  constructor(form: StampForm) {
    this.#form = form;
    this.#isPacked = form.kind === 'calendar' && form.order === 'packed';
  }

  /** Microseconds, or one of the negative faults. */
  timeUs(bytes: Uint8Array, from: number, to: number): number {
    this.hasZone = false;
    if (this.#form.kind === 'epoch') {
      this.hasZone = true;
      return epochUs(bytes, from, to, this.#form.unit);
    }
    const at = this.#readDate(bytes, from, to);
    if (at < 0) return at;
    if (at === to) return this.#dateUs;
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
    const at = this.#readDate(bytes, dateFrom, dateTo);
    if (at < 0) return at;
    return at === dateTo ? this.#addTime(bytes, from, to) : STAMP_MALFORMED;
  }

  /** Reads the date at `from` into `#dateUs`. Position behind it, or a fault. */
  #readDate(bytes: Uint8Array, from: number, to: number): number {
    const length = this.#dateLength;
    let same = 0;
    while (same < length && bytes[from + same] === this.#date[same]) same++;
    if (length > 0 && same === length && from + length <= to) {
      const next = bytes[from + length]! - ZERO;
      if (from + length === to || next >>> 0 > 9 || this.#isPacked) return from + length;
    }
    const end = this.#parseDate(bytes, from, to);
    if (end < 0) {
      this.#dateLength = 0;
      return end;
    }
    this.#dateLength = Math.min(10, end - from);
    this.#date.set(bytes.subarray(from, from + this.#dateLength));
    return end;
  }

  #parseDate(bytes: Uint8Array, from: number, to: number): number {
    const order = (this.#form as { order: DateOrder }).order;
    if (order === 'packed') {
      if (to - from < 8) return STAMP_MALFORMED;
      let packed = 0;
      for (let at = from; at < from + 8; at++) {
        const digit = bytes[at]! - ZERO;
        if (digit >>> 0 > 9) return STAMP_MALFORMED;
        packed = packed * 10 + digit;
      }
      return this.#keepDate(Math.floor(packed / 10_000), Math.floor(packed / 100) % 100, packed % 100, from + 8);
    }
    const groups: [number, number, number] = [0, 0, 0];
    let at = from;
    let mark = -1;
    for (let group = 0; group < 3; group++) {
      const first = at;
      for (; at < to && at - first < 4; at++) {
        const digit = bytes[at]! - ZERO;
        if (digit >>> 0 > 9) break;
        groups[group] = groups[group]! * 10 + digit;
      }
      const width = at - first;
      const isYear = group === (order === 'ymd' ? 0 : 2);
      if (isYear ? width !== 4 : width < 1 || width > 2) return STAMP_MALFORMED;
      if (group === 2) break;
      const found = at < to ? bytes[at]! : -1;
      if ((found !== DASH && found !== SLASH && found !== POINT) || (mark >= 0 && found !== mark)) return STAMP_MALFORMED;
      mark = found;
      at++;
    }
    const [a, b, c] = groups;
    if (order === 'ymd') return this.#keepDate(a, b, c, at);
    return order === 'dmy' ? this.#keepDate(c, b, a, at) : this.#keepDate(c, a, b, at);
  }

  #keepDate(year: number, month: number, day: number, end: number): number {
    if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1 || day > 31) return STAMP_NOT_A_TIME;
    const ms = Date.UTC(year, month - 1, day);
    if (new Date(ms).getUTCDate() !== day) return STAMP_NOT_A_TIME;
    this.#dateUs = ms * 1000;
    return end;
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
    const us = this.#dateUs + (hour * 3600 + minute * 60 + second) * US_PER_SECOND + fractionUs;
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
