import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/**
 * Reusable shared memory for segments. The garbage collector does not count the size of a SharedArrayBuffer, so separate memory for each
 * segment would reach gigabytes before a collection.
 */
export class SegmentMemory {
  #ticks = 0;
  readonly #free: TickSeries[] = [];

  /** Declares the most ticks of a segment. Call it for all segments before the first `take`. */
  reserve(ticks: number): void {
    this.#ticks = Math.max(this.#ticks, ticks);
  }

  /** Arrays for the largest segment, with old content. Concurrent iterations get different arrays. */
  take(): TickSeries {
    const shared = (): Float64Array => new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * this.#ticks));
    return this.#free.pop() ?? { timesUs: shared(), prices: shared() };
  }

  giveBack(series: TickSeries): void {
    this.#free.push(series);
  }
}
