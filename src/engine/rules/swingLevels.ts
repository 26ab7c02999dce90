import type { WindowMeasures } from '../features/WindowMeasures.ts';

/** A price at which swings reversed. `logPrice` is relative to the last price; `halfWidth` is half the spread of its touches, log price. */
export type SwingLevel = { readonly logPrice: number; readonly halfWidth: number; readonly touches: number };

/** Nearest first. A level at the last price itself counts as resistance. */
export type SwingLevels = { readonly supports: readonly SwingLevel[]; readonly resistances: readonly SwingLevel[] };

/** Maximum of recent swings that are used, and of levels kept on each side. */
const MAX_SWINGS = 128;
const MAX_LEVELS_A_SIDE = 4;
/** A random walk has about this many swings in a window of any length. */
const EXPECTED_SWINGS = 64;

/**
 * Finds support and resistance from the window's swing points.
 *
 * A swing is a high or low from which the price reversed by at least `delta = max(sigma(whole) sqrt(W / 64), c)`
 * (zigzag with a threshold: a random walk reverses by delta about W sigma^2 / delta^2 times). Swings are sorted by price and
 * clustered from below, each cluster no wider than delta / 2. A cluster is a level at the mean of its swings, touched once per swing.
 * O(n + s log s) time for n ticks and s <= 128 swings; memory does not depend on n.
 */
export function swingLevels(measures: WindowMeasures): SwingLevels {
  const sigma = measures.sigmas[3];
  const delta = Math.max(sigma * Math.sqrt(measures.windowS / EXPECTED_SWINGS), measures.cost);
  if (!(delta > 0) || !Number.isFinite(delta)) return { supports: [], resistances: [] };
  const swings = new Float64Array(MAX_SWINGS);
  const found = findSwings(measures.logPrices, delta, swings);
  const sorted = swings.subarray(0, Math.min(found, MAX_SWINGS)).sort();
  const levels = clusterLevels(sorted, delta / 2);
  const split = levels.findIndex((level) => level.logPrice >= 0);
  const firstAbove = split < 0 ? levels.length : split;
  return {
    supports: levels.slice(Math.max(0, firstAbove - MAX_LEVELS_A_SIDE), firstAbove).reverse(),
    resistances: levels.slice(firstAbove, firstAbove + MAX_LEVELS_A_SIDE),
  };
}

/** Writes the log prices of confirmed swings into the ring `into` and returns their number. The first tick is not a reversal. */
function findSwings(logPrices: Float64Array, delta: number, into: Float64Array): number {
  const first = logPrices[0] ?? 0;
  let high = first;
  let low = first;
  let direction = 0;
  let found = 0;
  for (let i = 0; i < logPrices.length; i++) {
    const logPrice = logPrices[i];
    if (logPrice > high) high = logPrice;
    if (logPrice < low) low = logPrice;
    if (direction >= 0 && high - logPrice >= delta) {
      if (direction !== 0 || high !== first) into[found++ % into.length] = high;
      direction = -1;
      low = logPrice;
      high = logPrice;
    } else if (direction <= 0 && logPrice - low >= delta) {
      if (direction !== 0 || low !== first) into[found++ % into.length] = low;
      direction = 1;
      high = logPrice;
      low = logPrice;
    }
  }
  return found;
}

function clusterLevels(sorted: Float64Array, width: number): SwingLevel[] {
  const levels: SwingLevel[] = [];
  let from = 0;
  while (from < sorted.length) {
    const lowest = sorted[from];
    let sum = 0;
    let to = from;
    // At least one, so that the loop ends even if a difference is NaN.
    do sum += sorted[to++];
    while (to < sorted.length && sorted[to] - lowest <= width);
    const highest = sorted[to - 1];
    levels.push({ logPrice: sum / (to - from), halfWidth: (highest - lowest) / 2, touches: to - from });
    from = to;
  }
  return levels;
}
