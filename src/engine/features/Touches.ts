import { BPS_PER_UNIT } from '../../core/units.ts';
import type { BarRange } from '../../ticks/TickWindow.ts';

/** Which level was reached first; null: none. `unclear`: one bar reached both. */
export type FirstTouch = number | 'unclear' | null;

/** The order that waits at a level, or the mid. Without bid and ask, the price reaches each of them. */
export type TouchBy = 'limit' | 'stop' | 'mid';
const USUAL: TouchBy = 'limit';

/** What reaches levels below and levels above at one time, as a ratio to the mid. */
function reachedBy(by: TouchBy, spreadBps: number): { readonly below: number; readonly above: number } {
  const half = by === 'mid' || !(spreadBps > 0) ? 0 : spreadBps / 2 / BPS_PER_UNIT;
  // A limit order to sell fills at the bid, and one to buy at the ask; a stop is triggered by the other side.
  return by === 'limit' ? { below: 1 + half, above: 1 - half } : { below: 1 - half, above: 1 + half };
}

/** Where the mid is when a level is reached; `isAbove`: the level is above the last price. */
export function midAt(level: number, isAbove: boolean, by: TouchBy = USUAL, spreadBps = NaN): number {
  const { below, above } = reachedBy(by, spreadBps);
  return level / (isAbove ? above : below);
}

/**
 * What the prices after an entry have reached (docs/explanation/evaluation.md, "Whether a price is reached"): a level above the last price of the
 * window if a price is at or above it, a level below if one is at or below it. A stop that its side was at in the last quote is triggered at once.
 */
export class Touches {
  readonly #levels: readonly number[];
  readonly #lastPrice: number;
  readonly #by: TouchBy;
  #high = 0;
  #low = Infinity;
  #first: FirstTouch = null;

  /** `lastPrice`: of the window, which decides the side of a level; one at it is above. `lastSpreadBps`: of its quote, NaN without one. */
  constructor(lastPrice: number, levels: readonly number[], by: TouchBy = USUAL, lastSpreadBps = NaN) {
    this.#lastPrice = lastPrice;
    this.#levels = levels;
    this.#by = by;
    if (by === 'stop') this.add(lastPrice, undefined, lastSpreadBps);
  }

  /** A price after the entry, at or before the future timestamp; a bar reaches from low to high, a quote as far as its side. */
  add(price: number, range?: BarRange, spreadBps = NaN): void {
    const { below, above } = reachedBy(this.#by, spreadBps);
    const [low, high] = range === undefined ? [price * below, price * above] : [range.low, range.high];
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

  /** The least price that reached levels below, and the greatest that reached levels above; infinite and 0 without one. */
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
