const ZERO = 48;
const POINT = 46;
/** Up to here, an integer times 10 plus a digit is exact as a double. */
const MAX_EXACT = 900_719_925_474_099;
/** 10^22 is the largest power of ten that is exact as a double. */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;

/**
 * Parses a decimal number in ASCII bytes [from, to) to the nearest double, like `Number` on the same text (with `.` for `point`). Digits
 * with at most one point take the fast path: digits and power of ten are both exact, and one division rounds once (Clinger, "How to read
 * floating point numbers accurately"). Signs, exponents and long digit strings are parsed by `Number`.
 *
 * @returns NaN if the bytes are not a decimal number (also for blanks, hexadecimal, `NaN`, `Infinity` and empty input)
 */
export function parsePriceBytes(bytes: Uint8Array, from: number, to: number, point = POINT): number {
  let digits = 0;
  let pointAt = -1;
  for (let at = from; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >= 0 && digit <= 9 && digits < MAX_EXACT) digits = digits * 10 + digit;
    else if (digit + ZERO === point && pointAt < 0) pointAt = at;
    else return parseSlowly(bytes, from, to, point);
  }
  const decimals = pointAt < 0 ? 0 : to - pointAt - 1;
  if (to - from === (pointAt < 0 ? 0 : 1) || decimals >= POWERS.length) return parseSlowly(bytes, from, to, point);
  return digits / POWERS[decimals];
}

function parseSlowly(bytes: Uint8Array, from: number, to: number, point: number): number {
  // Limits the time that a hostile input can cost; no price needs as many digits.
  if (to - from > 400) return NaN;
  let text = '';
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    // With a decimal comma, a point separates thousands, which is not accepted.
    if (byte === POINT && point !== POINT) return NaN;
    text += byte === point ? '.' : String.fromCharCode(byte);
  }
  return PLAIN_NUMBER.test(text) ? Number(text) : NaN;
}
