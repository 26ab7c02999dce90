import type { TickSeries } from '../ticks/TickSeries.ts';

/** Keeps the last `capacity` ticks of a stream in bounded memory; it grows by doubling up to there. */
export class TickRing {
  readonly #capacity: number;
  #timesUs: Float64Array<ArrayBuffer>;
  #prices: Float64Array<ArrayBuffer>;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const first = Math.min(capacity, 1024);
    this.#timesUs = new Float64Array(first);
    this.#prices = new Float64Array(first);
  }

  /** All that were ever pushed. */
  get count(): number {
    return this.#count;
  }

  push(timeUs: number, price: number): void {
    if (this.#count >= this.#timesUs.length && this.#timesUs.length < this.#capacity) this.#grow();
    const at = this.#count++ % this.#timesUs.length;
    this.#timesUs[at] = timeUs;
    this.#prices[at] = price;
  }

  /** Those that are kept, oldest first, in arrays of their own. */
  toSeries(): TickSeries & { readonly timesUs: Float64Array<ArrayBuffer>; readonly prices: Float64Array<ArrayBuffer> } {
    return { timesUs: this.#inOrder(this.#timesUs), prices: this.#inOrder(this.#prices) };
  }

  #inOrder(ring: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    if (this.#count <= ring.length) return ring.slice(0, this.#count);
    const oldest = this.#count % ring.length;
    const ordered = new Float64Array(ring.length);
    ordered.set(ring.subarray(oldest));
    ordered.set(ring.subarray(0, oldest), ring.length - oldest);
    return ordered;
  }

  #grow(): void {
    const length = Math.min(this.#capacity, this.#timesUs.length * 2);
    const grown = (old: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(length);
      larger.set(old);
      return larger;
    };
    this.#timesUs = grown(this.#timesUs);
    this.#prices = grown(this.#prices);
  }
}
