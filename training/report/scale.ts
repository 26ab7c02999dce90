/** Least and greatest value shown on an axis, least < greatest, both finite. */
export type Domain = readonly [number, number];

/** Larger values are not drawn: their differences lose precision or overflow. */
const LARGEST_DRAWN = 1e12;

export const isDrawable = (value: number): boolean => Math.abs(value) <= LARGEST_DRAWN;

/** The domain of the values that can be drawn, widened if it is empty; undefined without such values. */
export function domainOf(values: Iterable<number>): Domain | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (!isDrawable(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return undefined;
  const least = 1e-6 * Math.max(Math.abs(low), Math.abs(high), 1);
  return high - low >= least ? [low, high] : [low - least, high + least];
}

/** Maps a value to a position between `from` and `to`; values outside the domain are clamped. */
export function linearScale([low, high]: Domain, from: number, to: number): (value: number) => number {
  return (value) => from + ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (to - from);
}

/** An SVG coordinate, rounded to a hundredth of a pixel. */
export function place(coordinate: number): string {
  return String(Number(coordinate.toFixed(2)) || 0);
}
