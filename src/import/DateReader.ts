import { MAX_YEAR, MIN_YEAR } from '../ticks/parseTimestampUs.ts';
import { type CalendarForm, STAMP_MALFORMED, STAMP_NOT_A_TIME } from './StampForm.ts';

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
      const next = bytes[from + length]! - ZERO;
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
      const digit = bytes[at]! - ZERO;
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
          const digit = bytes[at]! - ZERO;
          if (digit >>> 0 > 9) break;
          groups[group] = groups[group]! * 10 + digit;
        }
        const width = at - first;
        if (group === yearAt ? width !== (isShortYear ? 2 : 4) : width < 1 || width > 2) return STAMP_MALFORMED;
      }
      if (group === 2) break;
      const found = at < to ? bytes[at]! : -1;
      // Nov 22, 2026
      if (namesMonth && group === 1 && found === COMMA && bytes[at + 1] === BLANK) at++;
      else if ((found !== DASH && found !== SLASH && found !== POINT && !(namesMonth && found === BLANK)) || (mark >= 0 && found !== mark))
        return STAMP_MALFORMED;
      mark = found;
      at++;
    }
    const written = groups[yearAt]!;
    const year = !isShortYear ? written : written < CENTURY_PIVOT ? 2000 + written : 1900 + written;
    return this.#keep(year, groups[monthAt]!, groups[3 - yearAt - monthAt]!, at);
  }

  /** The number of a month by its English name, whole or its first three letters, or `Sept`; 0 where it is none. Ends at `#end`. */
  #parseName(bytes: Uint8Array, from: number, to: number): number {
    let name = '';
    let at = from;
    for (; at < to && name.length < 10; at++) {
      const letter = String.fromCharCode(bytes[at]! | LOWER);
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
