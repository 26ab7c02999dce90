/** Factor of the rate until it was met once and missed once. */
const STEP = 1.2;
/** Precision of the knee, as a ratio. */
const PRECISION = 1.03;
const MOST_PROBES = 14;

/**
 * Searches the highest rate that a server meets: read `next`, try that rate, call `learn`. Searches of several servers can be interleaved.
 * A rate counts as missed after two misses in a row, so that one pause of the machine does not end a search.
 */
export class KneeSearch {
  #rate: number;
  #met = 0;
  #missed = Infinity;
  #hasMissedOnce = false;
  #probes = 0;

  /** @param startRate first rate, such as the rate of a closed loop */
  constructor(startRate: number) {
    this.#rate = startRate;
  }

  /** The rate to try next; undefined when the search is complete. */
  get next(): number | undefined {
    const isNarrow = this.#met > 0 && this.#missed / this.#met <= PRECISION;
    return isNarrow || this.#probes >= MOST_PROBES ? undefined : this.#rate;
  }

  /** The highest rate that was met; 0 if none. */
  get knee(): number {
    return this.#met;
  }

  learn(isMet: boolean): void {
    this.#probes++;
    if (!isMet && !this.#hasMissedOnce) {
      this.#hasMissedOnce = true;
      return;
    }
    this.#hasMissedOnce = false;
    if (isMet) this.#met = this.#rate;
    else this.#missed = this.#rate;
    if (this.#missed === Infinity) this.#rate = this.#met * STEP;
    else if (this.#met === 0) this.#rate = this.#missed / STEP;
    else this.#rate = Math.sqrt(this.#met * this.#missed);
  }
}
