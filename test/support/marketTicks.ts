import { seededRandom } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** 2023-01-02, a Monday, seconds. */
const MONDAY_S = 1_672_617_600;
const DAY_S = 86_400;
const HOUR_S = 3600;

export type MarketTicksOptions = {
  readonly seed: number;
  readonly weeks: number;
  /** Mean time between two ticks, seconds. */
  readonly gapS: number;
  /** Volatility by hour of the day, relative to the usual one; default: a quiet night and a busy afternoon. */
  readonly shape?: (hour: number) => number;
  /** Whether the market is open in an hour of the week, Monday 00 first; default: Sunday 22:00 to Friday 22:00. */
  readonly isOpen?: (hour: number) => boolean;
  /** Added to each time, seconds: stamps in local time. */
  readonly offsetS?: number;
  readonly price?: number;
};

const aroundTheClock = (hour: number): boolean => hour < 4 * 24 + 22 || hour >= 6 * 24 + 22;
export const busyAfternoon = (hour: number): number => 1 + 0.85 * Math.sin((2 * Math.PI * (hour - 8)) / 24);

/** A random walk whose volatility follows the time of day, with regimes of half an hour. */
export function marketTicks(options: MarketTicksOptions): TickSeries {
  const { seed, weeks, gapS, shape = busyAfternoon, isOpen = aroundTheClock, offsetS = 0, price = 100 } = options;
  const random = seededRandom(seed);
  const timesUs: number[] = [];
  const prices: number[] = [];
  let logPrice = Math.log(price);
  let regime = 1;
  let regimeEndS = 0;
  for (let atS = 0; atS < weeks * 7 * DAY_S; atS += -gapS * Math.log(1 - random.uniform())) {
    const hour = Math.floor(atS / HOUR_S);
    if (!isOpen(hour % 168)) {
      atS = (hour + 1) * HOUR_S;
      continue;
    }
    if (atS >= regimeEndS) {
      regimeEndS = atS + 1800;
      regime = Math.exp(0.4 * random.normal());
    }
    logPrice += 1e-4 * regime * shape((atS / HOUR_S) % 24) * Math.sqrt(gapS) * random.normal();
    timesUs.push(Math.floor((MONDAY_S + offsetS + atS) * 1000) * 1000);
    prices.push(Math.round(Math.exp(logPrice) * 1e5) / 1e5);
  }
  return { timesUs: Float64Array.from(timesUs), prices: Float64Array.from(prices) };
}
