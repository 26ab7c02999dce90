import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/**
 * Shared memory for segments, used again and again: the collector knows no size of a SharedArrayBuffer, so segments with memory of
 * their own would pile up by gigabytes before it runs.
 */
export class SegmentMemory {
  #ticks = 0;
  readonly #free: TickSeries[] = [];

  /** Every segment has at most so many ticks. Call it for all before the first `take`. */
  reserve(ticks: number): void {
    this.#ticks = Math.max(this.#ticks, ticks);
  }

  /** Arrays for the largest segment, with whatever was in them. Two iterations at one time get different ones. */
  take(): TickSeries {
    const shared = (): Float64Array => new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT * this.#ticks));
    return this.#free.pop() ?? { timesUs: shared(), prices: shared() };
  }

  giveBack(series: TickSeries): void {
    this.#free.push(series);
  }
}
