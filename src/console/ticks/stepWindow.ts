import { US_PER_MS } from './TickSeries.ts';
import { firstAtOrAfter, lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { ENTRY_DELAY_US } from './labelOutcome.ts';

/**
 * The last tick of the window after the one that ends at `origin`: the first tick at least horizon + 1 s later, so that no two windows share a
 * stretch of their outcomes (the models are tested on windows as far apart). Null where the ticks end before.
 */
export function nextOrigin(timesUs: Float64Array, origin: number, horizonMs: number): number | null {
  const at = firstAtOrAfter(timesUs, timesUs[origin] + horizonMs * US_PER_MS + ENTRY_DELAY_US, origin + 1);
  return at < timesUs.length ? at : null;
}

/** The same backwards; null where fewer than `count` ticks are left before. */
export function previousOrigin(timesUs: Float64Array, origin: number, horizonMs: number, count: number): number | null {
  const at = lastAtOrBefore(timesUs, timesUs[origin] - horizonMs * US_PER_MS - ENTRY_DELAY_US);
  return at >= count - 1 ? at : null;
}

/**
 * Indices of at most about `most` ticks of `[from, to]` that draw the same picture: of each of equal stretches its first, lowest, highest and last,
 * in order. All of them where there are no more.
 */
export function thinTicks(prices: Float64Array, from: number, to: number, most: number): Uint32Array {
  const count = to - from + 1;
  if (count <= most) return Uint32Array.from({ length: Math.max(0, count) }, (_, i) => from + i);
  const stretches = Math.max(1, Math.floor(most / 4));
  const kept: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const first = from + Math.floor((stretch * count) / stretches);
    const end = from + Math.floor(((stretch + 1) * count) / stretches);
    let [low, high] = [first, first];
    for (let i = first + 1; i < end; i++) {
      if (prices[i] < prices[low]) low = i;
      if (prices[i] > prices[high]) high = i;
    }
    for (const at of [first, Math.min(low, high), Math.max(low, high), end - 1]) if (kept.length === 0 || at > kept.at(-1)!) kept.push(at);
  }
  return Uint32Array.from(kept);
}
