import { US_PER_MS } from '../../src/core/units.ts';

/** Index of the first tick whose timestamp, cut to ms, is at or after `ms`; the length if there is none. Starts at index `from`. */
export function firstAtOrAfter(timesUs: Float64Array, ms: number, from = 0): number {
  // floor(us / 1000) >= ms is equivalent to us >= 1000 * ceil(ms).
  const us = Math.ceil(ms) * US_PER_MS;
  let low = from;
  let high = timesUs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Index of the last tick whose timestamp, cut to ms, is at or before `ms` (the last of equal timestamps); `from` − 1 if there is none from
 * `from` on.
 */
export function lastAtOrBefore(timesUs: Float64Array, ms: number, from = 0): number {
  return firstAtOrAfter(timesUs, Math.floor(ms) + 1, from) - 1;
}
