import { ServiceError } from '../../src/core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../src/core/units.ts';
import { DayFingerprinter, type DayFingerprint } from '../../src/model/dayFingerprints.ts';
import type { TickSink } from '../../src/ticks/TickSink.ts';
import { BarCloses, type Bars } from './BarCloses.ts';
import { GapHistogram } from './GapHistogram.ts';

export type TickStats = {
  /** Median gap between two different timestamps, seconds; 0 if all are equal. */
  readonly medianGapS: number;
  /** Fraction of ticks with the timestamp of the previous tick, compared in milliseconds as for labels. */
  readonly equalTimestampFraction: number;
  /** Whether every price is the same. */
  readonly constant: boolean;
};

/** The summary of a file that is kept in memory; its size does not depend on the file's. */
export type TickSummary = {
  readonly rows: number;
  readonly firstUs: number;
  readonly lastUs: number;
  readonly days: readonly DayFingerprint[];
  readonly bars: Bars;
  readonly stats: TickStats;
};

/** Segments never split ticks of one timestamp, so those ticks must fit into memory in addition to a segment. */
export const MAX_EQUAL_STAMPS = 1_000_000;

/** Builds the summary of a file from blocks of ticks. `add` throws ServiceError file.malformed after `MAX_EQUAL_STAMPS` ticks with one timestamp. */
export class SummarySink implements TickSink {
  readonly #path: string;
  readonly #days = new DayFingerprinter();
  readonly #bars = new BarCloses();
  readonly #gaps = new GapHistogram();
  #rows = 0;
  #firstUs = -1;
  #lastUs = -1;
  #lastMs = -1;
  #equal = 0;
  #run = 1;
  #least = Infinity;
  #most = -Infinity;

  constructor(path: string) {
    this.#path = path;
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    if (timesUs.length === 0) return;
    this.#days.add({ timesUs, prices });
    this.#bars.add(timesUs, prices);
    if (this.#rows === 0) this.#firstUs = timesUs[0]!;
    for (let i = 0; i < timesUs.length; i++) {
      const ms = Math.floor(timesUs[i]! / US_PER_MS);
      if (ms === this.#lastMs) this.#addEqual(i);
      else {
        if (this.#lastMs >= 0) this.#gaps.add(ms - this.#lastMs);
        this.#run = 1;
      }
      this.#lastMs = ms;
      const price = prices[i]!;
      if (price < this.#least) this.#least = price;
      if (price > this.#most) this.#most = price;
    }
    this.#rows += timesUs.length;
    this.#lastUs = timesUs[timesUs.length - 1]!;
  }

  /** Call it once, after at least one tick. */
  end(): TickSummary {
    const stats: TickStats = {
      medianGapS: this.#gaps.medianMs() / MS_PER_SECOND,
      equalTimestampFraction: this.#equal / this.#rows,
      constant: this.#least === this.#most,
    };
    return { rows: this.#rows, firstUs: this.#firstUs, lastUs: this.#lastUs, days: this.#days.end(), bars: this.#bars.end(), stats };
  }

  #addEqual(i: number): void {
    this.#equal++;
    this.#run++;
    if (this.#run <= MAX_EQUAL_STAMPS) return;
    // Line 1 is the header; blank lines are allowed only at the end of a file.
    const line = this.#rows + i + 2;
    throw new ServiceError(
      'file.malformed',
      `${this.#path}, line ${line} is one of more than ${MAX_EQUAL_STAMPS} ticks with the same timestamp. Check the clock that wrote this file.`,
    );
  }
}
