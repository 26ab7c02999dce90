import { apart } from './priceRatio.ts';
import type { TickSeries } from './TickSeries.ts';

type Kind = 'quotes' | 'trades' | 'bars';
/** What a tick says of the level: the price leaves it by a jump, comes back as from a wrong print, or has stayed on the new one. */
export type LevelEvent = 'leaves' | 'returns' | 'stays';

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

/**
 * Finds prices that go to another level in one step, as by a split or in another unit, and those that jump between two levels again and again: two
 * markets in one table without a column that says which. One pass.
 */
export class LevelWatch {
  readonly #minApart: number;
  readonly #maxStepUs: number;
  readonly #pauseUs: number;
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
  /** Whether it was known to be more than steps at once. */
  #hasLeft = false;
  /** Its tick, and that of the last jump to a level that the price stayed on; 0 for none. */
  #jumpAt = 0;
  #stayedAt = 0;
  /** The prices before and after a jump to another level that the price has not left. */
  jump: readonly [number, number] | undefined;
  /** Prices on both levels, from the first switch. */
  readonly levels: [number, number] = [NaN, NaN];

  /** `periodUs`: of bars. `pauseUs`: across a longer time without a tick, the market may open anywhere. */
  constructor(kind: Kind, { periodUs = 0, pauseUs = Infinity } = {}) {
    this.#minApart = MIN_APART[kind];
    this.#maxStepUs = Math.max(MAX_STEP_US, periodUs);
    this.#pauseUs = pauseUs;
  }

  /** Ticks since the last jump to a level that the price stayed on, with the one that jumped; 0 for none. */
  get sinceJump(): number {
    return this.#stayedAt === 0 ? 0 : this.ticks - this.#stayedAt + 1;
  }

  /** Whether the price has left its level, and not come back so far. */
  get isAway(): boolean {
    return this.jump !== undefined || (this.#jump !== undefined && this.#isBySteps(...this.#jump));
  }

  add(price: number, timeUs: number): LevelEvent | undefined {
    const gapUs = Math.abs(timeUs - this.#lastUs);
    this.#lastUs = timeUs;
    if (gapUs > this.#pauseUs) return this.#pause(price);
    const last = this.#last;
    this.ticks++;
    if (price === last) return undefined;
    this.#last = price;
    if (!(last > 0)) return undefined;
    const change = Math.abs(price - last);
    if (change < this.#smallest) this.#smallest = change;
    const move = apart(price, last);
    if (move < this.#minApart) {
      this.#sum += move;
      return this.#jump !== undefined && ++this.#stays > MIN_STAY ? this.#stay(this.#jump) : undefined;
    }
    const near = move / MIN_MOVES;
    // Back to where it was before the last jump.
    const isBack = apart(price, this.#other) < near;
    if (isBack) {
      if (this.switches++ === 0) this.levels.splice(0, 2, last, price);
      // Rows of two markets in turn show how each of them moves only so.
      const own = Math.abs(price - this.#other);
      if (own > 0 && own < this.#smallest) this.#smallest = own;
      this.#sum += own / price;
    }
    this.#other = last;
    // An isolated print goes back to where it came from, by more or by less than it left.
    if (this.#jump !== undefined && (isBack || apart(price, this.#jump[0]) < near)) {
      this.#jump = undefined;
      return this.#hasLeft ? 'returns' : undefined;
    }
    const isStep = gapUs <= this.#maxStepUs && this.ticks > MIN_TICKS && move >= Math.max(MIN_STEP, (MIN_MEANS * this.#sum) / this.ticks);
    if (isBack || !(isStep || move > MAX_FACTOR - 1)) return undefined;
    this.#jump = [last, price];
    this.#jumpAt = this.ticks;
    this.#stays = 0;
    this.#hasLeft = this.#isBySteps(last, price);
    return this.#hasLeft ? 'leaves' : undefined;
  }

  #pause(price: number): LevelEvent | undefined {
    const event = this.#jump === undefined ? undefined : this.#stay(this.#jump);
    this.#last = price;
    this.#other = NaN;
    this.#jump = undefined;
    this.ticks++;
    return event;
  }

  #stay(jump: readonly [number, number]): LevelEvent | undefined {
    if (!this.#isBySteps(...jump)) return undefined;
    this.jump ??= jump;
    this.#stayedAt = this.#jumpAt;
    this.#jump = undefined;
    // A way back is another jump.
    this.#other = NaN;
    return 'stays';
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

type Rule = { readonly periodUs: number; readonly pauseUs: number };

/** Whether the highest price is far enough from the lowest one for two levels. */
function spansLevels(prices: Float64Array, from: number, to: number): boolean {
  let [low, high] = [Infinity, 0];
  for (let i = from; i < to; i++) {
    const price = prices[i];
    if (price < low) low = price;
    if (price > high) high = price;
  }
  return apart(low, high) >= MIN_STEP;
}

const watchOf = (rule: Rule): LevelWatch => new LevelWatch(rule.periodUs > 0 ? 'bars' : 'trades', rule);

/** The ticks [from, to) on the last level on which the price has stayed: those from `to` on may be on another one, or wrong. */
export function lastLevel({ timesUs, prices }: TickSeries, rule: Rule): { readonly from: number; readonly to: number } {
  let [from, to] = [0, prices.length];
  if (!spansLevels(prices, from, to)) return { from, to };
  const watch = watchOf(rule);
  for (let i = 0; i < prices.length; i++) {
    const event = watch.add(prices[i], timesUs[i]);
    if (event === 'stays') from = i + 1 - watch.sinceJump;
    if (event !== undefined) to = event === 'leaves' ? i : prices.length;
  }
  return { from, to };
}

/**
 * Whether the level of the ticks [from, to) changes in one step and does not come back, by the rule of files; also within the first ticks.
 * `pauseUs` and `periodUs` as of a LevelWatch.
 */
export function changesLevel({ timesUs, prices }: TickSeries, from: number, to: number, rule: Rule): boolean {
  if (!spansLevels(prices, from, to)) return false;
  return [1, -1].some((step) => {
    const watch = watchOf(rule);
    for (let i = step > 0 ? from : to - 1; i >= from && i < to; i += step) watch.add(prices[i], timesUs[i]);
    return watch.isAway;
  });
}
