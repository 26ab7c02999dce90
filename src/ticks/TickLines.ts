import { plural } from '../core/plural.ts';
import { ServiceError, quoteValue } from '../core/ServiceError.ts';
import { parsePriceBytes } from './parsePriceBytes.ts';
import { parseTimestampUs, timestampFault } from './timestamps.ts';
import { PRICE_LIMIT, BLOCK_TICKS, type TickSink } from './TickSeries.ts';

/** `quotes`: bid and ask, and the price is their mid. `trades`: one price. */
export type TickFileKind = 'quotes' | 'trades';

/** Without this limit, a file without line ends would be read into memory completely. */
export const MAX_LINE_BYTES = 64 * 1024;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const PLUS = 43;
const UPPER_Z = 90;
/** Offset of `T` or the blank in a timestamp, and the length of `+00:00`. */
const SEPARATOR_AT = 10;
const OFFSET_LENGTH = 6;
const FIELDS: Readonly<Record<TickFileKind, number>> = { quotes: 3, trades: 2 };
const HEADERS: ReadonlyMap<string, TickFileKind> = new Map([
  ['timestamp,bid,ask', 'quotes'],
  ['timestamp,price', 'trades'],
]);
const LONGEST_HEADER = 17;
/** Format code of a timestamp: this times the byte between date and time, plus 0, 1 or 2 for its suffix. */
const FORM_SEPARATOR = 4;

/**
 * Parses the lines of a tick file from chunks of any size, and passes blocks of ticks to a sink. Call `add` for each chunk in order, then
 * `end` once. Memory: one block, and one unfinished line of at most 64 KiB. `streamTickFile` documents the format.
 *
 * Both methods throw ServiceError file.malformed with file name, line number (from 1) and value.
 */
export class TickLines {
  readonly #path: string;
  readonly #sink: TickSink;
  #rest: Buffer | undefined;
  #line = 0;
  #blankLine = 0;
  #kind: TickFileKind | undefined;
  #rows = 0;
  readonly #timesUs = new Float64Array(BLOCK_TICKS);
  readonly #prices = new Float64Array(BLOCK_TICKS);
  /** Ticks in the block. */
  #held = 0;
  #lastUs = -1;
  /** Format of the timestamps of this file, from its first row. */
  #form = -1;
  #formText = '';

  constructor(path: string, sink: TickSink) {
    this.#path = path;
    this.#sink = sink;
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    // The rest of the last chunk contains no line end.
    let search = this.#rest?.length ?? 0;
    while (search < bytes.length) {
      const end = findByte(bytes, LINE_FEED, search, bytes.length);
      if (end === bytes.length) break;
      this.#checkLength(bytes, start, end);
      this.#addLine(bytes, start, end);
      start = search = end + 1;
    }
    this.#checkLength(bytes, start, bytes.length);
    this.#rest = start < bytes.length ? Buffer.from(bytes.subarray(start)) : undefined;
  }

