import { US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSink, TickSeries } from '../../src/ticks/TickSeries.ts';

/** Prices at the end of each bar that contains a tick: `index` counts bars of `barS` seconds since 1970 UTC, ascending. */
export type Bars = { readonly barS: number; readonly index: Int32Array; readonly close: Float64Array };

const FINE_BAR_S = 5;
const COARSE_BAR_S = 60;
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
      const us = timesUs[i];
      if (us >= this.#coarseFromUs) last = this.#coarsen();
      const bar = Math.floor(us / this.#barUs);
      if (bar !== last) {
        this.#index.push(bar);
        this.#close.push(prices[i]);
        last = bar;
      } else {
        this.#close[this.#close.length - 1] = prices[i];
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

/** Keeps the last tick of each bar of `barS` seconds with its own timestamp, to simulate a sparse market. The result is in shared memory. */
export function thinToBars(series: TickSeries, barS: number): TickSeries {
  const barUs = barS * 1e6;
  const keep: number[] = [];
  const { timesUs, prices } = series;
  for (let i = 0; i < timesUs.length; i++) {
    const bar = Math.floor((timesUs[i] as number) / barUs);
    const next = i + 1 < timesUs.length ? Math.floor((timesUs[i + 1] as number) / barUs) : -1;
    if (bar !== next) keep.push(i);
  }
  const times = new Float64Array(new SharedArrayBuffer(8 * keep.length));
  const kept = new Float64Array(new SharedArrayBuffer(8 * keep.length));
  keep.forEach((from, to) => {
    times[to] = timesUs[from] as number;
    kept[to] = prices[from] as number;
  });
  return { timesUs: times, prices: kept };
}
