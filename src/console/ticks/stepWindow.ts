import { ENTRY_DELAY_US } from './labelOutcome.ts';
import { firstAtOrAfter, lastAtOrBefore } from './searchTimestamps.ts';
import { US_PER_MS } from './TickSeries.ts';

/**
 * The last tick of the window after the one that ends at `origin`: the first tick at least horizon + 1 s later, so that no two windows share a
 * stretch of their outcomes (the models are tested on windows as far apart). Null where the ticks end before.
 */
export function nextOrigin(timesUs: Float64Array, origin: number, horizonMs: number): number | null {
  const at = firstAtOrAfter(timesUs, timesUs[origin]! + horizonMs * US_PER_MS + ENTRY_DELAY_US, origin + 1);
  return at < timesUs.length ? at : null;
}

/** The same backwards; null where fewer than `count` ticks are left before. */
export function previousOrigin(timesUs: Float64Array, origin: number, horizonMs: number, count: number): number | null {
  const at = lastAtOrBefore(timesUs, timesUs[origin]! - horizonMs * US_PER_MS - ENTRY_DELAY_US);
  return at >= count - 1 ? at : null;
}
