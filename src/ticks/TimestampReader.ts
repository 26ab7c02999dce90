import { US_PER_MINUTE, US_PER_SECOND } from '../core/units.ts';
import { END_US, midnightUs, parseTimestampUs } from './timestamps.ts';

const QUOTE = 34;
const ZERO = 48;
const COLON = 58;
const DASH = 45;
/** `YYYY-MM-DD HH:MM:` */
const MINUTE_LENGTH = 17;
const SECONDS_LENGTH = 19;
/** Microseconds; further digits are cut. */
const KEPT_FRACTION_DIGITS = 6;
/** A point, nine digits of fraction and `+02:00`. */
const MAX_LENGTH = SECONDS_LENGTH + 10 + 6;

function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

/**
 * Reads timestamps from bytes. All must have the format of the one at `start`, which `parseTimestampUs` parses; the
 * others are digits at fixed offsets. The last minute and the last date are kept.
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
  /** Of the suffix; a part of each cached minute, so that it costs nothing per timestamp. */
  readonly #offsetUs: number;
  /** Start of the timestamp whose minute is cached. */
  #minuteAt: number;
  #minuteUs: number;
  /** The cached minute's characters, eight per double. Eight ASCII bytes are never 0 or NaN, so equal doubles mean equal bytes. */
  #a = NaN;
  #b = NaN;
  #c = NaN;
  /** The last date, its characters as above, and its midnight: bars begin a minute each. */
  #date = NaN;
  #dateEnd = -1;
  #midnightUs = 0;

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
    this.#minuteAt = start;
    this.#minuteUs = -1;
  }

  /** Microseconds of the timestamp that starts at `start`; -1 if it is invalid or has another format. */
  timeUs(start: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    if (
      view.getFloat64(start) !== this.#a ||
      view.getFloat64(start + 8) !== this.#b ||
      view.getFloat64(start + MINUTE_LENGTH - 8) !== this.#c
    ) {
      if (!this.#keepMinute(start)) return -1;
    }
    const tens = bytes[start + 17]! - ZERO;
    const ones = bytes[start + 18]! - ZERO;
    if (tens >>> 0 > 5 || ones >>> 0 > 9) return -1;
    let fraction = 0;
    if (this.#fractionMark >= 0) {
      if (bytes[start + SECONDS_LENGTH] !== this.#fractionMark) return -1;
      for (let at = start + SECONDS_LENGTH + 1; at < start + this.#keptEnd; at++) {
        const digit = bytes[at]! - ZERO;
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
    for (let at = start + this.#keptEnd; at < start + this.#fractionEnd; at++) if ((this.#bytes[at]! - ZERO) >>> 0 > 9) return false;
    return true;
  }

  /** Microseconds without the offset; negative if the minute at `start` is invalid. */
  #localUs(start: number): number {
    const bytes = this.#bytes;
    if (bytes[start + 13] !== COLON || bytes[start + 16] !== COLON) return -1;
    const date = this.#view.getFloat64(start);
    const dateEnd = this.#view.getUint16(start + 8);
    if (date !== this.#date || dateEnd !== this.#dateEnd) {
      if (bytes[start + 4] !== DASH || bytes[start + 7] !== DASH) return -1;
      const year = 100 * this.#twoDigits(start) + this.#twoDigits(start + 2);
      const us = midnightUs(year, this.#twoDigits(start + 5), this.#twoDigits(start + 8));
      if (us < 0) return -1;
      this.#date = date;
      this.#dateEnd = dateEnd;
      this.#midnightUs = us;
    }
    const hour = this.#twoDigits(start + 11);
    const minute = this.#twoDigits(start + 14);
    return hour <= 23 && minute <= 59 ? this.#midnightUs + (60 * hour + minute) * US_PER_MINUTE : -1;
  }

  /** NaN if one of the two is not a digit. */
  #twoDigits(at: number): number {
    const tens = this.#bytes[at]! - ZERO;
    const ones = this.#bytes[at + 1]! - ZERO;
    return tens >>> 0 > 9 || ones >>> 0 > 9 ? NaN : 10 * tens + ones;
  }

  /** Caches the minute at `start`. False if it is invalid, or if its separator (blank or T) differs from the first timestamp's. */
  #keepMinute(start: number): boolean {
    const localUs = this.#localUs(start);
    const minuteUs = localUs - this.#offsetUs;
    if (localUs < 0 || minuteUs < 0 || minuteUs >= END_US || this.#bytes[start + 10] !== this.#bytes[this.#minuteAt + 10]) return false;
    this.#minuteUs = minuteUs;
    this.#minuteAt = start;
    this.#a = this.#view.getFloat64(start);
    this.#b = this.#view.getFloat64(start + 8);
    this.#c = this.#view.getFloat64(start + MINUTE_LENGTH - 8);
    return true;
  }
}
