import { plural } from '../../core/plural.ts';
import { parsePriceBytes } from '../parsePriceBytes.ts';
import { STAMP_NOT_A_TIME, STAMP_OTHER_UNIT, US_OF, type ZoneClock } from './DateReader.ts';
import { splitLine } from './FieldScanner.ts';
import { shownBytes } from './ImportReport.ts';
import type { Filter, TableLayout } from './TableLayout.ts';
import type { RowOutput } from './TickStage.ts';
import { TimestampParser } from './TimestampParser.ts';
import { fitRange } from './fitRange.ts';
import { isValue } from './plan/Table.ts';
import { areKindsOfRows, columnName, isHarmless } from './plan/names.ts';
import { isNoValue, withoutCurrency } from './plan/numbers.ts';

const BLANK = 32;
const POINT = 46;
const ZERO = 48;
/** What recorders write where they have no time: 99:99:99.9, 0, or a date of zeros; and the words for no value. */
const NO_STAMP = /^(?:0|0{4}[-/.]?00[-/.]?00\b.*|.*\b99:99(?::99(?:[.,:]9+)?)?)$/;

type Watched = Filter & { readonly bytes: Uint8Array };

/** Whether a field, blanks around it aside, is exactly these bytes. */
function holds(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  let [first, end] = [from, to];
  while (first < end && bytes[first] === BLANK) first++;
  while (end > first && bytes[end - 1] === BLANK) end--;
  if (end - first !== wanted.length) return false;
  for (let at = 0; at < wanted.length; at++) if (bytes[first + at] !== wanted[at]) return false;
  return true;
}
const WITHOUT = 'If they are few, tickmark doctor FILE --fix writes a copy without such rows.';

/** `line` and `row` are what the rows are called in messages; `offset` is added to a line's number to get that. */
export type RowNames = { readonly word: 'line' | 'row'; readonly offset: number };

/** Parses rows whose fields are found: each becomes a tick, a note or an error. */
export class TickRows {
  readonly #names: RowNames;
  readonly #layout: TableLayout;
  readonly #out: RowOutput;
  readonly #stamp: TimestampParser;
  readonly #clock: ZoneClock;
  #line = 0;
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
  /** Set by a price that cannot be read, where such rows are left out. */
  #isRefused = false;
  /** Prices stand as they are meant: without signs between thousands and in whole units. */
  readonly #isPlain: boolean;
  readonly #filters: readonly Watched[];
  readonly #watches: readonly Watched[];

  constructor(layout: TableLayout, out: RowOutput, clock: ZoneClock, names: RowNames) {
    this.#names = names;
    this.#layout = layout;
    this.#out = out;
    this.#clock = clock;
    this.#stamp = new TimestampParser(layout.stamp);
    this.#lastUs = layout.isNewestFirst ? Infinity : -Infinity;
    this.#isPlain = layout.thousands === '' && layout.divisor === 1;
    const watched = (filters: readonly Filter[]): Watched[] =>
      filters.map((filter) => ({ ...filter, bytes: new TextEncoder().encode(filter.value) }));
    this.#filters = watched(layout.filters);
    this.#watches = watched(layout.watches);
  }

  /** Whether the stamps carry a zone; known after the first row. */
  get hasZone(): boolean {
    return this.#hasZone ?? false;
  }

