/** Bins per doubling: a bin's ends are 1.1 % apart. */
const BINS = 64;
/** Up to 2^43 ms, longer than any two stamps can be apart. */
const OCTAVES = 43;

/** Gaps in a histogram of equal ratios, so that their median costs the same memory for any number of them. */
export class GapHistogram {
  readonly #counts = new Float64Array(BINS * OCTAVES + 1);
  readonly #sumsMs = new Float64Array(BINS * OCTAVES + 1);
  #total = 0;

  /** A gap of at least 1 ms. */
  add(gapMs: number): void {
    const bin = Math.floor(Math.log2(gapMs) * BINS);
    this.#counts[bin] = this.#counts[bin]! + 1;
    this.#sumsMs[bin] = this.#sumsMs[bin]! + gapMs;
    this.#total++;
  }

  /** Mean of the bin that holds the lower median: exact where the bin's gaps are equal, else within 1.1 %. 0 without a gap. */
  medianMs(): number {
    let passed = 0;
    for (let bin = 0; bin < this.#counts.length; bin++) {
      passed += this.#counts[bin]!;
      if (passed > 0 && 2 * passed >= this.#total) return this.#sumsMs[bin]! / this.#counts[bin]!;
    }
    return 0;
  }
}
