import type { WindowMeasures } from '../features/WindowMeasures.ts';

/** Sums over the log price changes r_k between adjacent ticks of a section of the window. */
type ChangeSums = {
  /** Number of changes, including changes of 0. */
  readonly changes: number;
  readonly ups: number;
  readonly downs: number;
  /** Sum of the rises, and of the falls as a positive number. */
  readonly rise: number;
  readonly fall: number;
  /** r_k^2. */
  readonly squares: number;
};

export type PathSums = {
  readonly window: ChangeSums & {
    /** r_k r_k-1, |r_k| |r_k-1|, and (r_k + .. + r_k-4)^2. */
    readonly lagged: number;
    readonly bipower: number;
    readonly fives: number;
  };
  /** Over the last `recentS` seconds: one horizon, but at least the last 20 ticks and at most the window. */
  readonly recent: ChangeSums;
  readonly recentS: number;
  /** Log price at the start of the recent section. */
  readonly recentFrom: number;
  /** Highest and lowest log price older than H' = min(H, W/20); infinite if there is none. */
  readonly olderHigh: number;
  readonly olderLow: number;
  /** Highest and lowest log price of the window, and the longest time at one price, seconds. */
  readonly high: number;
  readonly low: number;
  readonly longestStillS: number;
};

/** Minimum of ticks in the recent section. */
const MIN_TICKS = 20;
/** Number of changes that each term of `fives` adds up. */
export const SUM_LENGTH = 5;

/** Computes sums over the window's path that several predicates need. O(n) time; memory does not depend on n. */
export function pathSums({ timesS, logPrices, horizonS, windowS }: WindowMeasures): PathSums {
  const n = logPrices.length;
  const earliest = Math.min(-horizonS, n < MIN_TICKS ? -Infinity : timesS[n - MIN_TICKS]);
  let from = Math.max(0, n - 1);
  while (from > 0 && timesS[from - 1] >= earliest) from--;
  const recent = { changes: Math.max(0, n - 1 - from), ups: 0, downs: 0, rise: 0, fall: 0, squares: 0 };
  const older = { changes: from, ups: 0, downs: 0, rise: 0, fall: 0, squares: 0 };
  const newest = -Math.min(horizonS, windowS / 20);
  let olderHigh = -Infinity;
  let olderLow = Infinity;
  for (let i = 0; i < n && timesS[i] < newest; i++) {
    const logPrice = logPrices[i];
    if (logPrice > olderHigh) olderHigh = logPrice;
    if (logPrice < olderLow) olderLow = logPrice;
  }
  let lagged = 0;
  let bipower = 0;
  let fives = 0;
  let before = 0;
  let price = logPrices[0] ?? 0;
  let high = price;
  let low = price;
  let longestStillS = 0;
  let sinceS = timesS[0] ?? 0;
  for (let i = 1; i < n; i++) {
    const next = logPrices[i];
    const r = next - price;
    price = next;
    if (r !== 0) {
      const sums = i > from ? recent : older;
      if (r > 0) {
        sums.ups++;
        sums.rise += r;
        if (next > high) high = next;
      } else {
        sums.downs++;
        sums.fall -= r;
        if (next < low) low = next;
      }
      sums.squares += r * r;
      const product = r * before;
      lagged += product;
      bipower += product < 0 ? -product : product;
      // A price is held until the stamp of the next one.
      const changedS = timesS[i];
      if (changedS - sinceS > longestStillS) longestStillS = changedS - sinceS;
      sinceS = changedS;
    }
    before = r;
    if (i >= SUM_LENGTH) {
      const five = next - logPrices[i - SUM_LENGTH];
      fives += five * five;
    }
  }
  const window = {
    changes: Math.max(0, n - 1),
    ups: older.ups + recent.ups,
    downs: older.downs + recent.downs,
    rise: older.rise + recent.rise,
    fall: older.fall + recent.fall,
    squares: older.squares + recent.squares,
    lagged,
    bipower,
    fives,
  };
  return {
    window,
    recent,
    recentS: n === 0 ? 0 : -timesS[from],
    recentFrom: logPrices[from] ?? 0,
    olderHigh,
    olderLow,
    high,
    low,
    longestStillS: Math.max(longestStillS, -sinceS),
  };
}
