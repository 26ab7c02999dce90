import { mapRanges, type Ranges } from './BarWindow.ts';
import type { TickSeries } from './TickSeries.ts';

const LEAST_CAPACITY = 256;

/** Open, high and low of one bar. */
export type BarRange = { readonly [name in keyof Ranges]: number };

/**
 * `spreadsBps`: (ask - bid) / mid of each tick, NaN for one without; absent if the series never had bid and ask. `ranges`: of each bar; absent
 * for closes alone.
 */
export type LiveWindow = TickSeries & { readonly spreadsBps?: Float64Array; readonly ranges?: Ranges };

/**
 * The last ticks of a series, at most `most`. Ticks are only appended, and a full array is replaced by a new one, so that a window is a view
 * that stays as it is, not a copy.
 */
export class TickWindow {
  readonly #most: number;
  #timesUs = new Float64Array(LEAST_CAPACITY);
  #prices = new Float64Array(LEAST_CAPACITY);
  /** Of each tick, NaN where it has none; undefined before the first one. */
  #spreadsBps: Float64Array | undefined;
  /** Of each bar, if the first one has a range. */
  #ranges: Ranges | undefined;
  /** Ticks in the arrays, of which the last `most` count. */
  #end = 0;
  /** Windows that end at the last tick, by their length: the forecasts of one tick share them, and what is computed from them. */
  readonly #windows = new Map<number, LiveWindow>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return Math.min(this.#end, this.#most);
  }

  get lastUs(): number | undefined {
    return this.#end === 0 ? undefined : this.#timesUs[this.#end - 1];
  }

  /** Whether its bars have ranges; undefined before the first tick. */
  get hasRanges(): boolean | undefined {
    return this.#end === 0 ? undefined : this.#ranges !== undefined;
  }

  /** `spreadBps`: of its bid and ask; NaN for a tick without. `range`: of a bar; of all or of none. */
  push(timeUs: number, price: number, spreadBps = NaN, range?: BarRange): void {
    if (this.#end === this.#timesUs.length) this.#replace();
    if (range !== undefined) {
      this.#ranges ??= rangesOf(this.#timesUs.length);
      for (const name of RANGE_NAMES) this.#ranges[name][this.#end] = range[name];
    }
    this.#timesUs[this.#end] = timeUs;
    if (!Number.isNaN(spreadBps)) this.#spreadsBps ??= new Float64Array(this.#timesUs.length).fill(NaN);
    if (this.#spreadsBps !== undefined) this.#spreadsBps[this.#end] = spreadBps;
    this.#prices[this.#end++] = price;
    if (this.#windows.size > 0) this.#windows.clear();
  }

  /** The last `count` ticks, or all if there are fewer. */
  last(count: number): LiveWindow {
    const known = this.#windows.get(count);
    if (known !== undefined) return known;
    const from = this.#end - Math.min(count, this.size);
    const window = {
      timesUs: this.#timesUs.subarray(from, this.#end),
      prices: this.#prices.subarray(from, this.#end),
      ...(this.#spreadsBps === undefined ? {} : { spreadsBps: this.#spreadsBps.subarray(from, this.#end) }),
      ...(this.#ranges === undefined ? {} : { ranges: mapRanges(this.#ranges, (list) => list.subarray(from, this.#end)) }),
    };
    this.#windows.set(count, window);
    return window;
  }

  /** Room for as many ticks again, but for at most half of `most` beyond them: a full series takes 72 kB, 36 kB more for spreads, and 108 kB more for ranges. */
  #replace(): void {
    const { timesUs, prices, spreadsBps, ranges } = this.last(this.#most);
    const capacity = timesUs.length + Math.min(timesUs.length, this.#most / 2);
    const longer = (list: Float64Array): Float64Array<ArrayBuffer> => {
      const all = new Float64Array(capacity);
      all.set(list);
      return all;
    };
    [this.#timesUs, this.#prices] = [longer(timesUs), longer(prices)];
    this.#spreadsBps = spreadsBps && longer(spreadsBps);
    this.#ranges = ranges && mapRanges(ranges, longer);
    this.#end = timesUs.length;
  }
}

/** The range of one bar of some. */
export const rangeAt = (ranges: Ranges | undefined, at: number): BarRange | undefined =>
  ranges && { open: ranges.open[at], high: ranges.high[at], low: ranges.low[at] };

const RANGE_NAMES = ['open', 'high', 'low'] as const;
const rangesOf = (capacity: number): Ranges => ({
  open: new Float64Array(capacity),
  high: new Float64Array(capacity),
  low: new Float64Array(capacity),
});