  /** To be called when `bytes` will be used for something else: keeps of them what the next row is compared with. */
  letGo(bytes: Uint8Array): void {
    if (this.#lastRow !== bytes) return;
    this.#lastRow = bytes.slice(this.#lastFrom, this.#lastTo);
    this.#lastTo -= this.#lastFrom;
    this.#lastFrom = 0;
  }

  /**
   * The row in `bytes` from `from` to `to`, with `fields` fields between `starts` and `ends`. `line`: its number in messages.
   * Throws ServiceError file.malformed with the line, the value, the rule and what to do, unless the output leaves such rows out.
   */
  add(bytes: Uint8Array, from: number, to: number, starts: Int32Array, ends: Int32Array, fields: number, line: number): void {
    this.#line = line;
    const { stampColumn, timeColumn, fractionColumn, columns, carriesForward } = this.#layout;
    const { firstColumn, askColumn, rangeColumns, volumeColumns, cutFields, point, barUs } = this.#layout;
    if (fields !== columns && (fields < columns || !isEmpty(starts, ends, columns, fields)))
      return this.#otherWidth(bytes, from, to, fields);
    if (this.#filters.length > 0 && !this.#hold(this.#filters, bytes, starts, ends)) return this.#out.note('row.other', line);
    const [stampFrom, stampTo] = [skipBlanks(bytes, starts[stampColumn]), ends[stampColumn]];
    const writtenUs =
      timeColumn < 0
        ? this.#stamp.timeUs(bytes, stampFrom, stampTo)
        : this.#stamp.splitUs(bytes, stampFrom, stampTo, skipBlanks(bytes, starts[timeColumn]), ends[timeColumn]);
    if (writtenUs < 0) return this.#badStamp(bytes, from, to, stampFrom, timeColumn < 0 ? stampTo : ends[timeColumn], writtenUs);
    const { hasZone } = this.#stamp;
    if (hasZone !== this.#hasZone && !this.#takesZone(bytes, stampFrom, stampTo, hasZone)) return;
    let timeUs = writtenUs;
    if (fractionColumn >= 0) {
      const fractionUs = this.#fractionUs(bytes, starts[fractionColumn], ends[fractionColumn]);
      if (fractionUs < 0) return;
      timeUs += fractionUs;
    }
    if (!hasZone) timeUs = this.#clock.toUtc(timeUs, this.#lastUs);
    else if (this.#stamp.zoneOffsetUs !== this.#firstOffsetUs) this.#out.note('zone.several_offsets', this.#line);
    timeUs += barUs;
    let bid = this.#price(bytes, starts[firstColumn], ends[firstColumn + cutFields], point);
    let ask = askColumn < 0 ? bid : this.#price(bytes, starts[askColumn], ends[askColumn + cutFields], point);
    const range =
      rangeColumns.length === 0
        ? undefined
        : rangeColumns.map((column) => this.#price(bytes, starts[column], ends[column + cutFields], point));
    if (this.#isRefused) {
      this.#isRefused = false;
      return;
    }
    if (carriesForward) {
      if (Number.isNaN(bid)) bid = this.#bid;
      if (Number.isNaN(ask)) ask = this.#ask;
      this.#bid = bid;
      this.#ask = ask;
    }
    if (Number.isNaN(bid) || Number.isNaN(ask))
      return this.#out.note(this.#hold(this.#watches, bytes, starts, ends) ? 'row.no_price' : 'row.other', line);
    if (this.#watches.length > 0) this.#watch(bytes, starts, ends);
    if (range !== undefined && bid > 0) {
      const fault = fitRange(range, bid);
      if (fault !== '') return this.#out.refuse(line, fault, `Correct the row. ${WITHOUT}`);
    }
    const isSameRow = timeUs === this.#lastUs && this.#isLastRow(bytes, from, to);
    this.#lastUs = timeUs;
    this.#lastRow = bytes;
    this.#lastFrom = from;
    this.#lastTo = to;
    if (volumeColumns.length === 0) this.#out.add(timeUs, bid, ask, line, isSameRow, range);
    else this.#out.add(timeUs, bid, ask, line, isSameRow, range, this.#isIdle(bytes, starts, ends, bid, range));
  }

  /** Whether nothing was traded within a bar. Words for no value are no 0. */
  #isIdle(bytes: Uint8Array, starts: Int32Array, ends: Int32Array, close: number, range: readonly number[] = []): boolean {
    for (let i = 0; i < range.length; i++) if (range[i] !== close) return false;
    const { volumeColumns, point } = this.#layout;
    for (let i = 0; i < volumeColumns.length; i++) {
      const column = volumeColumns[i];
      const from = skipBlanks(bytes, starts[column]);
      // Most volumes begin with another digit.
      if (bytes[from] > ZERO || parsePriceBytes(bytes, from, ends[column], point) !== 0) return false;
    }
    return true;
  }

  /** NaN for an empty field. */
  #price(bytes: Uint8Array, from: number, to: number, point: number): number {
    if (from === to) return NaN;
    const price = this.#isPlain ? parsePriceBytes(bytes, from, to, point) : NaN;
    return Number.isNaN(price) ? this.#oddPrice(bytes, from, to, point) : price;
  }

  #hold(values: readonly Watched[], bytes: Uint8Array, starts: Int32Array, ends: Int32Array): boolean {
    return values.every(({ column, bytes: wanted }) => holds(bytes, starts[column], ends[column], wanted));
  }

  /** Throws where a column that held one market, or one kind of rows, holds another one. */
  #watch(bytes: Uint8Array, starts: Int32Array, ends: Int32Array): void {
    for (const { column, bytes: known, value, title, option } of this.#watches) {
      if (holds(bytes, starts[column], ends[column], known)) continue;
      const found = new TextDecoder().decode(bytes.subarray(starts[column], ends[column])).trim();
      // buy behind sell, in a column of types.
      if (option === 'event' && isHarmless(value) && isHarmless(found) && !areKindsOfRows([value, found])) continue;
      this.#out.doubt(
        this.#line,
        `${title} is ${JSON.stringify(found.slice(0, 60))} and was ${JSON.stringify(value)} in the rows before: it holds several ${option === 'symbol' ? 'markets' : 'kinds of rows'}`,
        `Say which one is read: --${option} ${value === '' ? found : value} or --${option} ${found === '' ? value : found}.`,
      );
    }
  }

  /** The fraction of a second that stands in a column of its own, microseconds; negative where it is none. */
  #fractionUs(bytes: Uint8Array, from: number, to: number): number {
    const value = parsePriceBytes(bytes, skipBlanks(bytes, from), to, POINT);
    const us = Math.floor(value * US_OF[this.#layout.fractionUnit]);
    if (us >= 0 && us < 1_000_000) return us;
    this.#out.refuse(
      this.#line,
      `${shownBytes(bytes, from, to)} is no fraction of a second`,
      `Check that the column holds milliseconds. ${WITHOUT}`,
    );
    return -1;
  }

  /** A price in another form, with blanks around it, or a word for none. Anything else is a fault. */
  #oddPrice(bytes: Uint8Array, from: number, to: number, point: number): number {
    const text = withoutCurrency(new TextDecoder().decode(bytes.subarray(from, to)).trim());
    if (isNoValue(text)) return NaN;
    const { thousands, divisor } = this.#layout;
    const isGrouped = thousands !== '' && new RegExp(`^[-+]?\\d{1,3}(?:[${thousands}]\\d{3})*(?!\\d)`).test(text);
    const trimmed = new TextEncoder().encode(isGrouped ? text.replaceAll(thousands, '') : text);
    const price = parsePriceBytes(trimmed, 0, trimmed.length, point);
    if (!Number.isNaN(price)) return price / divisor;
    // Bid and ask may both be unreadable: the row is refused once.
    if (!this.#isRefused)
      this.#out.refuse(
        this.#line,
        `the price ${shownBytes(bytes, from, to)} is not a number`,
        `Write a price as 1234.56, without signs for thousands or a currency. ${WITHOUT}`,
      );
    this.#isRefused = true;
    return NaN;
  }

