import { apart } from '../priceRatio.ts';

/** A spike is over within so many ticks, or it was a move. */
const MAX_TICKS = 5;
/** A spike leaves by this many usual moves and returns to within this fraction of that. */
const USUAL_MOVES = 25;
const MIN_MOVE = 0.002;
const RETURN_FRACTION = 0.25;
/** The usual move is a running mean over about so many ticks. The first ones are looked at together, when there are as many or no more come. */
export const FIRST_TICKS = 200;
const MIN_TICKS = 20;
/** Of the first moves, those above this share count as the move at it: spikes do not make themselves usual. */
const COMMON_SHARE = 0.9;
/** Later moves count as at most so many usual ones. */
const MAX_USUAL = 8;
/**
 * Nor is a move of so many middle ones a spike, prices that stay as they are aside: where the smallest step is large, or the spread is wide, most
 * moves are one step, or go from one side to the other.
 */
const MIDDLE_MOVES = 8;
/** The middle move follows the market by these factors a move. */
const UP = 1.02;
const DOWN = 1 / UP;

/** Finds prices that jump away and come back within five ticks, in one pass. */
export class SpikeWatch {
  #usual = NaN;
  /** About the median of the moves that are not 0; NaN before the first one. */
  #middle = NaN;
  #firstTimes: number[] = [];
  #firstPrices: number[] = [];
  #last = NaN;
  #base = NaN;
  #away = 0;
  #size = 0;
  /** Ticks on spikes so far, and the stamp of the first spike and its size as a fraction of the price. */
  ticks = 0;
  firstUs = NaN;
  worst = 0;
  #startUs = NaN;

  /** Whether the last tick is away from the price before it: the beginning of a spike or of a move. */
  get isAway(): boolean {
    return this.#away > 0;
  }

  /** Whether the usual move is known: from then on `add` says what it finds. */
  get isReady(): boolean {
    return !Number.isNaN(this.#usual);
  }

  /** After `add` said that a spike is over: goes on as if neither its ticks nor the one after them had been there. */
  forgetSpike(): void {
    this.#last = this.#base;
  }

  /** Whether the price came back with this tick: those since the one that jumped were a spike. */
  add(timeUs: number, price: number): boolean {
    if (this.isReady) return this.#look(timeUs, price);
    this.#firstTimes.push(timeUs);
    this.#firstPrices.push(price);
    if (this.#firstPrices.length === FIRST_TICKS) this.begin();
    return false;
  }

  /** Looks at the first ticks, where no more of them come. */
  begin(): void {
    const [times, prices] = [this.#firstTimes, this.#firstPrices];
    if (this.isReady || prices.length < MIN_TICKS) return;
    this.#begin(prices);
    [this.#firstTimes, this.#firstPrices] = [[], []];
    for (const [i, price] of prices.entries()) this.#look(times[i], price);
  }

  /** The usual move is that of these prices; of too few no price is a spike. */
  prepare(prices: readonly number[]): void {
    if (prices.length < MIN_TICKS) this.#usual = Infinity;
    else this.#begin(prices);
  }

  #begin(prices: readonly number[]): void {
    const moves = prices.slice(1).map((price, i) => apart(price, prices[i]));
    const sorted = [...moves].sort((a, b) => a - b);
    const common = sorted[Math.floor(COMMON_SHARE * (moves.length - 1))] ?? 0;
    this.#usual = moves.reduce((sum, move) => sum + Math.min(move, common), 0) / Math.max(1, moves.length);
    const moved = sorted.filter((move) => move > 0);
    this.#middle = moved[moved.length >> 1] ?? NaN;
  }

  #look(timeUs: number, price: number): boolean {
    const last = this.#last;
    this.#last = price;
    if (this.#away > 0) {
      const distance = apart(price, this.#base);
      if (distance < RETURN_FRACTION * this.#size) {
        this.#count();
        return true;
      }
      if (++this.#away > MAX_TICKS) this.#away = 0;
      return false;
    }
    const move = apart(price, last);
    if (!(move >= 0)) return false;
    if (move > MIN_MOVE && move > USUAL_MOVES * this.#usual && move > MIDDLE_MOVES * this.#middle) {
      this.#base = last;
      this.#away = 1;
      this.#size = move;
      this.#startUs = timeUs;
      return false;
    }
    if (move > 0) {
      const middle = this.#middle;
      this.#middle = middle > 0 ? middle * (move > middle ? UP : DOWN) : move;
    }
    this.#usual += (Math.min(move, MAX_USUAL * this.#usual + MIN_MOVE / USUAL_MOVES) - this.#usual) / FIRST_TICKS;
    return false;
  }

  #count(): void {
    this.ticks += this.#away;
    if (Number.isNaN(this.firstUs)) this.firstUs = this.#startUs;
    this.worst = Math.max(this.worst, this.#size);
    this.#away = 0;
  }
}
