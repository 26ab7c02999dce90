import type { BarTime } from '../core/barTime.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { midPrice } from './midPrice.ts';
import { spreadOf, type TickRequest } from './parseTickRequest.ts';
import { type BarPrices, placeBars } from './placeBars.ts';
import { scanNumbers, skipSpace } from './scanNumbers.ts';
import { TimestampReader } from './TimestampReader.ts';
import { epochUnitUs, parseEpochUs } from './timestamps.ts';
import { isPrice } from './tickColumns.ts';

type Stamps = {
  readonly bytes: Uint8Array;
  /** Indices of the first character and after the last one of each distinct timestamp, in order; the last is the future one. */
  readonly spans: Int32Array;
};

/** The ticks of a body, and the offsets of its timestamps. */
export type ScannedTicks = TickRequest & { readonly stamps: Stamps };

/** The ticks of a body without a future entry. `unitUs`: that of timestamps that are numbers; undefined for texts. */
export type ScannedObserved = Omit<TickRequest, 'futureUs'> & { readonly unitUs: number | undefined };

const BLANK = 32;
const QUOTE = 34;
const COMMA = 44;
const ZERO = 48;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** The members of bodies: the column that the numbers of each fill. */
const MEMBERS = { Timestamp: -1, Price: 0, Bid: 0, Ask: 1, Close: 0, Open: 1, High: 2, Low: 3, Volume: 4 } as const;
const NAMES = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];
const KEYS = NAMES.map((name) => Buffer.from(`"${name}"`));
const COLUMNS = NAMES.map((name) => MEMBERS[name]);

/** `columns`: the number of columns with prices. */
type Form = { readonly kind: 'prices' | 'quotes' | 'bars'; readonly columns: number; readonly hasVolume?: boolean };

/** The sets of members that are a form, a bit for each member. */
const setOf = (...names: (keyof typeof MEMBERS)[]): number => names.reduce((bits, name) => bits | (1 << NAMES.indexOf(name)), 1);
const FORMS: ReadonlyMap<number, Form> = new Map<number, Form>([
  [setOf('Price'), { kind: 'prices', columns: 1 }],
  [setOf('Bid', 'Ask'), { kind: 'quotes', columns: 2 }],
  [setOf('Close'), { kind: 'bars', columns: 1 }],
  [setOf('Close', 'Volume'), { kind: 'bars', columns: 1, hasVolume: true }],
  [setOf('Open', 'High', 'Low', 'Close'), { kind: 'bars', columns: 4 }],
  [setOf('Open', 'High', 'Low', 'Close', 'Volume'), { kind: 'bars', columns: 4, hasVolume: true }],
]);

/** Milliseconds and microseconds since 1970 have 12 to 16 digits, and are exact as doubles. */
const EPOCH_DIGITS = [12, 16] as const;

/** Reused by every scan, which copies its result before it returns. */
const timesUs = new Float64Array(MAX_ENTRIES);
const columns = Array.from({ length: 5 }, () => new Float64Array(MAX_ENTRIES));
const spans = new Int32Array(2 * MAX_ENTRIES);

/** End and result of the scan of the timestamps; `at` < 0 if they cannot be scanned. */
type Scan = { at: number; count: number; distinct: number; unitUs?: number };

/** The lists of a body, in the arrays above. */
type Lists = { readonly stamps: Scan; readonly form: Form; readonly bytes: Uint8Array };

/**
 * Fast path from the bytes of a body to its ticks, without intermediate JSON values. It handles bodies that contain only the lists of one
 * form, in any order: ascending timestamps (texts, fastest if they have one format, or integers of one length), and prices above 0.
 * The result equals that of JSON.parse, the schema and `parseTickRequest` or `parseBarRequest`. For all other bodies, valid or not, it returns
 * undefined, and the general path validates them. `barTime`: as it was sent; bars need it, and ticks have none.
 */
export function scanTickBody(body: Uint8Array, barTime?: BarTime): ScannedTicks | undefined {
  const lists = scanLists(body);
  if (lists === undefined) return undefined;
  const { bytes, stamps, form } = lists;
  const future = stamps.count - 1;
  if (stamps.count < MIN_ENTRIES) return undefined;
  for (let column = 0; column < form.columns; column++) if (columns[column][future] !== 0) return undefined;
  const futureUs = timesUs[future];
  const ticks = ticksOf(future, stamps, form, barTime);
  // Only the last timestamp must differ from the one before it.
  if (ticks === undefined || !(futureUs > ticks.series.timesUs.at(-1)!)) return undefined;
  return { futureUs, stamps: { bytes, spans: spans.slice(0, 2 * stamps.distinct) }, ...ticks };
}

/** The same for a body without a future entry: equals the result of `parseObservedTicks` or `parseObservedBars`. */
export function scanObserved(body: Uint8Array, barTime?: BarTime): ScannedObserved | undefined {
  const lists = scanLists(body);
  if (lists === undefined || lists.stamps.count < MIN_ENTRIES - 1 || lists.stamps.count > MAX_ENTRIES - 1) return undefined;
  const ticks = ticksOf(lists.stamps.count, lists.stamps, lists.form, barTime);
  return ticks === undefined ? undefined : { unitUs: lists.stamps.unitUs, ...ticks };
}

