import type { WindowMeasures } from '../features/WindowMeasures.ts';

/** Sums over the price changes r_k between neighbouring ticks of a stretch, log price. */
export type ChangeSums = {
  /** Changes, those of 0 included. */
  readonly changes: number;
  readonly ups: number;
  readonly downs: number;
  /** Of the rises, and of the falls as a positive number. */
  readonly rise: number;
  readonly fall: number;
  /** r_k^2, r_k r_k-1, |r_k| |r_k-1|, and (r_k + .. + r_k-4)^2. */
  readonly squares: number;
  readonly lagged: number;
  readonly bipower: number;
  readonly fives: number;
};

export type PathSums = {
  readonly window: ChangeSums;
  /** Over the last `recentS` seconds: one horizon, but at least the last 20 ticks and at most the window. */
  readonly recent: ChangeSums;
  readonly recentS: number;
  /** Log price at the beginning of the recent stretch. */
  readonly recentFrom: number;
};

/** Fewest ticks of the recent stretch. */
const MIN_TICKS = 20;
/** Changes that `fives` adds up. */
export const FIVE = 5;

/** One pass over the window for all predicates that look at its path. O(n), allocates the same whatever n is. */
export function pathSums({ timesS, logPrices, horizonS }: WindowMeasures): PathSums {
  const n = logPrices.length;
  const twentieth = n < MIN_TICKS ? -Infinity : (timesS[n - MIN_TICKS] as number);
  let from = n - 1;
  const earliest = Math.min(-horizonS, twentieth);
  while (from > 0 && (timesS[from - 1] as number) >= earliest) from--;
  const start = Math.max(0, from);
  const recent = sumChanges(logPrices, start, n);
  return {
    window: start === 0 ? recent : sumChanges(logPrices, 0, n),
    recent,
    recentS: n === 0 ? 0 : -(timesS[start] as number),
    recentFrom: logPrices[start] ?? 0,
  };
}

function sumChanges(logPrices: Float64Array, from: number, to: number): ChangeSums {
  let [ups, downs, rise, fall, squares, lagged, bipower, fives] = [0, 0, 0, 0, 0, 0, 0, 0];
  let before = 0;
  for (let i = from + 1; i < to; i++) {
    const r = (logPrices[i] as number) - (logPrices[i - 1] as number);
    if (r > 0) {
      ups++;
      rise += r;
    } else if (r < 0) {
      downs++;
      fall -= r;
    }
    squares += r * r;
    const product = r * before;
    lagged += product;
    bipower += Math.abs(product);
    before = r;
    if (i - from >= FIVE) {
      const five = (logPrices[i] as number) - (logPrices[i - FIVE] as number);
      fives += five * five;
    }
  }
  return { changes: Math.max(0, to - from - 1), ups, downs, rise, fall, squares, lagged, bipower, fives };
}
