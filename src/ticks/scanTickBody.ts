import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { midPrice } from './midPrice.ts';
import { spreadOf, type TickRequest } from './parseTickRequest.ts';
import { scanNumbers, skipSpace } from './scanNumbers.ts';
import { TimestampReader } from './TimestampReader.ts';
import { epochUnitUs, parseEpochUs } from './timestamps.ts';
import { PRICE_LIMIT } from './TickSeries.ts';

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
const KEYS = ['Timestamp', 'Price', 'Bid', 'Ask'].map((name) => Buffer.from(`"${name}"`));
const [TIMESTAMP, PRICE, BID, ASK] = [0, 1, 2, 3] as const;

/** Milliseconds and microseconds since 1970 have 12 to 16 digits, and are exact as doubles. */
const EPOCH_DIGITS = [12, 16] as const;

/** Reused by every scan, which copies its result before it returns. */
const timesUs = new Float64Array(MAX_ENTRIES);
const columns = [new Float64Array(MAX_ENTRIES), new Float64Array(MAX_ENTRIES)] as const;
const spans = new Int32Array(2 * MAX_ENTRIES);

/** End and result of the scan of the timestamps; `at` < 0 if they cannot be scanned. */
type Scan = { at: number; count: number; distinct: number; unitUs?: number };

/** The lists of a body, in the arrays above. */
type Lists = { readonly stamps: Scan; readonly isQuotes: boolean; readonly bytes: Uint8Array };

/**
 * Fast path from the bytes of a body to its ticks, without intermediate JSON values. It handles bodies that contain only `Timestamp` and
 * `Price`, or `Bid` and `Ask`, in any order: ascending timestamps (texts, fastest if they have one format, or integers of one length), and
 * prices above 0. The result equals that of JSON.parse, the schema
 * and `parseTickRequest`. For all other bodies, valid or not, it returns undefined, and the general path validates them.
 */
export function scanTickBody(body: Uint8Array): ScannedTicks | undefined {
  const lists = scanLists(body);
  if (lists === undefined) return undefined;
  const { bytes, stamps, isQuotes } = lists;
  const future = stamps.count - 1;
  if (stamps.count < MIN_ENTRIES || columns[0][future] !== 0 || (isQuotes && columns[1][future] !== 0)) return undefined;
  // Only the last timestamp must differ from the one before it.
  if (!(timesUs[future]! > timesUs[future - 1]!)) return undefined;
  const ticks = ticksOf(future, isQuotes);
  if (ticks === undefined) return undefined;
  return { ...ticks, futureUs: timesUs[future]!, stamps: { bytes, spans: spans.slice(0, 2 * stamps.distinct) } };
}

/** The same for a body without a future entry: equals the result of `parseObservedTicks`. */
export function scanObserved(body: Uint8Array): ScannedObserved | undefined {
  const lists = scanLists(body);
  if (lists === undefined || lists.stamps.count < MIN_ENTRIES - 1 || lists.stamps.count > MAX_ENTRIES - 1) return undefined;
  const ticks = ticksOf(lists.stamps.count, lists.isQuotes);
  return ticks === undefined ? undefined : { ...ticks, unitUs: lists.stamps.unitUs };
}

/** The first `count` ticks; undefined if one of them has no price. */
function ticksOf(count: number, isQuotes: boolean): Omit<TickRequest, 'futureUs'> | undefined {
  const [first, second] = columns;
  for (let i = 0; i < count; i++) if (!isPrice(first[i]!) || (isQuotes && !isPrice(second[i]!))) return undefined;
  const [times, firsts] = [timesUs.slice(0, count), first.slice(0, count)];
  if (!isQuotes) return { series: { timesUs: times, prices: firsts } };
  const asks = second.slice(0, count);
  const prices = firsts.map((bid, i) => midPrice(bid, asks[i]!));
  return { series: { timesUs: times, prices }, ...spreadOf({ Bid: firsts, Ask: asks }, count) };
}

const isPrice = (price: number): boolean => price > 0 && price < PRICE_LIMIT;

function scanLists(body: Uint8Array): Lists | undefined {
  // V8 sees Buffers from a socket and other Buffers as different shapes; one shape avoids recompiled, slower code below.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  let stamps: Scan | undefined;
  /** Which members were there, a bit for each. */
  let found = 0;
  const counts = [0, 0];
  do {
    at = skipSpace(bytes, at + 1);
    const key = KEYS.findIndex((text) => startsWith(bytes, at, text));
    if (key < 0 || (found & (1 << key)) !== 0) return undefined;
    found |= 1 << key;
    at = skipSpace(bytes, at + KEYS[key]!.length);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== OPEN_LIST) return undefined;
    if (key === TIMESTAMP) {
      stamps = scanStamps(bytes, at + 1);
      at = stamps.at;
    } else {
      const column = key === ASK ? 1 : 0;
      const list = scanNumbers(bytes, at + 1, columns[column]);
      counts[column] = list.count;
      at = list.at;
    }
    if (at < 0) return undefined;
    at = skipSpace(bytes, at);
  } while (bytes[at] === COMMA);
  if (bytes[at] !== CLOSE_OBJECT || skipSpace(bytes, at + 1) !== bytes.length) return undefined;
  const isQuotes = found === ((1 << TIMESTAMP) | (1 << BID) | (1 << ASK));
  if (stamps === undefined || !(isQuotes || found === ((1 << TIMESTAMP) | (1 << PRICE)))) return undefined;
  if (counts[0] !== stamps.count || (isQuotes && counts[1] !== stamps.count)) return undefined;
  return { stamps, isQuotes, bytes };
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
      else if ((isMixed || hasCutDigits) && !isSameText(bytes, start, end, spans[2 * distinct - 2]!, spans[2 * distinct - 1]!))
        return FAILED;
      previousUs = timeUs;
      timesUs[count++] = timeUs;
      at = end + 1;
      if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
      if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct };
      if (bytes[at++] !== COMMA) return FAILED;
      if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
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
  while (bytes[at + length]! >= ZERO && bytes[at + length]! <= ZERO + 9) length++;
  if (length < EPOCH_DIGITS[0] || length > EPOCH_DIGITS[1]) return FAILED;
  let unitUs = 0;
  let previousUs = -1;
  let distinct = 0;
  for (let count = 0; count < MAX_ENTRIES;) {
    let value = 0;
    for (let i = at; i < at + length; i++) {
      const digit = bytes[i]! - ZERO;
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
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct, unitUs };
    if (bytes[at++] !== COMMA) return FAILED;
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
  }
  return FAILED;
}
