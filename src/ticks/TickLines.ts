import { ServiceError, shown } from '../core/ServiceError.ts';
import { parsePriceBytes } from './parsePriceBytes.ts';
import { parseTimestampUs } from './parseTimestampUs.ts';
import { PRICE_LIMIT, type TickSeries } from './TickSeries.ts';
import { timestampFault } from './timestampFault.ts';

/** `quotes`: bid and ask, the price is their mid. `trades`: one price. */
export type TickFileKind = 'quotes' | 'trades';

/** A longer line is no line of ticks; without the bound a file without line ends would be read into memory whole. */
export const MAX_LINE_BYTES = 64 * 1024;
/** 1.6 GB of ticks. */
export const MAX_ROWS = 100_000_000;

const FIRST_CAPACITY = 65_536;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const FIELDS: Readonly<Record<TickFileKind, number>> = { quotes: 3, trades: 2 };
const HEADERS: Readonly<Record<string, TickFileKind>> = { 'timestamp,bid,ask': 'quotes', 'timestamp,price': 'trades' };

/**
 * The lines of a tick file, fed in chunks of bytes of any size, to ticks. `add` each chunk in order, then `end` once.
 * Memory: the ticks, and one unfinished line of at most 64 KiB. `readTickFile` has the rules of the format.
 *
 * Both methods throw ServiceError file.malformed with the file's name, the line (from 1) and the value.
 */
export class TickLines {
  readonly #path: string;
  #rest: Buffer | undefined;
  #line = 0;
  #blankLine = 0;
  #kind: TickFileKind | undefined;
  #rows = 0;
  #timesUs = new Float64Array(FIRST_CAPACITY);
  #prices = new Float64Array(FIRST_CAPACITY);
  #lastUs = -1;

  constructor(path: string) {
    this.#path = path;
  }

  add(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    // The rest of the last chunk holds no line end.
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

  end(): { series: TickSeries; kind: TickFileKind } {
    const rest = this.#rest;
    if (rest !== undefined) this.#addLine(rest, 0, rest.length);
    if (this.#kind === undefined) throw new ServiceError('file.malformed', `${this.#path}: the file is empty.`);
    if (this.#rows === 0) throw new ServiceError('file.malformed', `${this.#path}: there is a header and no tick after it.`);
    return {
      series: { timesUs: this.#timesUs.slice(0, this.#rows), prices: this.#prices.slice(0, this.#rows) },
      kind: this.#kind,
    };
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
    const hasMark = end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
    const from = hasMark ? start + 3 : start;
    const kind = HEADERS[bytes.toString('latin1', from, end).toLowerCase()];
    if (kind !== undefined) return kind;
    const wanted = 'is not a header; the first line is timestamp,bid,ask or timestamp,price';
    throw this.#fault(bytes, from, end, `${wanted}, and here it is ${this.#text(bytes, from, end)}`);
  }

  #addRow(bytes: Buffer, start: number, end: number, kind: TickFileKind): void {
    if (this.#blankLine > 0) {
      this.#line = this.#blankLine;
      throw this.#fault(bytes, start, end, 'is blank; only the end of the file may be');
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
    if (this.#rows === this.#timesUs.length) this.#grow();
    this.#timesUs[this.#rows] = timeUs;
    this.#prices[this.#rows] = price;
    this.#rows++;
  }

  #time(bytes: Buffer, start: number, comma: number, end: number): number {
    const text = bytes.toString('latin1', start, comma);
    const timeUs = parseTimestampUs(text);
    if (timeUs < 0) {
      throw this.#fault(bytes, start, end, `has the timestamp ${this.#text(bytes, start, comma)}; ${timestampFault(timeUs).rule}`);
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

  #grow(): void {
    if (this.#rows >= MAX_ROWS) throw new ServiceError('file.malformed', `${this.#path}: there are more than ${MAX_ROWS} rows.`);
    const capacity = Math.min(MAX_ROWS, this.#rows * 2);
    const timesUs = new Float64Array(capacity);
    timesUs.set(this.#timesUs);
    this.#timesUs = timesUs;
    const prices = new Float64Array(capacity);
    prices.set(this.#prices);
    this.#prices = prices;
  }

  #fieldCount(bytes: Buffer, start: number, end: number, kind: TickFileKind): ServiceError {
    const found = bytes.subarray(start, end).filter((byte) => byte === COMMA).length + 1;
    return this.#fault(bytes, start, end, `has ${found} fields where the header has ${FIELDS[kind]}: ${this.#text(bytes, start, end)}`);
  }

  /** A line that breaks a rule. Where it holds NUL bytes, that is said instead: the file is no text. */
  #fault(bytes: Buffer, start: number, end: number, what: string): ServiceError {
    const isBinary = bytes.subarray(start, end).includes(0);
    const why = isBinary ? 'holds a NUL byte: this is a binary file, or text in UTF-16; a tick file is text in UTF-8' : what;
    return new ServiceError('file.malformed', `${this.#path}, line ${this.#line} ${why}.`);
  }

  #text(bytes: Buffer, start: number, end: number): string {
    return shown(bytes.toString('utf8', start, Math.min(end, start + 100)));
  }
}

/** Position of the first such byte in [from, to), or `to`. On fields of some ten bytes faster than the native `indexOf`, whose call costs more. */
function findByte(bytes: Buffer, byte: number, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== byte) at++;
  return at;
}
