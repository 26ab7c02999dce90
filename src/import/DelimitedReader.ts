import { parsePriceBytes } from '../ticks/parsePriceBytes.ts';
import { fileFault, shownBytes } from './fileFault.ts';
import { splitLine } from './splitLine.ts';
import { STAMP_NOT_A_TIME, STAMP_OTHER_UNIT } from './StampForm.ts';
import { StampParser } from './StampParser.ts';
import { type TableLayout } from './TableLayout.ts';
import { type RowOutput } from './TickStage.ts';
import { type ZoneClock } from './zoneClock.ts';

/** A longer line is no row of ticks; without the bound a file without line ends would be read into memory whole. */
const MAX_LINE_BYTES = 64 * 1024;
/** A row has at most so many fields. */
const MAX_FIELDS = 512;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
const QUOTE = 34;
const MAX_CLASS = 128;
const [PLAIN, SEPARATES, SPECIAL] = [0, 1, 2];

/** `line` and `row` are what the rows are called in messages; `firstRow` is added to a line's number to get that. */
export type RowNames = { readonly word: 'line' | 'row'; readonly offset: number };

/**
 * The rows of a delimited text, fed in chunks of bytes of any size. `add` each chunk in order, then `end` once. Memory: one unfinished
 * line of at most 64 KiB. Both throw ServiceError file.malformed with the line and what is wrong with it.
 */
export class DelimitedReader {
  readonly #layout: TableLayout;
  readonly #name: string;
  readonly #rows: RowNames;
  readonly #out: RowOutput;
  readonly #stamp: StampParser;
  readonly #clock: ZoneClock;
  readonly #classes = new Uint8Array(256);
  /** Where the fields of the line begin and end. */
  readonly #starts = new Int32Array(MAX_FIELDS);
  readonly #ends = new Int32Array(MAX_FIELDS);
  #rest: Uint8Array | undefined;
  #line = 0;
  #fields = 0;
  #isOdd = false;
  #lastUs: number;
  #bid = NaN;
  #ask = NaN;
  /** The row before, for telling the same row twice: in the chunk, or kept from the last one. */
  #lastRow: Uint8Array | undefined;
  #lastFrom = 0;
  #lastTo = 0;
  /** Whether stamps carry a zone, by the first row. */
  #hasZone: boolean | undefined;
  #firstOffsetUs = 0;

  constructor(layout: TableLayout, name: string, out: RowOutput, clock: ZoneClock, rows: RowNames = { word: 'line', offset: 0 }) {
    this.#layout = layout;
    this.#name = name;
    this.#out = out;
    this.#clock = clock;
    this.#rows = rows;
    this.#stamp = new StampParser(layout.stamp);
    this.#lastUs = layout.isNewestFirst ? Infinity : -Infinity;
    this.#classes[layout.separator] = SEPARATES!;
    this.#classes[QUOTE] = SPECIAL!;
    this.#classes[0] = SPECIAL!;
  }

  /** Whether the stamps carry a zone; known after the first row. */
  get hasZone(): boolean {
    return this.#hasZone ?? false;
  }

  add(chunk: Uint8Array): void {
    let bytes = chunk;
    let start = 0;
    const rest = this.#rest;
    if (rest !== undefined) {
      bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      this.#rest = undefined;
    }
    const length = bytes.length;
    for (;;) {
      const end = this.#scan(bytes, start, length);
      if (end < 0) break;
      this.#line++;
      this.#addLine(bytes, start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
      start = end + 1;
    }
    if (length - start > MAX_LINE_BYTES) {
      this.#line++;
      throw this.#fault(`the line is longer than ${MAX_LINE_BYTES / 1024} KiB`, 'This is no file of rows; look whether it is text at all.');
    }
    if (start < length) this.#rest = bytes.slice(start);
    if (this.#lastRow === bytes) {
      this.#lastRow = bytes.slice(this.#lastFrom, this.#lastTo);
      this.#lastTo -= this.#lastFrom;
      this.#lastFrom = 0;
    }
  }

  end(): void {
    const rest = this.#rest;
    if (rest === undefined) return;
    this.#rest = undefined;
    const whole = new Uint8Array(rest.length + 1);
    whole.set(rest);
    whole[rest.length] = LINE_FEED;
    this.#scan(whole, 0, whole.length);
    this.#line++;
    const to = rest.at(-1) === CARRIAGE_RETURN ? rest.length - 1 : rest.length;
    if (
      this.#line > this.#layout.skipLines &&
      !this.#isOdd &&
      this.#fields < this.#layout.columns &&
      this.#line > this.#layout.skipLines + 1
    ) {
      this.#out.note('row.cut_off', this.#line + this.#rows.offset);
      return;
    }
    this.#addLine(whole, 0, to);
  }