  #isLastRow(bytes: Uint8Array, from: number, to: number): boolean {
    const last = this.#lastRow;
    if (last === undefined || this.#lastTo - this.#lastFrom !== to - from) return false;
    const shift = this.#lastFrom - from;
    for (let at = to - 1; at >= from; at--) if (bytes[at] !== last[at + shift]) return false;
    return true;
  }

  /** Whether the zone of a stamp, or its absence, is that of the rows before. */
  #takesZone(bytes: Uint8Array, from: number, to: number, hasZone: boolean): boolean {
    if (this.#hasZone === undefined) {
      this.#hasZone = hasZone;
      this.#firstOffsetUs = this.#stamp.zoneOffsetUs;
      return true;
    }
    const found = hasZone ? 'carries a zone and the rows before carry none' : 'carries no zone and the rows before do';
    const remedy = 'Write all stamps of a file in one way: with a zone each, or all without.';
    this.#out.refuse(this.#line, `the stamp ${shownBytes(bytes, from, to)} ${found}`, remedy);
    return false;
  }

  #badStamp(bytes: Uint8Array, from: number, to: number, stampFrom: number, stampTo: number, fault: number): void {
    const { header, skipLines } = this.#layout;
    const line = new TextDecoder().decode(bytes.subarray(from, to));
    // Concatenated files contain their headers.
    if (header !== undefined && line.trim() === header.trim()) return this.#out.note('row.header_again', this.#line);
    if (this.#isOtherHeader(line)) return;
    const text = new TextDecoder().decode(bytes.subarray(stampFrom, stampTo)).trim();
    if (NO_STAMP.test(text) || (text !== '' && isNoValue(text))) return this.#out.note('row.no_stamp', this.#line);
    const value = shownBytes(bytes, stampFrom, stampTo);
    const [found, remedy] =
      fault === STAMP_NOT_A_TIME
        ? [
            `the stamp ${value} is not in the calendar of 1970 to 2199`,
            `${this.#hasDayAndMonth ? 'If day and month are the other way round, say --date-order dmy or mdy; otherwise correct' : 'Correct'} the row. ${WITHOUT}`,
          ]
        : fault === STAMP_OTHER_UNIT
          ? [
              `the stamp ${value} has another unit than the rows before`,
              'If all further rows have it, cut the file before this line and import each part: tickmark import FIRST SECOND --out FILE.csv. Otherwise write all stamps in one unit.',
            ]
          : [
              `the stamp ${value} has another form than that of ${this.#names.word} ${skipLines + 1 + this.#names.offset}`,
              `Write all stamps of a file in one form. ${WITHOUT}`,
            ];
    this.#out.refuse(this.#line, found, remedy);
  }

  /** Whether the line is a header of another table. Throws unless its names are those of the first one: what follows would be read by the wrong columns. */
  #isOtherHeader(line: string): boolean {
    const { separator, header } = this.#layout;
    const fields = splitLine(line.replace('\ufeff', ''), String.fromCharCode(separator));
    if (fields.length < 2 || fields.some(isValue) || !fields.every((field) => /\p{L}/u.test(field))) return false;
    const known = header === undefined ? [] : splitLine(header, String.fromCharCode(separator)).map(columnName);
    if (fields.map(columnName).join() !== known.join())
      this.#out.doubt(
        this.#line,
        `another header begins here, ${JSON.stringify(line.trim().slice(0, 100))}, and its columns are not those of the first one`,
        'Cut the file before this line, and import each part: tickmark import FIRST SECOND --out FILE.csv.',
      );
    this.#out.note('row.header_again', this.#line);
    return true;
  }

  get #hasDayAndMonth(): boolean {
    const { stamp } = this.#layout;
    return stamp.kind === 'calendar' && (stamp.order === 'dmy' || stamp.order === 'mdy');
  }

  #otherWidth(bytes: Uint8Array, from: number, to: number, fields: number): void {
    const { columns, separator } = this.#layout;
    const text = new TextDecoder().decode(bytes.subarray(from, to)).trim();
    // Recorders write comments; psql and MySQL end a table with a ruler and the number of its rows.
    if (text === '' || /^(?:#.*|\(\d+ rows?\)|[-+|=]+)$/.test(text) || this.#isOtherHeader(text)) return;
    const between = separator === 9 ? 'tabs' : JSON.stringify(String.fromCharCode(separator));
    this.#out.refuse(
      this.#line,
      `there are ${plural(fields, 'field')} between ${between} where the rows before have ${columns}: ${shownBytes(bytes, from, to)}`,
      `Correct the row, or remove it. ${WITHOUT}`,
    );
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
