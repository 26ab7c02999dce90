import type { TickSeries } from './TickSeries.ts';

const LEAST_CAPACITY = 256;

/** `spreadsBps`: (ask - bid) / mid of each tick, NaN for one without; absent if the series never had bid and ask. */
export type LiveWindow = TickSeries & { readonly spreadsBps?: Float64Array };

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

  /** `spreadBps`: of its bid and ask; NaN for a tick without. */
  push(timeUs: number, price: number, spreadBps = NaN): void {
    if (this.#end === this.#timesUs.length) this.#replace();
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
    };
    this.#windows.set(count, window);
    return window;
  }

  /** Room for as many ticks again, but for at most half of `most` beyond them: a full series takes 72 kB, and 36 kB more for spreads. */
  #replace(): void {
    const { timesUs, prices, spreadsBps } = this.last(this.#most);
    const capacity = timesUs.length + Math.min(timesUs.length, this.#most / 2);
    this.#timesUs = new Float64Array(capacity);
    this.#prices = new Float64Array(capacity);
    this.#timesUs.set(timesUs);
    this.#prices.set(prices);
    if (spreadsBps !== undefined) {
      this.#spreadsBps = new Float64Array(capacity);
      this.#spreadsBps.set(spreadsBps);
    }
    this.#end = timesUs.length;
  }
}
