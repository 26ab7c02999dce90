/** Two levels lie apart by more than this fraction of the price, and by this many times the moves on each of them. */
const MIN_APART = 0.02;
const MIN_MOVES = 10;
/** The price goes from one to the other so often, and that makes up so much of the ticks: a market does not jump to and fro. */
const MIN_SWITCHES = 10;
const MIN_SHARE = 0.02;
/** A move by more than this factor after which the price stays for so many moves is none of a market. */
const MAX_FACTOR = 3;
const MIN_STAY = 10;

/** Finds prices that jump between two levels again and again: two markets in one table without a column that says which. One pass. */
export class LevelWatch {
  #last = NaN;
  /** The last price before the last jump: where the other level is. */
  #other = NaN;
  #sum = 0;
  ticks = 0;
  switches = 0;
  #jump: readonly [number, number] | undefined;
  #stays = 0;
  /** The prices before and after a jump to another level that the price has not left. */
  jump: readonly [number, number] | undefined;
  /** Prices on both levels, from the first switch. */
  readonly levels: [number, number] = [NaN, NaN];

  add(price: number): void {
    const last = this.#last;
    this.ticks++;
    if (price === last) return;
    this.#last = price;
    if (!(last > 0)) return;
    const move = Math.abs(price / last - 1);
    if (move < MIN_APART) {
      this.#sum += move;
      if (this.#jump !== undefined && ++this.#stays > MIN_STAY) this.jump ??= this.#jump;
      return;
    }
    if (price > MAX_FACTOR * last || last > MAX_FACTOR * price) {
      this.#jump = [last, price];
      this.#stays = 0;
    }
    // Back to where it was before the last jump.
    if (Math.abs(price / this.#other - 1) < move / MIN_MOVES) {
      if (this.switches++ === 0) this.levels.splice(0, 2, last, price);
    }
    this.#other = last;
  }

  get hasTwoLevels(): boolean {
    const apart = Math.abs(this.levels[0] / this.levels[1] - 1);
    return this.switches >= Math.max(MIN_SWITCHES, MIN_SHARE * this.ticks) && this.#sum / this.ticks < apart / MIN_MOVES;
  }
}
