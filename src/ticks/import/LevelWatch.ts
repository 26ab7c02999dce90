import { apart } from '../priceRatio.ts';
import type { ImportKind } from './ImportReport.ts';

/**
 * Two levels lie apart by more than this fraction of the price, and by this many times the moves on each of them. Trades go to and fro between the
 * bid and the ask of a market that few trade, and mids do not.
 */
const MIN_APART = { bars: 0.02, trades: 0.01, quotes: 0.002 } as const;
const MIN_MOVES = 10;
/** The price goes from one to the other so often, and that makes up so much of the ticks: a market does not jump to and fro. */
const MIN_SWITCHES = 10;
/** More than so many of the smallest changes lie between two levels: fewer are the sides of a cheap market, or a step of an option. */
const MIN_STEPS = 8;
const MIN_SHARE = 0.02;
/** A move by more than this factor after which the price stays for so many moves is none of a market. */
const MAX_FACTOR = 3;
const MIN_STAY = 10;
/**
 * Nor is a smaller one in the midst of trading: by this fraction and so many times the mean of the moves before it, within a minute. After a halt or a
 * night a market may open anywhere, and a split halves its price.
 */
const MIN_STEP = 0.05;
const MIN_MEANS = 1000;
const MIN_TICKS = 100;
const MAX_STEP_US = 60_000_000;

/** Finds prices that jump between two levels again and again: two markets in one table without a column that says which. One pass. */
export class LevelWatch {
  readonly #minApart: number;
  #last = NaN;
  #lastUs = NaN;
  /** The last price before the last jump: where the other level is. */
  #other = NaN;
  #sum = 0;
  /** The smallest change of the price. */
  #smallest = Infinity;
  ticks = 0;
  switches = 0;
  #jump: readonly [number, number] | undefined;
  #stays = 0;
  /** The prices before and after a jump to another level that the price has not left. */
  jump: readonly [number, number] | undefined;
  /** Prices on both levels, from the first switch. */
  readonly levels: [number, number] = [NaN, NaN];

  constructor(kind: ImportKind) {
    this.#minApart = MIN_APART[kind];
  }

  add(price: number, timeUs: number): void {
    const last = this.#last;
    const isSoon = timeUs - this.#lastUs <= MAX_STEP_US;
    this.#lastUs = timeUs;
    this.ticks++;
    if (price === last) return;
    this.#last = price;
    if (!(last > 0)) return;
    const change = Math.abs(price - last);
    if (change < this.#smallest) this.#smallest = change;
    const move = apart(price, last);
    if (move < this.#minApart) {
      this.#sum += move;
      if (this.#jump !== undefined && ++this.#stays > MIN_STAY && this.#isBySteps(...this.#jump)) this.jump ??= this.#jump;
      return;
    }
    const near = move / MIN_MOVES;
    // Back to where it was before the last jump.
    const isBack = apart(price, this.#other) < near;
    const isStep = isSoon && this.ticks > MIN_TICKS && move >= Math.max(MIN_STEP, (MIN_MEANS * this.#sum) / this.ticks);
    // An isolated print goes back to where it came from, by more or by less than it left.
    if (isBack || (this.#jump !== undefined && apart(price, this.#jump[0]) < near)) this.#jump = undefined;
    else if (isStep || move > MAX_FACTOR - 1) {
      this.#jump = [last, price];
      this.#stays = 0;
    }
    if (isBack) {
      if (this.switches++ === 0) this.levels.splice(0, 2, last, price);
      // Rows of two markets in turn show how each of them moves only so.
      const own = Math.abs(price - this.#other);
      if (own > 0 && own < this.#smallest) this.#smallest = own;
      this.#sum += own / price;
    }
    this.#other = last;
  }

  get hasTwoLevels(): boolean {
    const [a, b] = this.levels;
    if (!this.#isBySteps(a, b)) return false;
    return this.switches >= Math.max(MIN_SWITCHES, MIN_SHARE * this.ticks) && this.#sum / this.ticks < apart(a, b) / MIN_MOVES;
  }

  #isBySteps(a: number, b: number): boolean {
    return Math.abs(a - b) > MIN_STEPS * this.#smallest;
  }
}
