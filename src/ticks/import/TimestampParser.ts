import { US_PER_SECOND } from '../../core/units.ts';
import { US_PER_DAY } from '../timestamps.ts';
import {
  DateReader,
  fixedOffsetUs,
  isZoneName,
  STAMP_MALFORMED,
  STAMP_NOT_A_TIME,
  type TimeForm,
  type TimestampForm,
  type ZoneClock,
  zoneClock,
} from './DateReader.ts';
import { epochUs, timeOfDayUs } from './digitTimes.ts';

const ZERO = 48;

const [BLANK, COMMA, DASH, POINT, COLON] = [32, 44, 45, 46, 58];

const [UPPER_D, UPPER_T, UPPER_Z, UNDERSCORE] = [68, 84, 90, 95];

/**
 * Reads stamps of one form from bytes. Made to be called a million times a second. `hasZone` says after a row whether its stamp carried a zone; `timeUs` is then UTC, else the time as written.
 */
export class TimestampParser {
  readonly #form: TimestampForm;
  readonly #date: DateReader | undefined;
  readonly #time: TimeForm | undefined;
  readonly #isSession: boolean;
  readonly #places = new Map<string, ZoneClock>();
  /** Set by `#addTime` for a zone that is a place. */
  #place: ZoneClock | undefined;
  #lastPlaceUs = -Infinity;
  hasZone = false;
  /** Of the stamp read last, where it has one. */
  zoneOffsetUs = 0;

  constructor(form: TimestampForm) {
    this.#form = form;
    this.#date = form.kind === 'calendar' ? new DateReader(form) : undefined;
    this.#isSession = form.kind === 'calendar' && form.isSession === true;
    this.#time = form.kind === 'calendar' && form.time?.kind !== 'clock' ? form.time : undefined;
  }

