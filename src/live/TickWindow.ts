import type { TickSeries } from '../ticks/TickSeries.ts';

const LEAST_CAPACITY = 256;

/** The last ticks of a series, at most `most`, in a ring that grows with the ticks. */
export class TickWindow {
  readonly #most: number;
  #timesUs = new Float64Array(LEAST_CAPACITY);
  #prices = new Float64Array(LEAST_CAPACITY);
  /** Index of the next tick. */
  #next = 0;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  get lastUs(): number | undefined {
    return this.#size === 0 ? undefined : this.#timesUs[(this.#next || this.#timesUs.length) - 1];
  }

  push(timeUs: number, price: number): void {
    if (this.#size === this.#timesUs.length && this.#size < this.#most) this.#grow();
    this.#timesUs[this.#next] = timeUs;
    this.#prices[this.#next] = price;
    this.#next = this.#next + 1 === this.#timesUs.length ? 0 : this.#next + 1;
    if (this.#size < this.#timesUs.length) this.#size++;
  }

  /** A copy of the last `count` ticks, or of all if there are fewer. */
  last(count: number): TickSeries {
    const length = Math.min(count, this.#size);
    return { timesUs: this.#copy(this.#timesUs, length), prices: this.#copy(this.#prices, length) };
  }

  #copy(ring: Float64Array, length: number): Float64Array {
    const from = this.#next - length;
    if (from >= 0) return ring.slice(from, this.#next);
    const copy = new Float64Array(length);
    copy.set(ring.subarray(ring.length + from), 0);
    copy.set(ring.subarray(0, this.#next), -from);
    return copy;
  }

  #grow(): void {
    const { timesUs, prices } = this.last(this.#size);
    const capacity = Math.min(this.#most, 2 * this.#size);
    this.#timesUs = new Float64Array(capacity);
    this.#prices = new Float64Array(capacity);
    this.#timesUs.set(timesUs);
    this.#prices.set(prices);
    this.#next = this.#size;
  }
}
