import type { TickSeries } from '../ticks/TickSeries.ts';

type Column = Float64Array<ArrayBuffer>;

const FIRST_LENGTH = 16_384;

/** Keeps the last `capacity` ticks of a stream in bounded memory; it grows by doubling up to there. */
export class TickRing {
  readonly #capacity: number;
  #timesUs: Column;
  #prices: Column;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const first = Math.min(capacity, FIRST_LENGTH);
    this.#timesUs = new Float64Array(first);
    this.#prices = new Float64Array(first);
  }

  /** The number of ticks added so far. */
  get count(): number {
    return this.#count;
  }

  /** Copies a block of at most `capacity` ticks. */
  add(timesUs: Float64Array, prices: Float64Array): void {
    while (this.#count + timesUs.length > this.#timesUs.length && this.#timesUs.length < this.#capacity) this.#grow();
    const length = this.#timesUs.length;
    const at = this.#count % length;
    const fits = Math.min(timesUs.length, length - at);
    this.#timesUs.set(timesUs.subarray(0, fits), at);
    this.#prices.set(prices.subarray(0, fits), at);
    this.#timesUs.set(timesUs.subarray(fits));
    this.#prices.set(prices.subarray(fits));
    this.#count += timesUs.length;
  }

  /** Copies of the kept ticks, oldest first. */
  toSeries(): TickSeries & { readonly timesUs: Column; readonly prices: Column } {
    return { timesUs: this.#inOrder(this.#timesUs), prices: this.#inOrder(this.#prices) };
  }

  #inOrder(ring: Column): Column {
    if (this.#count <= ring.length) return ring.slice(0, this.#count);
    const oldest = this.#count % ring.length;
    const ordered = new Float64Array(ring.length);
    ordered.set(ring.subarray(oldest));
    ordered.set(ring.subarray(0, oldest), ring.length - oldest);
    return ordered;
  }

  /** Only before the first tick is overwritten: the order stays as it is. */
  #grow(): void {
    const length = Math.min(this.#capacity, this.#timesUs.length * 2);
    const grown = (old: Column): Column => {
      const larger = new Float64Array(length);
      larger.set(old);
      return larger;
    };
    this.#timesUs = grown(this.#timesUs);
    this.#prices = grown(this.#prices);
  }
}
