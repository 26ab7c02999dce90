import { formatTimestamps } from '../tickBody.ts';

/** As many as the service reads. */
const MOST = 1500;
const US_PER_MINUTE = 60_000_000;

/** The last price of each minute from before the ticks that a series keeps. */
export class MinuteCloses {
  #timesUs: number[] = [];
  #prices: number[] = [];

  push(timeUs: number, price: number): void {
    const isSameMinute = Math.floor(timeUs / US_PER_MINUTE) === Math.floor((this.#timesUs.at(-1) ?? NaN) / US_PER_MINUTE);
    const at = this.#timesUs.length - (isSameMinute ? 1 : 0);
    this.#timesUs[at] = timeUs;
    this.#prices[at] = price;
    if (this.#timesUs.length < 2 * MOST) return;
    this.#timesUs = this.#timesUs.slice(-MOST);
    this.#prices = this.#prices.slice(-MOST);
  }

  /** The closes before the first tick that is sent; undefined without any. */
  before(firstUs: number): { Timestamp: string[]; Price: number[] } | undefined {
    let end = this.#timesUs.length;
    while (end > 0 && this.#timesUs[end - 1]! >= firstUs) end--;
    if (end === 0) return undefined;
    const from = Math.max(0, end - MOST);
    return { Timestamp: formatTimestamps(this.#timesUs.slice(from, end)), Price: this.#prices.slice(from, end) };
  }
}
