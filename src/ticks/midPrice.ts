/** The largest power of ten that is exact as a double. */
const MAX_SCALE = 1e22;

/**
 * Of bid and ask, rounded to 9 decimals, below 1 to 9 digits behind the leading zeros: what a sum of doubles leaves behind goes, a move of the
 * cheapest token does not. The same quotes give the same prices from a file, over HTTP and live.
 */
export function midPrice(bid: number, ask: number): number {
  const mid = (bid + ask) / 2;
  let scale = 1e9;
  for (let digit = mid; digit < 1 && scale < MAX_SCALE; digit *= 10) scale *= 10;
  return scale < MAX_SCALE ? Math.round(mid * scale) / scale : mid;
}
