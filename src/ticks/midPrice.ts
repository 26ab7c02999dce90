/** Of bid and ask, rounded to 9 decimals as in every file that is read: the same quotes give the same prices from a file and over HTTP. */
export function midPrice(bid: number, ask: number): number {
  return Math.round(((bid + ask) / 2) * 1e9) / 1e9;
}

/** Smallest sum of bid and ask whose mid is not rounded to 0. */
export const LEAST_QUOTE_SUM = 1e-9;
