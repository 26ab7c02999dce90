/** Which level was reached first; null: none. `unclear`: one bar reached both. */
export type FirstTouch = number | 'unclear' | null;

/**
 * What the prices after an entry have reached (docs/explanation/evaluation.md, "Whether a price is reached"): a level above the last price of the
 * window if a price is at or above it, a level below if one is at or below it.
 */
export class Touches {
  readonly #levels: readonly number[];
  readonly #lastPrice: number;
  #high = 0;
  #low = Infinity;
  #first: FirstTouch = null;

  /** `lastPrice`: of the window, which decides the side of a level; one at it is above. */
  constructor(lastPrice: number, levels: readonly number[]) {
    this.#lastPrice = lastPrice;
    this.#levels = levels;
  }

  /** A price after the entry, at or before the future timestamp; of a bar its low and its high. */
  add(low: number, high = low): void {
    if (low >= this.#low && high <= this.#high) return;
    this.#low = Math.min(low, this.#low);
    this.#high = Math.max(high, this.#high);
    if (this.#first === null) this.#first = this.#firstNow();
  }

  /** Of each level, whether it was reached. */
  get touched(): boolean[] {
    return this.#levels.map((level) => this.#isReached(level));
  }

  /** Index of the level that was reached first. Of two on one side it is the nearer one. */
  get first(): FirstTouch {
    return this.#first;
  }

  /** Smallest and greatest price; infinite and 0 without one. */
  get extremes(): { readonly low: number; readonly high: number } {
    return { low: this.#low, high: this.#high };
  }

  #isReached(level: number): boolean {
    return level >= this.#lastPrice ? this.#high >= level : this.#low <= level;
  }

  #firstNow(): FirstTouch {
    const reached = [...this.#levels.keys()].filter((at) => this.#isReached(this.#levels[at]));
    const isAbove = (at: number): boolean => this.#levels[at] >= this.#lastPrice;
    if (reached.some(isAbove) && !reached.every(isAbove)) return 'unclear';
    const distance = (at: number): number => Math.abs(this.#levels[at] - this.#lastPrice);
    return reached.reduce<number | null>((nearest, at) => (nearest === null || distance(at) < distance(nearest) ? at : nearest), null);
  }
}
