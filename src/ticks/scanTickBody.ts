import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import type { TickRequest } from './parseTickRequest.ts';
import { TimestampReader } from './TimestampReader.ts';
import { PRICE_LIMIT } from './TickSeries.ts';

/** The ticks of a body, and the offsets of its timestamps. */
export type ScannedTicks = TickRequest & {
  readonly stamps: {
    readonly bytes: Uint8Array;
    /** Index of the first character of each distinct timestamp, in order; the last is the future one. */
    readonly starts: Int32Array;
    /** Characters of each timestamp without its quotes. */
    readonly length: number;
  };
};

const BLANK = 32;
const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const TIMESTAMP_KEY = Buffer.from('"Timestamp"');
const PRICE_KEY = Buffer.from('"Price"');

/** An integer of fifteen digits is exact as a double. */
const MAX_DIGITS = 15;
/** All powers of ten up to 10^22 are exact as doubles; fifteen digits need at most 10^15. */
const POWERS = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** Reused by every scan, which copies its result before it returns. */
const timesUs = new Float64Array(MAX_ENTRIES);
const prices = new Float64Array(MAX_ENTRIES);
const starts = new Int32Array(MAX_ENTRIES);

/** End and result of the scan of one list; `at` < 0 if the list does not have the plain format. */
type Scan = { at: number; count: number; distinct: number; length: number };

/**
 * Fast path from the bytes of a body to its ticks, without intermediate JSON values. It handles bodies that contain only `Timestamp` and
 * `Price`, with ascending timestamps of one format (same length, same separators, at most six digits of fraction) and plain decimal
 * prices. The result equals that of JSON.parse, the schema and `parseTickRequest`. For all other bodies, valid or not, it returns
 * undefined, and the general path validates them.
 */
export function scanTickBody(body: Uint8Array): ScannedTicks | undefined {
  // V8 sees Buffers from a socket and other Buffers as different shapes; one shape avoids recompiled, slower code below.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return undefined;
  let stamps: Scan | undefined;
  let listed: Scan | undefined;
  for (let member = 0; member < 2; member++) {
    at = skipSpace(bytes, at + 1);
    const isStamps = stamps === undefined && startsWith(bytes, at, TIMESTAMP_KEY);
    if (!isStamps && (listed !== undefined || !startsWith(bytes, at, PRICE_KEY))) return undefined;
    at = skipSpace(bytes, at + (isStamps ? TIMESTAMP_KEY : PRICE_KEY).length);
    if (bytes[at] !== COLON) return undefined;
    at = skipSpace(bytes, at + 1);
    if (bytes[at] !== OPEN_LIST) return undefined;
    const scan = isStamps ? scanStamps(bytes, at + 1) : scanPrices(bytes, at + 1);
    if (scan.at < 0) return undefined;
    if (isStamps) stamps = scan;
    else listed = scan;
    at = skipSpace(bytes, scan.at);
    if (bytes[at] !== (member === 0 ? COMMA : CLOSE_OBJECT)) return undefined;
  }
  if (stamps === undefined || listed === undefined || skipSpace(bytes, at + 1) !== bytes.length) return undefined;
  const { count, distinct, length } = stamps;
  const future = count - 1;
  if (count < MIN_ENTRIES || listed.count !== count || prices[future] !== 0) return undefined;
  // Only the last price may be 0, and only the last timestamp must differ from the one before it.
  for (let i = 0; i < future; i++) if (prices[i] === 0) return undefined;
  if (!(timesUs[future]! > timesUs[future - 1]!)) return undefined;
  return {
    series: { timesUs: timesUs.slice(0, future), prices: prices.slice(0, future) },
    futureUs: timesUs[future]!,
    stamps: { bytes, starts: starts.slice(0, distinct), length },
  };
}

const FAILED: Scan = { at: -1, count: 0, distinct: 0, length: 0 };

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let c = bytes[at]!; c === 32 || c === 10 || c === 13 || c === 9; c = bytes[at]!) at++;
  return at;
}

function startsWith(bytes: Uint8Array, from: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text[i]) return false;
  return true;
}

/** Scans from after the opening bracket; the result's `at` is after the closing bracket. */
function scanStamps(bytes: Uint8Array, from: number): Scan {
  let at = skipSpace(bytes, from);
  if (bytes[at] !== QUOTE) return FAILED;
  const reader = new TimestampReader(bytes, at + 1);
  const { length } = reader;
  if (length === 0) return FAILED;
  let previousUs = -1;
  let distinct = 0;
  for (let count = 0; count < MAX_ENTRIES;) {
    const start = at + 1;
    const timeUs = bytes[at] === QUOTE && bytes[start + length] === QUOTE ? reader.timeUs(start) : -1;
    if (timeUs < previousUs || timeUs < 0) return FAILED;
    // With one format and at most six digits, equal times have equal text.
    if (timeUs !== previousUs) starts[distinct++] = start;
    previousUs = timeUs;
    timesUs[count++] = timeUs;
    at = start + length + 1;
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct, length };
    if (bytes[at++] !== COMMA) return FAILED;
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
  }
  return FAILED;
}

/** Scans JSON numbers without sign or exponent, at most 15 digits: digits and power of ten are exact, and one division rounds once. */
function scanPrices(bytes: Uint8Array, from: number): Scan {
  let at = skipSpace(bytes, from);
  for (let count = 0; count < MAX_ENTRIES;) {
    const start = at;
    let digits = 0;
    let c = bytes[at]! - ZERO;
    while (c >= 0 && c <= 9) {
      digits = digits * 10 + c;
      c = bytes[++at]! - ZERO;
    }
    const whole = at - start;
    if (whole === 0 || (whole > 1 && bytes[start] === ZERO)) return FAILED;
    let decimals = 0;
    if (c + ZERO === POINT) {
      const point = at;
      c = bytes[++at]! - ZERO;
      while (c >= 0 && c <= 9) {
        digits = digits * 10 + c;
        c = bytes[++at]! - ZERO;
      }
      decimals = at - point - 1;
      if (decimals === 0) return FAILED;
    }
    if (whole + decimals > MAX_DIGITS) return FAILED;
    const price = digits / POWERS[decimals]!;
    if (price >= PRICE_LIMIT) return FAILED;
    prices[count++] = price;
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return { at: at + 1, count, distinct: 0, length: 0 };
    if (bytes[at++] !== COMMA) return FAILED;
    if (bytes[at]! <= BLANK) at = skipSpace(bytes, at);
  }
  return FAILED;
}
