import { US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSink } from '../../src/ticks/TickSink.ts';

/** Prices at the end of each bar that contains a tick: `index` counts bars of `barS` seconds since 1970 UTC, ascending. */
export type Bars = { readonly barS: number; readonly index: Int32Array; readonly close: Float64Array };

export const FINE_BAR_S = 5;
export const COARSE_BAR_S = 60;
/** From this span on, in seconds, bars are one minute long. */
const COARSE_FROM_S = 2 * 3600;

/** Collects bars from blocks of ticks: bars of 60 s if the ticks span at least two hours, else of 5 s. Holds only the bars in memory. */
export class BarCloses implements TickSink {
  #barUs = FINE_BAR_S * US_PER_SECOND;
  #coarseFromUs = -1;
  #index: number[] = [];
  #close: number[] = [];

  add(timesUs: Float64Array, prices: Float64Array): void {
    if (this.#coarseFromUs < 0) this.#coarseFromUs = (timesUs[0] ?? 0) + COARSE_FROM_S * US_PER_SECOND;
    let last = this.#index.at(-1) ?? -1;
    for (let i = 0; i < timesUs.length; i++) {
      const us = timesUs[i]!;
      if (us >= this.#coarseFromUs) last = this.#coarsen();
      const bar = Math.floor(us / this.#barUs);
      if (bar !== last) {
        this.#index.push(bar);
        this.#close.push(prices[i]!);
        last = bar;
      } else {
        this.#close[this.#close.length - 1] = prices[i]!;
      }
    }
  }

  end(): Bars {
    return { barS: this.#barUs / US_PER_SECOND, index: Int32Array.from(this.#index), close: Float64Array.from(this.#close) };
  }

  /** Merges the 5 s bars into bars of 60 s; returns the index of the last bar. */
  #coarsen(): number {
    const coarse = coarserBars(this.end(), COARSE_BAR_S);
    this.#coarseFromUs = Infinity;
    this.#barUs = COARSE_BAR_S * US_PER_SECOND;
    this.#index = [...coarse.index];
    this.#close = [...coarse.close];
    return coarse.index.at(-1) ?? -1;
  }
}

/** The same prices on bars of `barS` seconds, a multiple of the given length. */
export function coarserBars(bars: Bars, barS: number): Bars {
  const ratio = barS / bars.barS;
  if (ratio === 1) return bars;
  const all = Int32Array.from(bars.index, (index) => Math.floor(index / ratio));
  const isLast = (_: unknown, i: number): boolean => all[i] !== all[i + 1];
  return { barS, index: all.filter(isLast), close: bars.close.filter(isLast) };
}
