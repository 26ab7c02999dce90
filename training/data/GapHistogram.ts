/** Bins per doubling: the ends of a bin differ by 1.1 %. */
const BINS = 64;
/** Up to 2^43 ms, longer than the gap between any two timestamps. */
const OCTAVES = 43;

/** A histogram of gaps with bins of equal ratio: the median takes constant memory for any number of gaps. */
export class GapHistogram {
  readonly #counts = new Float64Array(BINS * OCTAVES + 1);
  readonly #sumsMs = new Float64Array(BINS * OCTAVES + 1);
  #total = 0;

  /** Adds a gap of at least 1 ms. */
  add(gapMs: number): void {
    const bin = Math.floor(Math.log2(gapMs) * BINS);
    this.#counts[bin] = this.#counts[bin]! + 1;
    this.#sumsMs[bin] = this.#sumsMs[bin]! + gapMs;
    this.#total++;
  }

  /** Mean of the bin that contains the lower median: exact if the gaps in the bin are equal, else within 1.1 %. 0 without gaps. */
  medianMs(): number {
    let passed = 0;
    for (let bin = 0; bin < this.#counts.length; bin++) {
      passed += this.#counts[bin]!;
      if (passed > 0 && 2 * passed >= this.#total) return this.#sumsMs[bin]! / this.#counts[bin]!;
    }
    return 0;
  }
}
