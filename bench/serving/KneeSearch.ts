/** How much the rate moves until it has been met once and missed once. */
const STEP = 1.2;
/** The knee is known to this ratio. */
const PRECISION = 1.03;
const MOST_PROBES = 14;

/**
 * Looks for the highest rate that a server meets: ask for `next`, try that rate, tell it to `learn`. Searches of several servers can take turns.
 * A rate counts as missed when it was missed twice in a row: one pause of the machine does not end a search.
 */
export class KneeSearch {
  #rate: number;
  #met = 0;
  #missed = Infinity;
  #hasMissedOnce = false;
  #probes = 0;

  /** @param startRate where to begin, such as the rate of a closed loop */
  constructor(startRate: number) {
    this.#rate = startRate;
  }

  /** The rate to try; undefined: the search is over. */
  get next(): number | undefined {
    const isNarrow = this.#met > 0 && this.#missed / this.#met <= PRECISION;
    return isNarrow || this.#probes >= MOST_PROBES ? undefined : this.#rate;
  }

  /** The highest rate that was met; 0: none. */
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
