/** Least and greatest value shown on an axis, least < greatest, both finite. */
export type Domain = readonly [number, number];

/** Beyond this a value is not drawn: differences of such values lose their meaning, or overflow. */
const LARGEST_DRAWN = 1e12;

export const isDrawable = (value: number): boolean => Math.abs(value) <= LARGEST_DRAWN;

/** The span of the values that can be drawn, widened where it is nothing; undefined where there are none. */
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

/** From a value to a place between `from` and `to`; values outside the domain are put at its edge. */
export function linearScale([low, high]: Domain, from: number, to: number): (value: number) => number {
  return (value) => from + ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (to - from);
}

/** A coordinate as SVG takes it, to a hundredth of a pixel. */
export function place(coordinate: number): string {
  return String(Number(coordinate.toFixed(2)) || 0);
}