  end(): { rows: number; kind: TickFileKind } {
    const rest = this.#rest;
    if (rest !== undefined) this.#addLine(rest, 0, rest.length);
    if (this.#kind === undefined) throw new ServiceError('file.malformed', `${this.#path}: the file is empty.`);
    if (this.#rows === 0) throw new ServiceError('file.malformed', `${this.#path}: the file has a header but no ticks.`);
    if (this.#held > 0) this.#sink.add(this.#timesUs.subarray(0, this.#held), this.#prices.subarray(0, this.#held));
    this.#held = 0;
    return { rows: this.#rows, kind: this.#kind };
  }

  #checkLength(bytes: Buffer, start: number, end: number): void {
    if (end - start <= MAX_LINE_BYTES) return;
    this.#line++;
    throw this.#fault(bytes, start, end, `is longer than ${MAX_LINE_BYTES} bytes: ${this.#text(bytes, start, end)}`);
  }

  #addLine(bytes: Buffer, start: number, lineEnd: number): void {
    this.#line++;
    const end = lineEnd > start && bytes[lineEnd - 1] === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    if (this.#kind === undefined) this.#kind = this.#header(bytes, start, end);
    else if (end === start) this.#blankLine ||= this.#line;
    else this.#addRow(bytes, start, end, this.#kind);
  }

  #header(bytes: Buffer, start: number, end: number): TickFileKind {
    const from = afterMark(bytes, start, end);
    const kind = headerKind(bytes, from, end);
    if (kind !== undefined) return kind;
    const wanted = 'is not a header; the first line must be timestamp,bid,ask or timestamp,price';
    throw this.#fault(bytes, from, end, `${wanted}, but it is ${this.#text(bytes, from, end)}`);
  }

  #addRow(bytes: Buffer, start: number, end: number, kind: TickFileKind): void {
    if (this.#blankLine > 0) {
      this.#line = this.#blankLine;
      throw this.#fault(bytes, start, end, 'is blank; blank lines are only allowed at the end of the file');
    }
    const first = findByte(bytes, COMMA, start, end);
    if (first === end) throw this.#fieldCount(bytes, start, end, kind);
    const timeUs = this.#time(bytes, start, first, end);
    let price: number;
    if (kind === 'quotes') {
      const second = findByte(bytes, COMMA, first + 1, end);
      if (second === end) throw this.#fieldCount(bytes, start, end, kind);
      const bid = this.#price(bytes, start, first + 1, second, end, 'bid', kind);
      const ask = this.#price(bytes, start, second + 1, end, end, 'ask', kind);
      price = Math.round(((bid + ask) / 2) * 1e9) / 1e9;
      if (price === 0) throw this.#fault(bytes, start, end, 'has a mid of 0 after rounding to 9 decimals');
    } else {
      price = this.#price(bytes, start, first + 1, end, end, 'price', kind);
    }
    this.#timesUs[this.#held] = timeUs;
    this.#prices[this.#held] = price;
    this.#rows++;
    this.#held++;
    if (this.#held < BLOCK_TICKS) return;
    this.#sink.add(this.#timesUs, this.#prices);
    this.#held = 0;
  }

  #time(bytes: Buffer, start: number, comma: number, end: number): number {
    const text = bytes.toString('latin1', start, comma);
    const timeUs = parseTimestampUs(text);
    if (timeUs < 0) {
      if (headerKind(bytes, afterMark(bytes, start, end), end) !== undefined) {
        throw this.#fault(bytes, start, end, `repeats the header, ${this.#text(bytes, start, end)}: a file has one header, in line 1`);
      }
      throw this.#fault(bytes, start, end, `has the timestamp ${this.#text(bytes, start, comma)}; ${timestampFault(timeUs).rule}`);
    }
    const form = formOf(bytes, start, comma);
    if (form !== this.#form) {
      if (this.#form >= 0) throw this.#fault(bytes, start, end, this.#otherForm(bytes, start, comma, form));
      this.#form = form;
      this.#formText = text;
    }
    if (timeUs < this.#lastUs) {
      throw this.#fault(
        bytes,
        start,
        end,
        `has the timestamp ${this.#text(bytes, start, comma)}, earlier than the line before: sort by time`,
      );
    }
    this.#lastUs = timeUs;
    return timeUs;
  }

  #price(bytes: Buffer, start: number, from: number, to: number, end: number, name: string, kind: TickFileKind): number {
    const price = parsePriceBytes(bytes, from, to);
    if (price > 0 && price < PRICE_LIMIT) return price;
    if (bytes.subarray(from, to).includes(COMMA)) throw this.#fieldCount(bytes, start, end, kind);
    const rule = Number.isNaN(price) ? 'it is not a number' : price <= 0 ? 'it is not above 0' : `it is not below ${PRICE_LIMIT}`;
    throw this.#fault(bytes, start, end, `has the ${name} ${this.#text(bytes, from, to)}; ${rule}`);
  }

  /** Line 2 is always the first row, because blank lines are only allowed at the end. */
  #otherForm(bytes: Buffer, start: number, comma: number, form: number): string {
    const [value, first] = [this.#text(bytes, start, comma), quoteValue(this.#formText)];
    const isZone = form % FORM_SEPARATOR !== this.#form % FORM_SEPARATOR;
    const what = isZone ? 'with a different time zone suffix' : 'with a different separator between date and time';
    return `has the timestamp ${value} ${what} than line 2, ${first}: use one timestamp format in the whole file`;
  }

  #fieldCount(bytes: Buffer, start: number, end: number, kind: TickFileKind): ServiceError {
    const found = bytes.subarray(start, end).filter((byte) => byte === COMMA).length + 1;
    return this.#fault(
      bytes,
      start,
      end,
      `has ${plural(found, 'field')} but the header has ${FIELDS[kind]}: ${this.#text(bytes, start, end)}`,
    );
  }

  /** The error for a line that breaks a rule. A NUL byte is reported instead, because the file is then not UTF-8 text. */
  #fault(bytes: Buffer, start: number, end: number, what: string): ServiceError {
    const isBinary = bytes.subarray(start, end).includes(0);
    const why = isBinary ? 'contains a NUL byte: this is a binary file or UTF-16 text; a tick file must be UTF-8 text' : what;
    return new ServiceError('file.malformed', `${this.#path}, line ${this.#line} ${why}.`);
  }

  #text(bytes: Buffer, start: number, end: number): string {
    return quoteValue(bytes.toString('utf8', start, Math.min(end, start + 100)));
  }
}

/** Position of the first `byte` in [from, to), or `to`. For fields of about ten bytes, faster than the call of the native `indexOf`. */
function findByte(bytes: Buffer, byte: number, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== byte) at++;
  return at;
}

/** Position after a UTF-8 byte order mark, or `start` if there is none. */
function afterMark(bytes: Buffer, start: number, end: number): number {
  const hasMark = end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return hasMark ? start + 3 : start;
}

function headerKind(bytes: Buffer, start: number, end: number): TickFileKind | undefined {
  if (end - start > LONGEST_HEADER) return undefined;
  return HEADERS.get(bytes.toString('latin1', start, end).toLowerCase());
}

/**
 * Format of a valid timestamp: the separator between date and time, and the suffix (none, `Z`, `+00:00`). All suffixes mean UTC, but a file
 * that mixes them was probably joined from two, and the clock of the rows without a suffix is then unknown.
 */
function formOf(bytes: Buffer, start: number, comma: number): number {
  const separator = bytes[start + SEPARATOR_AT]! * FORM_SEPARATOR;
  if (bytes[comma - 1] === UPPER_Z) return separator + 1;
  return bytes[comma - OFFSET_LENGTH] === PLUS ? separator + 2 : separator;
}
