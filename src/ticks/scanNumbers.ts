const BLANK = 32;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const CLOSE_LIST = 93;
const LOWER_E = 101;

/** An integer of fifteen digits is exact as a double, and so is each power of ten up to 10^22. */
const EXACT_DIGITS = 15;
const MAX_POWER = 22;
const POWERS = Float64Array.from({ length: MAX_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`));
/** Digits that JavaScript and Python write at most. */
const MAX_DIGITS = 17;
/** The first digits of a long number: times a power of ten up to 10^9, they are exact. */
const HEAD_DIGITS = 8;
/** Splits a double into two halves whose products are exact (Veltkamp). */
const SPLITTER = 2 ** 27 + 1;
/** Far more than the relative error of the correction of a quotient. */
const DOUBT = 2 ** -40;

/** Index after white space of JSON. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let c = bytes[at]; c === 32 || c === 10 || c === 13 || c === 9; c = bytes[at]) at++;
  return at;
}

/** End and length of a list; `at` < 0 if it cannot be scanned. */
export type NumberList = { readonly at: number; readonly count: number };
const FAILED: NumberList = { at: -1, count: 0 };

/**
 * Scans a list of JSON numbers without a minus, from after its opening bracket, into `values`, which it may fill but not exceed. Each equals
 * that of JSON.parse bit for bit. The result's `at` is after the closing bracket.
 */
export function scanNumbers(bytes: Uint8Array, from: number, values: Float64Array): NumberList {
  let at = skipSpace(bytes, from);
  for (let count = 0; count < values.length;) {
    const start = at;
    let digits = 0;
    let c = bytes[at] - ZERO;
    while (c >= 0 && c <= 9) {
      digits = digits * 10 + c;
      c = bytes[++at] - ZERO;
    }
    const whole = at - start;
    if (whole === 0 || (whole > 1 && bytes[start] === ZERO)) return FAILED;
    let decimals = 0;
    if (c + ZERO === POINT) {
      const point = at;
      c = bytes[++at] - ZERO;
      while (c >= 0 && c <= 9) {
        digits = digits * 10 + c;
        c = bytes[++at] - ZERO;
      }
      decimals = at - point - 1;
      if (decimals === 0) return FAILED;
    }
    if (((c + ZERO) | 32) === LOWER_E) {
      const end = exponentEnd(bytes, at + 1);
      if (end < 0) return FAILED;
      values[count++] = scaled(bytes, start, at, end, exponentOf(bytes, at + 1, end) - decimals);
      at = end;
    } else if (whole + decimals > EXACT_DIGITS) values[count++] = scaled(bytes, start, at, at, -decimals);
    // Digits and power of ten are exact, and one division rounds once.
    else values[count++] = digits / POWERS[decimals];
    if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_LIST) return { at: at + 1, count };
    if (bytes[at++] !== COMMA) return FAILED;
    if (bytes[at] <= BLANK) at = skipSpace(bytes, at);
  }
  return FAILED;
}

/** Index after the sign and digits of an exponent; -1 if there is no digit. */
function exponentEnd(bytes: Uint8Array, from: number): number {
  const first = bytes[from] === PLUS || bytes[from] === MINUS ? from + 1 : from;
  let at = first;
  while (bytes[at] >= ZERO && bytes[at] <= ZERO + 9) at++;
  return at === first ? -1 : at;
}

function exponentOf(bytes: Uint8Array, from: number, end: number): number {
  let exponent = 0;
  for (let at = from; at < end; at++) if (bytes[at] >= ZERO) exponent = exponent * 10 + bytes[at] - ZERO;
  return bytes[from] === MINUS ? -exponent : exponent;
}

/** The digits from `start` to `end`, as an integer, times 10^power; `textEnd` is the end of the whole number. */
function scaled(bytes: Uint8Array, start: number, end: number, textEnd: number, power: number): number {
  let head = 0;
  let rest = 0;
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at] - ZERO;
    // Neither the point nor zeros before the first other digit.
    if (digit < 0 || (count === 0 && digit === 0)) continue;
    if (count++ < HEAD_DIGITS) head = head * 10 + digit;
    else rest = rest * 10 + digit;
  }
  if (count > MAX_DIGITS || power > MAX_POWER || power < -MAX_POWER) return parsed(bytes, start, textEnd);
  const high = head * POWERS[Math.max(0, count - HEAD_DIGITS)];
  if (count <= EXACT_DIGITS) return power > 0 ? (high + rest) * POWERS[power] : (high + rest) / POWERS[-power];
  if (power > 0) return parsed(bytes, start, textEnd);
  const value = longQuotient(high, rest, POWERS[-power]);
  return Number.isNaN(value) ? parsed(bytes, start, textEnd) : value;
}

/** (high + low) / divisor, rounded once; NaN if it lies too near to the middle of two doubles to tell. */
function longQuotient(high: number, low: number, divisor: number): number {
  const sum = high + low;
  const lost = low - (sum - high);
  const quotient = sum / divisor;
  const product = quotient * divisor;
  const remainder = sum - product - productError(quotient, divisor, product) + lost;
  const correction = remainder / divisor;
  const value = quotient + correction * (1 - DOUBT);
  return value === quotient + correction * (1 + DOUBT) ? value : NaN;
}

/** a * b - product, exactly, where product is a * b rounded (Dekker). */
function productError(a: number, b: number, product: number): number {
  const [bigA, bigB] = [SPLITTER * a, SPLITTER * b];
  const aHigh = bigA - (bigA - a);
  const bHigh = bigB - (bigB - b);
  const [aLow, bLow] = [a - aHigh, b - bHigh];
  return aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow;
}

/** The rare rest, by the engine itself. */
function parsed(bytes: Uint8Array, from: number, end: number): number {
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString('latin1'));
}