  /** Microseconds, or one of the negative faults. */
  timeUs(bytes: Uint8Array, from: number, to: number): number {
    this.hasZone = false;
    if (this.#form.kind === 'epoch') {
      this.hasZone = true;
      return epochUs(bytes, from, to, this.#form.unit);
    }
    if (this.#form.kind === 'words') return this.#wordsUs(bytes, from, to);
    const at = this.#date!.read(bytes, from, to);
    if (at < 0) return at;
    if (at === to) return this.#date!.us;
    let time = at;
    const mark = bytes[at];
    if (mark === BLANK || mark === UPPER_T || mark === COMMA || mark === UPPER_D || mark === COLON || mark === DASH || mark === UNDERSCORE)
      time++;
    // 20240102170000123 has no mark between date and time; anything else must have one.
    else if (this.#form.order !== 'packed') return STAMP_MALFORMED;
    return this.#addTime(bytes, time, to);
  }

  /** The same, date and time in two fields. */
  splitUs(bytes: Uint8Array, dateFrom: number, dateTo: number, from: number, to: number): number {
    this.hasZone = false;
    const at = this.#date!.read(bytes, dateFrom, dateTo);
    if (at < 0) return at;
    // A time of 00:00:00 may stand behind the date: 2024-01-09 00:00:00 and, in its own column, 14:30:01.
    if (at !== dateTo && !isMidnight(bytes, at, dateTo)) return STAMP_MALFORMED;
    const time = this.#time;
    const us = time === undefined ? this.#addTime(bytes, from, to) : timeOfDayUs(bytes, from, to, time);
    if (us < 0) return us;
    const timeUs = time === undefined ? us : this.#date!.us + us;
    return this.#isSession ? timeUs - eveningUs(this.#date!.us, timeUs - this.#date!.us) : timeUs;
  }

  #wordsUs(bytes: Uint8Array, from: number, to: number): number {
    const text = new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 60))).trim();
    const [, month = '', day, time, year] =
      /^[a-z]{3},? ([a-z]{3}) +(\d{1,2}) (\S+) (\d{4})$/i.exec(text) ??
      (([, day, month, year, time]: RegExpExecArray | string[]) => [text, month, day, time, year] as const)(
        /^[a-z]{3},? (\d{1,2}) ([a-z]{3}) (\d{4}) (\S+(?: \S+)?)$/i.exec(text) ?? [],
      );
    if (year === undefined || time === undefined) return STAMP_MALFORMED;
    const plain = new TextEncoder().encode(`${day}-${month}-${year} ${time}`);
    this.#words ??= new TimestampParser({ kind: 'calendar', order: 'dmy', isSplit: false, namesMonth: true });
    const us = this.#words.timeUs(plain, 0, plain.length);
    this.hasZone = this.#words.hasZone;
    this.zoneOffsetUs = this.#words.zoneOffsetUs;
    return us;
  }
  #words: TimestampParser | undefined;

  #addTime(bytes: Uint8Array, start: number, to: number): number {
    const from = bytes[start + 1] === UPPER_D && bytes[start] === ZERO ? start + 2 : start;
    let at = from;
    let value = 0;
    let hasSeconds = true;
    while (at < to) {
      const digit = bytes[at] - ZERO;
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
      hasSeconds = width === 6;
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
      } else hasSeconds = false;
    }
    let fractionUs = 0;
    if (at < to) {
      const mark = bytes[at];
      // NinjaTrader writes the fraction behind a blank.
      const isMarked =
        mark === POINT || mark === COLON || mark === COMMA || (mark === BLANK && width === 6 && (bytes[at + 1] - ZERO) >>> 0 <= 9);
      if (isMarked || (width === 6 && (mark - ZERO) >>> 0 <= 9)) {
        if (!hasSeconds) return STAMP_MALFORMED;
        if (isMarked) at++;
        const first = at;
        let scale = 100_000;
        for (; at < to && at - first < 9; at++) {
          const digit = bytes[at] - ZERO;
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
    // 24:00:00 is the midnight at the end of the day, and so is every tick of a leap second, which is none of any clock.
    const isLeap = second === 60 && minute === 59;
    if (isLeap) fractionUs = 0;
    const isEndOfDay = hour === 24 && minute === 0 && second === 0 && fractionUs === 0;
    if ((hour > 23 && !isEndOfDay) || minute > 59 || (second > 59 && !isLeap)) return STAMP_NOT_A_TIME;
    const us = this.#date!.us + (hour * 3600 + minute * 60 + second) * US_PER_SECOND + fractionUs;
    if (!this.hasZone) return us;
    if (this.#place !== undefined) {
      const utc = this.#place.toUtc(us, this.#lastPlaceUs);
      this.#place = undefined;
      this.zoneOffsetUs = us - utc;
      this.#lastPlaceUs = utc;
    }
    return us - this.zoneOffsetUs;
  }

  /**
   * What stands behind the time: AM (1) or PM (2, also `p. m.`), and a zone: `Z`, `UTC`, `GMT+0200`, `+02:00`, `+0000 UTC`, `EST`, `US/Eastern`,
   * `-05:00[America/New_York]`. 0: no half of the day is named.
   */
  #readSuffix(bytes: Uint8Array, from: number, to: number): number {
    if (to - from === 1 && bytes[from] === UPPER_Z) {
      this.hasZone = true;
      this.zoneOffsetUs = 0;
      return 0;
    }
    if (to - from > 60) return STAMP_MALFORMED;
    let text = '';
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
    const [, half, zone = ''] = /^[ \xa0]?(?:([ap])\.?[ \xa0]?m\.?(?= |$))?\s*(.*?)\s*$/i.exec(text) ?? [];
    if (zone !== '' && !this.#takeZone(zone)) return STAMP_MALFORMED;
    return half === undefined ? 0 : half.toLowerCase() === 'a' ? 1 : 2;
  }

  #takeZone(zone: string): boolean {
    const offset = /^(?:Z|UTC|GMT)?\s*([+-])(\d{1,2})(?::?(\d\d))?(?:\s*[A-Z]{1,5}|\[[\w/+-]+\])?$/i.exec(zone);
    if (offset !== null) {
      const [, sign, hours = '0', minutes = '0'] = offset;
      if (Number(hours) > 15 || Number(minutes) > 59) return false;
      this.zoneOffsetUs = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) * US_PER_SECOND;
      return (this.hasZone = true);
    }
    const name = /^(?:Z?\[)?([\w/+-]+)\]?$/.exec(zone)?.[1];
    if (name === undefined || !isZoneName(name)) return false;
    const fixedUs = zone.startsWith('Z[') ? 0 : fixedOffsetUs(name);
    if (fixedUs === undefined) {
      if (!this.#places.has(name)) this.#places.set(name, zoneClock(name));
      this.#place = this.#places.get(name);
    } else this.zoneOffsetUs = fixedUs;
    return (this.hasZone = true);
  }
}

/** From this hour on a session of the next weekday trades, and until the other one it goes on. */
const [EVENING_US, NIGHT_US] = [17 * 3600 * US_PER_SECOND, 6 * 3600 * US_PER_SECOND];

/** How much earlier than the date of its session a time is: from the evening on, the day is that of the weekday before. */
function eveningUs(dateUs: number, us: number): number {
  const isMonday = new Date(dateUs / 1000).getUTCDay() === 1;
  if (us >= EVENING_US) return isMonday ? 3 * US_PER_DAY : US_PER_DAY;
  return us < NIGHT_US && isMonday ? 2 * US_PER_DAY : 0;
}

/** Whether what stands behind a date is a time of 0. */
function isMidnight(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte !== ZERO && byte !== COLON && byte !== POINT && byte !== BLANK && byte !== UPPER_T && byte !== UPPER_Z) return false;
  }
  return true;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO;
  const ones = bytes[at + 1] - ZERO;
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? -1 : tens * 10 + ones;
}
