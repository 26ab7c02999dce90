import { US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import { TIME_STEPS } from './TimeScale.ts';

export type Candle = {
  readonly fromMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
};

const LEAST_PX = 7;

/** The time of a candle, wide enough to be seen, and of bars no less than theirs. */
export function candleStep(msPerPx: number, { bars }: Pick<TickSeries, 'bars'>): number {
  const least = Math.max(LEAST_PX * msPerPx, bars?.periodMs ?? 0);
  return TIME_STEPS.find((step) => step >= least) ?? TIME_STEPS.at(-1)!;
}

/** The ticks or bars from one to another in candles of the clock. */
export function candlesOf({ timesUs, prices, bars }: TickSeries, from: number, to: number, stepMs: number): readonly Candle[] {
  const candles: { fromMs: number; open: number; high: number; low: number; close: number }[] = [];
  const { open: opens = prices, high: highs = prices, low: lows = prices } = bars?.ranges ?? {};
  for (let at = from; at <= to; at++) {
    // A bar is stamped at its end.
    const beginMs = timesUs[at] / US_PER_MS - (bars?.periodMs ?? 0);
    const fromMs = Math.floor(beginMs / stepMs) * stepMs;
    const last = candles.at(-1);
    if (last?.fromMs !== fromMs) candles.push({ fromMs, open: opens[at], high: highs[at], low: lows[at], close: prices[at] });
    else {
      last.high = Math.max(last.high, highs[at]);
      last.low = Math.min(last.low, lows[at]);
      last.close = prices[at];
    }
  }
  return candles;
}
