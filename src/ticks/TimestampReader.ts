import { US_PER_MINUTE, US_PER_SECOND } from '../core/units.ts';
import { END_US, midnightUs, parseTimestampUs, US_PER_HOUR } from './timestamps.ts';

const QUOTE = 34;
const ZERO = 48;
const COLON = 58;
const DASH = 45;
/** `YYYY-MM-DD HH:` */
const HOUR_LENGTH = 14;
/** `YYYY-MM-DD HH:MM:` */
const MINUTE_LENGTH = 17;
const SECONDS_LENGTH = 19;
/** Microseconds; further digits are cut. */
const KEPT_FRACTION_DIGITS = 6;
/** A point, nine digits of fraction and `+02:00`. */
const MAX_LENGTH = SECONDS_LENGTH + 10 + 6;

function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
  return text;
}

/**
 * Reads timestamps from bytes. All must have the format of the one at `start`, which `parseTimestampUs` parses; the
 * others are digits at fixed offsets. The last hour and minute are kept.
 */
export class TimestampReader {
  /** Characters of a timestamp; 0 if the first one is invalid. */
  readonly length: number;
  /** Whether timestamps have digits below a microsecond. */
  readonly hasCutDigits: boolean;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Characters between seconds and fraction, and after the fraction. */
  readonly #fractionMark: number;
  readonly #fractionEnd: number;
  /** After the digits that are kept. */
  readonly #keptEnd: number;
  readonly #suffix: string;
  /** Converts the digits of the fraction to microseconds. */
  readonly #scale: number;
  /** Of the suffix; a part of each cached hour, so that it costs nothing per timestamp. */
  readonly #offsetUs: number;
  /** Start of the timestamp whose hour is cached. */
  #hourAt: number;
  #hourUs: number;
  /** The cached minute's characters; the first two are those of its hour, eight per double. Eight ASCII bytes are never 0 or NaN, so equal doubles mean equal bytes. */
  #a = NaN;
  #b = NaN;
  #c = NaN;
  #minuteUs = 0;

  constructor(bytes: Uint8Array, start: number) {
    let end = start;
    while (end - start <= MAX_LENGTH && bytes[end] !== QUOTE) end++;
    const text = textOf(bytes, start, end);
    const firstUs = parseTimestampUs(text);
    const isStamp = firstUs >= 0;
    let fractionEnd = SECONDS_LENGTH;
    if (isStamp && (text[SECONDS_LENGTH] === '.' || text[SECONDS_LENGTH] === ':')) {
      fractionEnd++;
      while (fractionEnd < text.length && text.charCodeAt(fractionEnd) >= ZERO && text.charCodeAt(fractionEnd) <= ZERO + 9) fractionEnd++;
    }
    const digits = Math.max(0, fractionEnd - SECONDS_LENGTH - 1);
    this.length = isStamp ? text.length : 0;
    this.hasCutDigits = digits > KEPT_FRACTION_DIGITS;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fractionMark = fractionEnd > SECONDS_LENGTH ? text.charCodeAt(SECONDS_LENGTH) : -1;
    this.#fractionEnd = fractionEnd;
    this.#suffix = text.slice(fractionEnd);
    this.#offsetUs = isStamp && this.#suffix !== '' ? parseTimestampUs(text.slice(0, fractionEnd)) - firstUs : 0;
    this.#keptEnd = Math.min(fractionEnd, SECONDS_LENGTH + 1 + KEPT_FRACTION_DIGITS);
    this.#scale = 10 ** (KEPT_FRACTION_DIGITS - Math.min(digits, KEPT_FRACTION_DIGITS));
    this.#hourAt = start;
    this.#hourUs = -1;
  }

  /** Microseconds of the timestamp that starts at `start`; -1 if it is invalid or has another format. */
  timeUs(start: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    if (
      view.getFloat64(start) !== this.#a ||
      view.getFloat64(start + HOUR_LENGTH - 8) !== this.#b ||
      view.getFloat64(start + MINUTE_LENGTH - 8) !== this.#c
    ) {
      if (!this.#keepMinute(start)) return -1;
    }
    const tens = bytes[start + 17] - ZERO;
    const ones = bytes[start + 18] - ZERO;
    if (tens >>> 0 > 5 || ones >>> 0 > 9) return -1;
    let fraction = 0;
    if (this.#fractionMark >= 0) {
      if (bytes[start + SECONDS_LENGTH] !== this.#fractionMark) return -1;
      for (let at = start + SECONDS_LENGTH + 1; at < start + this.#keptEnd; at++) {
        const digit = bytes[at] - ZERO;
        if (digit >>> 0 > 9) return -1;
        fraction = fraction * 10 + digit;
      }
      if (this.hasCutDigits && !this.#areDigits(start)) return -1;
    }
    for (let i = 0; i < this.#suffix.length; i++) if (bytes[start + this.#fractionEnd + i] !== this.#suffix.charCodeAt(i)) return -1;
    return this.#minuteUs + (tens * 10 + ones) * US_PER_SECOND + fraction * this.#scale;
  }

  /** Whether the digits that are cut are digits. */
  #areDigits(start: number): boolean {
    for (let at = start + this.#keptEnd; at < start + this.#fractionEnd; at++) if ((this.#bytes[at] - ZERO) >>> 0 > 9) return false;
    return true;
  }

  /** NaN if one of the two is not a digit. */
  #twoDigits(at: number): number {
    const tens = this.#bytes[at] - ZERO;
    const ones = this.#bytes[at + 1] - ZERO;
    return tens >>> 0 > 9 || ones >>> 0 > 9 ? NaN : 10 * tens + ones;
  }

  /** Caches the minute at `start`, and its hour apart: bars begin a minute each. False if it is invalid. */
  #keepMinute(start: number): boolean {
    if (this.#view.getFloat64(start) !== this.#a || this.#view.getFloat64(start + HOUR_LENGTH - 8) !== this.#b) {
      if (!this.#keepHour(start)) return false;
    }
    const minute = this.#twoDigits(start + HOUR_LENGTH);
    if (!(minute <= 59) || this.#bytes[start + MINUTE_LENGTH - 1] !== COLON) return false;
    this.#c = this.#view.getFloat64(start + MINUTE_LENGTH - 8);
    this.#minuteUs = this.#hourUs + minute * US_PER_MINUTE;
    return true;
  }

  /** Caches the hour at `start`. False if it is invalid, or if its separator (blank or T) differs from the first timestamp's. */
  #keepHour(start: number): boolean {
    const bytes = this.#bytes;
    if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH || bytes[start + 13] !== COLON) return false;
    const year = 100 * this.#twoDigits(start) + this.#twoDigits(start + 2);
    const us = midnightUs(year, this.#twoDigits(start + 5), this.#twoDigits(start + 8));
    const hour = this.#twoDigits(start + 11);
    const hourUs = us + hour * US_PER_HOUR - this.#offsetUs;
    // An hour with an end of the supported years in it is left to the general path.
    const isInside = hourUs >= 0 && hourUs + US_PER_HOUR <= END_US;
    if (us < 0 || !(hour <= 23) || !isInside || bytes[start + 10] !== bytes[this.#hourAt + 10]) return false;
    this.#hourUs = hourUs;
    this.#c = NaN;
    this.#hourAt = start;
    this.#a = this.#view.getFloat64(start);
    this.#b = this.#view.getFloat64(start + HOUR_LENGTH - 8);
    return true;
  }
}