/** The first `count` ticks; undefined if they break a rule of their form. */
function ticksOf(
  count: number,
  stamps: Scan,
  { kind, columns: sent, hasVolume }: Form,
  barTime?: BarTime,
): Omit<TickRequest, 'futureUs'> | undefined {
  for (let column = 0; column < sent; column++) {
    const prices = columns[column];
    for (let i = 0; i < count; i++) if (!isPrice(prices[i])) return undefined;
  }
  if ((kind === 'bars') !== (barTime !== undefined)) return undefined;
  const times = timesUs.slice(0, count);
  const [first, ...others] = columns.slice(0, sent).map((column) => column.slice(0, count)) as [Float64Array, ...Float64Array[]];
  if (kind === 'prices') return { series: { timesUs: times, prices: first } };
  if (barTime !== undefined) {
    if (stamps.distinct < stamps.count) return undefined;
    const volumes = hasVolume === true ? { list: columns[MEMBERS.Volume].subarray(0, count) } : undefined;
    const bars = placeBars(times, [first, ...others] as unknown as BarPrices, barTime, undefined, volumes);
    return 'rule' in bars ? undefined : bars;
  }
  const asks = others[0];
  const prices = first.map((bid, i) => midPrice(bid, asks[i]));
  return { series: { timesUs: times, prices }, ...spreadOf({ Bid: first, Ask: asks }, count) };
}

function scanLists(body: Uint8Array): Lists | undefined {
  // V8 sees Buffers from a socket and other Buffers as different shapes; one shape avoids recompiled, slower code below.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  let stamps: Scan | undefined;
  /** Which members were there, a bit for each. */
  let found = 0;
  let [fewest, most] = [Infinity, 0];
  do {
    at = skipSpace(bytes, at + 1);
    const key = KEYS.findIndex((text) => startsWith(bytes, at, text));
    if (key < 0 || (found & (1 << key)) !== 0) return undefined;
    found |= 1 << key;
    at = skipSpace(bytes, at + KEYS[key].length);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== OPEN_LIST) return undefined;
    const column = COLUMNS[key];
    const list = column < 0 ? (stamps = scanStamps(bytes, at + 1)) : scanNumbers(bytes, at + 1, columns[column]);
    if (list.at < 0) return undefined;
    [fewest, most] = [Math.min(fewest, list.count), Math.max(most, list.count)];
    at = skipSpace(bytes, list.at);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSE_OBJECT || skipSpace(bytes, at + 1) !== bytes.length) return undefined;
  const form = FORMS.get(found);
  return form === undefined || stamps === undefined || fewest !== most ? undefined : { stamps, form, bytes };
}

const FAILED: Scan = { at: -1, count: 0, distinct: 0 };

function startsWith(bytes: Uint8Array, from: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}

/** Scans from after the opening bracket; the result's `at` is after the closing bracket. */
function scanStamps(bytes: Uint8Array, from: number): Scan {
  let at = skipSpace(bytes, from);
  if (bytes[at] !== QUOTE) return scanEpochs(bytes, at);
  let previousUs = -1;
  let distinct = 0;
  let count = 0;
  let isMixed = false;
  // Once for each run of timestamps of one format.
  for (;;) {
    const reader = new TimestampReader(bytes, at + 1);
    const { length, hasCutDigits } = reader;
    const before = count;
    while (length > 0 && count < MAX_ENTRIES) {
      const start = at + 1;
      const end = start + length;
      const timeUs = bytes[at] === QUOTE && bytes[end] === QUOTE ? reader.timeUs(start) : -1;
      if (timeUs < 0) break;
      if (timeUs < previousUs) return FAILED;
      if (timeUs !== previousUs) {
        spans[2 * distinct] = start;
        spans[2 * distinct++ + 1] = end;
      }
      // With one format, equal times have equal text, except for digits that were cut.
      else if ((isMixed || hasCutDigits) && !isSameText(bytes, start, end, spans[2 * distinct - 2], spans[2 * distinct - 1])) return FAILED;
      previousUs = timeUs;
      timesUs[count++] = timeUs;
      at = end + 1;
      if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
      if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct };
      if (bytes[at++] !== COMMA) return FAILED;
      if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
    }
    if (count === before || count === MAX_ENTRIES) return FAILED;
    isMixed = true;
  }
}

function isSameText(bytes: Uint8Array, start: number, end: number, otherStart: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - otherStart) return false;
  for (let i = 0; i < end - start; i++) if (bytes[start + i] !== bytes[otherStart + i]) return false;
  return true;
}

/** As `scanStamps`, for integers since 1970 of one unit and length, whose text is then that of the number. */
function scanEpochs(bytes: Uint8Array, from: number): Scan {
  let at = from;
  let length = 0;
  while (bytes[at + length] >= ZERO && bytes[at + length] <= ZERO + 9) length++;
  if (length < EPOCH_DIGITS[0] || length > EPOCH_DIGITS[1]) return FAILED;
  let unitUs = 0;
  let previousUs = -1;
  let distinct = 0;
  for (let count = 0; count < MAX_ENTRIES;) {
    let value = 0;
    for (let i = at; i < at + length; i++) {
      const digit = bytes[i] - ZERO;
      if (digit >>> 0 > 9) return FAILED;
      value = value * 10 + digit;
    }
    if (bytes[at] === ZERO) return FAILED;
    if (count === 0) unitUs = epochUnitUs(value);
    const timeUs = parseEpochUs(value, unitUs);
    if (timeUs < previousUs || timeUs < 0) return FAILED;
    if (timeUs !== previousUs) {
      spans[2 * distinct] = at;
      spans[2 * distinct++ + 1] = at + length;
    }
    previousUs = timeUs;
    timesUs[count++] = timeUs;
    at += length;
    if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct, unitUs };
    if (bytes[at++] !== COMMA) return FAILED;
    if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
  }
  return FAILED;
}
