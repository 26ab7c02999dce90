/** 10^0 to 10^22 are exact as doubles. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
/** A scaled value so near to a half may be on its other side before it was scaled. */
const NEAR_HALF = 1e-5;
/** Scaled values above it are too coarse for that. */
const MOST_DIGITS = 10;

/** `Number(value.toPrecision(digits))`, up to ten times as fast. */
export function roundTo(value: number, digits: number): number {
  const size = Math.abs(value);
  const shift = digits - 1 - Math.floor(Math.log10(size));
  if (digits <= MOST_DIGITS && shift >= 0 && shift < POWERS.length) {
    const scaled = value * POWERS[shift];
    const whole = Math.round(scaled);
    const isFull = Math.abs(whole) >= POWERS[digits - 1] && Math.abs(whole) <= POWERS[digits];
    // A whole number divided by an exact power of ten is the double nearest to that decimal.
    if (isFull && Math.abs(Math.abs(scaled - whole) - 0.5) > NEAR_HALF) return whole / POWERS[shift];
  }
  return Number(value.toPrecision(digits));
}
