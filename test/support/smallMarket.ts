import { HOURS_PER_WEEK, MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';
import type { MarketFile } from '../../src/engine/model/MarketModel.ts';

/** 2023-01-02, a Monday, microseconds. */
const FROM_US = 1_672_617_600_000_000;
const WEEK_US = 604_800_000_000;

const WEIGHTS = { intercept: -0.2, base: 0.9, clock: 0.7, level: 0.5 };

/** A market that is open all week and twice as lively in the second half of the day; its weeks end before those of `tickRequest`. */
export function smallMarket(over: Partial<MarketFile> = {}): MarketFile {
  const head = {
    fresh: WEIGHTS,
    aged: { ...WEIGHTS, level: 0 },
    cut: 0.1,
    recent: { weights: { ...WEIGHTS, recent: 0.8 }, cut: 0.1 },
  };
  return {
    format: 'tickmark-market/2',
    fromUs: FROM_US,
    toUs: FROM_US + 51 * WEEK_US,
    daylight: 'none',
    shape: Array.from({ length: MINUTES_PER_DAY }, (_, minute) => (minute < MINUTES_PER_DAY / 2 ? 0.5 : 1.5)),
    openHours: Array<number>(HOURS_PER_WEEK).fill(1),
    level: 1e-5,
    windowRatio: 0.2,
    levelFallsFromUs: FROM_US + 59 * WEEK_US,
    levelEndsUs: FROM_US + 63 * WEEK_US,
    clockEndsUs: FROM_US + 70 * WEEK_US,
    heads: [head, head, head, head],
    ...over,
  };
}