  /** Finds the fields of the line at `from`. Position of its line feed, or -1 where it is not in these bytes. */
  #scan(bytes: Uint8Array, from: number, to: number): number {
    const classes = this.#classes;
    const [starts, ends] = [this.#starts, this.#ends];
    let fields = 0;
    let at = from;
    let fieldFrom = from;
    this.#isOdd = false;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte >= MAX_CLASS) continue;
      const kind = classes[byte]!;
      if (kind === PLAIN) {
        if (byte !== LINE_FEED) continue;
        if (fields < MAX_FIELDS) {
          starts[fields] = fieldFrom;
          ends[fields] = at > from && bytes[at - 1] === CARRIAGE_RETURN ? at - 1 : at;
          fields++;
        }
        this.#fields = fields;
        return at;
      }
      if (kind === SEPARATES) {
        if (byte === BLANK && at === fieldFrom) {
          fieldFrom = at + 1;
        } else if (fields < MAX_FIELDS) {
          starts[fields] = fieldFrom;
          ends[fields] = at;
          fields++;
          fieldFrom = at + 1;
        }
      } else this.#isOdd = true;
    }
    return -1;
  }

  #addLine(bytes: Uint8Array, from: number, to: number): void {
    if (this.#line <= this.#layout.skipLines) return;
    if (from === to) return;
    if (this.#isOdd) this.#addOdd(bytes, from, to);
    else this.#addRow(bytes, from, to, this.#starts, this.#ends, this.#fields);
  }

  /** A line with quotes: the same fields without them. */
  #addOdd(bytes: Uint8Array, from: number, to: number): void {
    const nul = bytes.subarray(from, to).includes(0);
    if (nul) throw this.#fault('it holds a NUL byte: from here on the file is not text', 'Download or export it again.');
    const fields = splitLine(new TextDecoder().decode(bytes.subarray(from, to)), String.fromCharCode(this.#layout.separator));
    const text = new TextEncoder().encode(fields.join('\n'));
    const starts = new Int32Array(fields.length + 1);
    const ends = new Int32Array(fields.length);
    let at = 0;
    for (let i = 0; i < fields.length; i++) {
      starts[i] = at;
      while (at < text.length && text[at] !== LINE_FEED) at++;
      ends[i] = at++;
    }
    this.#addRow(text, 0, text.length, starts, ends, fields.length);
  }

  #addRow(bytes: Uint8Array, from: number, to: number, starts: Int32Array, ends: Int32Array, fields: number): void {
    const { stampColumn, timeColumn, firstColumn, askColumn, columns, point, barUs, carriesForward } = this.#layout;
    if (fields !== columns && (fields < columns || !isEmpty(starts, ends, columns, fields)))
      return this.#otherWidth(bytes, from, to, fields);
    const [stampFrom, stampTo] = [skipBlanks(bytes, starts[stampColumn]!), ends[stampColumn]!];
    const writtenUs =
      timeColumn < 0
        ? this.#stamp.timeUs(bytes, stampFrom, stampTo)
        : this.#stamp.splitUs(bytes, stampFrom, stampTo, starts[timeColumn]!, ends[timeColumn]!);
    if (writtenUs < 0) return this.#badStamp(bytes, from, to, stampFrom, timeColumn < 0 ? stampTo : ends[timeColumn]!, writtenUs);
    const { hasZone } = this.#stamp;
    if (hasZone !== this.#hasZone) this.#checkZone(bytes, stampFrom, stampTo, hasZone);
    let timeUs = writtenUs;
    if (!hasZone) timeUs = this.#clock.toUtc(writtenUs, this.#lastUs);
    else if (this.#stamp.zoneOffsetUs !== this.#firstOffsetUs) this.#out.note('zone.several_offsets', this.#line + this.#rows.offset);
    timeUs += barUs;
    const line = this.#line + this.#rows.offset;
    let bid = this.#price(bytes, starts[firstColumn]!, ends[firstColumn]!, point);
    let ask = askColumn < 0 ? bid : this.#price(bytes, starts[askColumn]!, ends[askColumn]!, point);
    if (carriesForward) {
      if (Number.isNaN(bid)) bid = this.#bid;
      if (Number.isNaN(ask)) ask = this.#ask;
      this.#bid = bid;
      this.#ask = ask;
    }
    if (Number.isNaN(bid) || Number.isNaN(ask)) return this.#out.note('row.no_price', line);
    const isSameRow = timeUs === this.#lastUs && this.#isLastRow(bytes, from, to);
    this.#lastUs = timeUs;
    this.#lastRow = bytes;
    this.#lastFrom = from;
    this.#lastTo = to;
    this.#out.add(timeUs, bid, ask, line, isSameRow);
  }

  /** NaN for an empty field. */
  #price(bytes: Uint8Array, from: number, to: number, point: number): number {
    if (from === to) return NaN;
    const price = parsePriceBytes(bytes, from, to, point);
    return Number.isNaN(price) ? this.#oddPrice(bytes, from, to, point) : price;
  }

  /** A price with blanks around it, or a word for none. Anything else is a fault. */
  #oddPrice(bytes: Uint8Array, from: number, to: number, point: number): number {
    const text = new TextDecoder().decode(bytes.subarray(from, to)).trim();
    if (/^(?:|nan|null|none|n\/a|na|-)$/i.test(text)) return NaN;
    const trimmed = new TextEncoder().encode(text);
    const price = parsePriceBytes(trimmed, 0, trimmed.length, point);
    if (!Number.isNaN(price)) return price;
    throw this.#fault(
      `the price ${shownBytes(bytes, from, to)} is not a number`,
      'Correct or remove the row; a price is written 1234.56, without signs for thousands or a currency.',
    );
  }

  #isLastRow(bytes: Uint8Array, from: number, to: number): boolean {
    const last = this.#lastRow;
    if (last === undefined || this.#lastTo - this.#lastFrom !== to - from) return false;
    const shift = this.#lastFrom - from;
    for (let at = to - 1; at >= from; at--) if (bytes[at] !== last[at + shift]) return false;
    return true;
  }

  #checkZone(bytes: Uint8Array, from: number, to: number, hasZone: boolean): void {
    if (this.#hasZone === undefined) {
      this.#hasZone = hasZone;
      this.#firstOffsetUs = this.#stamp.zoneOffsetUs;
      return;
    }
    const found = hasZone ? 'carries a zone and the rows before carry none' : 'carries no zone and the rows before do';
    throw this.#fault(
      `the stamp ${shownBytes(bytes, from, to)} ${found}`,
      'Write all stamps of a file in one way: with a zone each, or all without.',
    );
  }

  #badStamp(bytes: Uint8Array, from: number, to: number, stampFrom: number, stampTo: number, fault: number): void {
    const { header, skipLines } = this.#layout;
    const line = new TextDecoder().decode(bytes.subarray(from, to));
    // Files that were joined bring their headers along.
    if (header !== undefined && line.trim() === header.trim()) return this.#out.note('row.header_again', this.#line + this.#rows.offset);
    const value = shownBytes(bytes, stampFrom, stampTo);
    const [found, mend] =
      fault === STAMP_NOT_A_TIME
        ? [
            `the stamp ${value} is not in the calendar of 1970 to 2199`,
            'Correct the row; if day and month are the other way round, say --date-order dmy or mdy.',
          ]
        : fault === STAMP_OTHER_UNIT
          ? [`the stamp ${value} has another unit than the rows before`, 'Write all stamps of a file in one unit.']
          : [
              `the stamp ${value} has another form than that of line ${skipLines + 1}`,
              'Write all stamps of a file in one form; remove lines that are no ticks.',
            ];
    throw this.#fault(found, mend);
  }

  #otherWidth(bytes: Uint8Array, from: number, to: number, fields: number): void {
    const { columns, separator } = this.#layout;
    if (new TextDecoder().decode(bytes.subarray(from, to)).trim() === '') return;
    const between = separator === 9 ? 'tabs' : JSON.stringify(String.fromCharCode(separator));
    throw this.#fault(
      `there are ${fields} fields between ${between} where the rows before have ${columns}: ${shownBytes(bytes, from, to)}`,
      'Correct or remove the row.',
    );
  }

  #fault(found: string, mend: string): Error {
    return fileFault(this.#name, `${this.#rows.word} ${this.#line + this.#rows.offset}`, found, mend);
  }
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === BLANK) at++;
  return at;
}

/** Whether what stands beyond the known columns is nothing: rows that end in a separator. */
function isEmpty(starts: Int32Array, ends: Int32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (starts[at] !== ends[at]) return false;
  return true;
}
