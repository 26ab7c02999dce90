import type { TableLayout } from './TableLayout.ts';
import { type RowNames, TickRows } from './TickRows.ts';
import type { RowOutput } from './TickStage.ts';
import { fileFault } from './ImportReport.ts';
import type { ZoneClock } from './DateReader.ts';

/** A longer line is no row of ticks; without the bound a file without line ends would be read into memory whole. */
const MAX_LINE_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * The rows of a delimited text, fed in chunks of bytes of any size. `add` each chunk in order, then `end` once. Memory: one unfinished
 * line of at most 64 KiB. Both throw ServiceError file.malformed with the line and what is wrong with it.
 */
export class DelimitedReader {
  readonly #layout: TableLayout;
  readonly #name: string;
  readonly #names: RowNames;
  readonly #out: RowOutput;
  readonly #scanner: FieldScanner;
  readonly #rows: TickRows;
  #rest: Uint8Array | undefined;
  #line = 0;

  constructor(layout: TableLayout, name: string, out: RowOutput, clock: ZoneClock, names: RowNames = { word: 'line', offset: 0 }) {
    this.#layout = layout;
    this.#name = name;
    this.#out = out;
    this.#names = names;
    this.#scanner = new FieldScanner(layout.separator);
    this.#rows = new TickRows(layout, out, clock);
  }

  /** Whether the stamps carry a zone; known after the first row. */
  get hasZone(): boolean {
    return this.#rows.hasZone;
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
      const end = this.#scanner.scan(bytes, start, length);
      if (end < 0) break;
      this.#line++;
      this.#addLine(bytes, start, end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end);
      start = end + 1;
    }
    if (length - start > MAX_LINE_BYTES) {
      this.#line++;
      throw this.#fault(
        `the line is longer than ${MAX_LINE_BYTES / 1024} KiB`,
        'This is not a file of rows; check whether it is a text file.',
      );
    }
    if (start < length) this.#rest = bytes.slice(start);
    this.#rows.letGo(bytes);
  }

  end(): void {
    const rest = this.#rest;
    if (rest === undefined) return;
    this.#rest = undefined;
    const whole = new Uint8Array(rest.length + 1);
    whole.set(rest);
    whole[rest.length] = LINE_FEED;
    this.#scanner.scan(whole, 0, whole.length);
    this.#line++;
    const { fields, isOdd } = this.#scanner;
    const { skipLines, columns } = this.#layout;
    if (this.#line > skipLines + 1 && !isOdd && fields < columns) return this.#out.note('row.cut_off', this.#line + this.#names.offset);
    this.#addLine(whole, 0, rest.at(-1) === CARRIAGE_RETURN ? rest.length - 1 : rest.length);
  }

  #addLine(bytes: Uint8Array, from: number, to: number): void {
    if (this.#line <= this.#layout.skipLines) return;
    if (from === to) return;
    const { starts, ends, fields, isOdd } = this.#scanner;
    if (isOdd) this.#addOdd(bytes, from, to);
    else this.#rows.add(bytes, from, to, starts, ends, fields, this.#line + this.#names.offset);
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
    this.#rows.add(text, 0, text.length, starts, ends, fields.length, this.#line + this.#names.offset);
  }

  #fault(found: string, remedy: string): Error {
    return fileFault(this.#name, `${this.#names.word} ${this.#line + this.#names.offset}`, found, remedy);
  }
}

/** A row has at most so many fields; those beyond are not looked at. */
const MAX_FIELDS = 512;
const BLANK = 32;
const QUOTE = 34;
const MAX_CLASS = 128;
const [PLAIN, SEPARATES, SPECIAL] = [0, 1, 2];

/** Finds the fields of one line after the other, a byte at a time: the inner loop of every import. */
export class FieldScanner {
  readonly #classes = new Uint8Array(256);
  /** Where the fields of the line scanned last begin and end, `fields` of each. */
  readonly starts = new Int32Array(MAX_FIELDS);
  readonly ends = new Int32Array(MAX_FIELDS);
  fields = 0;
  /** The line holds a quote or a NUL byte: its fields are not to be taken as they stand. */
  isOdd = false;

  /** `separator`: the byte between fields; blanks may stand several in a row. */
  constructor(separator: number) {
    this.#classes[separator] = SEPARATES!;
    this.#classes[QUOTE] = SPECIAL!;
    this.#classes[0] = SPECIAL!;
  }

  /** Finds the fields of the line at `from`. Position of its line feed, or -1 where it is not in these bytes. */
  scan(bytes: Uint8Array, from: number, to: number): number {
    const classes = this.#classes;
    const { starts, ends } = this;
    let fields = 0;
    let at = from;
    let fieldFrom = from;
    this.isOdd = false;
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
        this.fields = fields;
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
      } else this.isOdd = true;
    }
    return -1;
  }
}

/** The fields of one line. Fields in double quotes may hold the separator; blanks as separators may stand several in a row. */
export function splitLine(line: string, separator: string): string[] {
  if (separator === ' ') return line.trim().split(/ +/).map(unquoted);
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const fields: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (at === line.length || (line[at] === separator && !isQuoted)) {
      fields.push(unquoted(line.slice(from, at).trim()));
      from = at + 1;
    }
  }
  return fields;
}

function unquoted(field: string): string {
  return field.length >= 2 && field.startsWith('"') && field.endsWith('"') ? field.slice(1, -1).replaceAll('""', '"').trim() : field;
}
