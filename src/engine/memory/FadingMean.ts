import type { ByteReader } from './bytes.ts';

/** A mean over the first values, as many as `most` says; from then on, older ones fade by the factor 1 - 1 / most. */
export type FadingMean = { readonly seen: number; readonly mean: number };

export const NOTHING_SEEN: FadingMean = { seen: 0, mean: 0 };

export function withValue({ seen, mean }: FadingMean, value: number, most: number): FadingMean {
  const count = Math.min(most, seen + 1);
  return { seen: count, mean: mean + (value - mean) / count };
}

/** After values of 0, however many they are. */
export function withZeros({ seen, mean }: FadingMean, zeros: number, most: number): FadingMean {
  const first = Math.min(zeros, most - seen);
  const filled = first === 0 ? mean : mean * (seen / (seen + first));
  return { seen: seen + first, mean: filled * power(1 - 1 / most, zeros - first) };
}

/** `what`: names it in the message of a RangeError. */
export function loadMean(from: ByteReader, what: string, most: number): FadingMean {
  const [seen, mean] = [from.count(`values of ${what}`, most), from.number(what, 0, Number.MAX_VALUE)];
  from.check(seen > 0 || mean === 0, `${what} is ${mean}, of no value`);
  return { seen, mean };
}

/** By squares: its bits are the same in every browser, which Math.pow does not promise. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let [square, left] = [base, exponent]; left > 0; square *= square) {
    if (left % 2 === 1) result *= square;
    left = Math.floor(left / 2);
  }
  return result;
}
