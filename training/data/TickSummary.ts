import { ServiceError } from '../../src/core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../src/core/units.ts';
import { DayFingerprinter, type DayFingerprint } from './dayFingerprints.ts';
import type { TickSink } from '../../src/ticks/TickSeries.ts';
import { BarCloses, type Bars } from './BarCloses.ts';

/** Bins per doubling: the ends of a bin differ by 1.1 %. */
const BINS = 64;
/** Up to 2^43 ms, longer than the gap between any two timestamps. */
const OCTAVES = 43;

/** A histogram of gaps with bins of equal ratio: the median takes constant memory for any number of gaps. */
class GapHistogram {
  readonly #counts = new Float64Array(BINS * OCTAVES + 1);
  readonly #sumsMs = new Float64Array(BINS * OCTAVES + 1);
  #total = 0;

  /** Adds a gap of at least 1 ms. */
  add(gapMs: number): void {
    const bin = Math.floor(Math.log2(gapMs) * BINS);
    this.#counts[bin] = this.#counts[bin] + 1;
    this.#sumsMs[bin] = this.#sumsMs[bin] + gapMs;
    this.#total++;
  }

  /** Mean of the bin that contains the lower median: exact if the gaps in the bin are equal, else within 1.1 %. 0 without gaps. */
  medianMs(): number {
    let passed = 0;
    for (let bin = 0; bin < this.#counts.length; bin++) {
      passed += this.#counts[bin];
      if (passed > 0 && 2 * passed >= this.#total) return this.#sumsMs[bin] / this.#counts[bin];
    }
    return 0;
  }
}

export type TickStats = {
  /** Median gap between two different timestamps, seconds; 0 if all are equal. */
  readonly medianGapS: number;
  /** Fraction of ticks with the timestamp of the previous tick, compared in milliseconds as for labels. */
  readonly equalTimestampFraction: number;
  /** Whether every price is the same. */
  readonly constant: boolean;
};

/** The summary of a file that is kept in memory; its size does not depend on the file's. */
type TickSummary = {
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
    if (this.#rows === 0) this.#firstUs = timesUs[0];
    for (let i = 0; i < timesUs.length; i++) {
      const ms = Math.floor(timesUs[i] / US_PER_MS);
      if (ms === this.#lastMs) this.#addEqual(i);
      else {
        if (this.#lastMs >= 0) this.#gaps.add(ms - this.#lastMs);
        this.#run = 1;
      }
      this.#lastMs = ms;
      const price = prices[i];
      if (price < this.#least) this.#least = price;
      if (price > this.#most) this.#most = price;
    }
    this.#rows += timesUs.length;
    this.#lastUs = timesUs[timesUs.length - 1];
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
    throw new ServiceError(
      'file.malformed',
      `${this.#path}, tick ${this.#rows + i + 1} is one of more than ${MAX_EQUAL_STAMPS} with the same timestamp. Check the clock that wrote this file.`,
    );
  }
}
