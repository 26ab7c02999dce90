import type { TableLayout } from './TableLayout.ts';
import { type RowNames, TickRows } from './TickRows.ts';
import type { RowOutput } from './TickStage.ts';
import { FieldScanner, splitLine } from './FieldScanner.ts';
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
  /** Bytes of the shortest last field: that of a last row without a line end is cut off if it is shorter. */
  #shortest = MAX_LINE_BYTES;

  constructor(layout: TableLayout, name: string, out: RowOutput, clock: ZoneClock, names: RowNames = { word: 'line', offset: 0 }) {
    this.#layout = layout;
    this.#name = name;
    this.#out = out;
    this.#names = names;
    this.#scanner = new FieldScanner(layout.separator);
    this.#rows = new TickRows(layout, out, clock, names);
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
      let to = end;
      while (to > start && bytes[to - 1] === CARRIAGE_RETURN) to--;
      this.#addLine(bytes, start, to);
      start = end + 1;
    }
    if (length - start > MAX_LINE_BYTES && !this.#isNulTail(bytes, start)) {
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
    let rest = this.#rest;
    if (rest === undefined) return;
    this.#rest = undefined;
    // A file system that lost power leaves a file filled up with zeros.
    const text = withoutNuls(rest);
    if (text.length < rest.length) {
      this.#out.note('row.nul_tail', this.#line + 1 + this.#names.offset);
      if (text.length === 0) return;
      rest = text;
    }
    const whole = new Uint8Array(rest.length + 1);
    whole.set(rest);
    whole[rest.length] = LINE_FEED;
    this.#scanner.scan(whole, 0, whole.length);
    this.#line++;
    const { fields, isOdd, starts, ends } = this.#scanner;
    const { skipLines, columns } = this.#layout;
    const odd = isOdd ? this.#split(whole, 0, rest.length) : undefined;
    const count = odd?.length ?? fields;
    const lastBytes = odd?.[columns - 1]?.length ?? ends[columns - 1] - starts[columns - 1];
    const isShort = count < columns || (count === columns && lastBytes < this.#shortest);
    if (this.#line > skipLines + 1 && isShort) return this.#out.note('row.cut_off', this.#line + this.#names.offset);
    this.#addLine(whole, 0, rest.at(-1) === CARRIAGE_RETURN ? rest.length - 1 : rest.length);
  }

  #addLine(bytes: Uint8Array, from: number, to: number): void {
    if (this.#line <= this.#layout.skipLines) return;
    if (from === to) return;
    const { starts, ends, fields, isOdd } = this.#scanner;
    if (isOdd) return this.#addOdd(bytes, from, to);
    const last = this.#layout.columns - 1;
    if (fields > last && ends[last] - starts[last] < this.#shortest) this.#shortest = ends[last] - starts[last];
    this.#rows.add(bytes, from, to, starts, ends, fields, this.#line + this.#names.offset);
  }

  /** Zeros that go on: the end says what they are. */
  #isNulTail(bytes: Uint8Array, from: number): boolean {
    return bytes[from] === 0 && withoutNuls(bytes.subarray(from)).length === 0;
  }

  /** A line with quotes: the same fields without them. */
  #addOdd(bytes: Uint8Array, from: number, to: number): void {
    const nul = bytes.subarray(from, to).includes(0);
    if (nul) throw this.#fault('it holds a NUL byte: from here on the file is not text', 'Download or export it again.');
    const fields = this.#split(bytes, from, to);
    const lastBytes = fields[this.#layout.columns - 1]?.length ?? MAX_LINE_BYTES;
    if (lastBytes < this.#shortest) this.#shortest = lastBytes;
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

  /** The fields of a line with quotes. */
  #split(bytes: Uint8Array, from: number, to: number): readonly string[] {
    return splitLine(new TextDecoder().decode(bytes.subarray(from, to)), String.fromCharCode(this.#layout.separator));
  }

  #fault(found: string, remedy: string): Error {
    return fileFault(this.#name, `${this.#names.word} ${this.#line + this.#names.offset}`, found, remedy);
  }
}

function withoutNuls(bytes: Uint8Array): Uint8Array {
  let to = bytes.length;
  while (to > 0 && bytes[to - 1] === 0) to--;
  return bytes.subarray(0, to);
}
