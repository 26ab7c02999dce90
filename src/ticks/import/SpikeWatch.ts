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

/** Finds prices that jump away and come back within five ticks, in one pass. */
export class SpikeWatch {
  #usual = NaN;
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
    this.#usual = usualMove(prices);
    [this.#firstTimes, this.#firstPrices] = [[], []];
    for (const [i, price] of prices.entries()) this.#look(times[i]!, price);
  }

  /** The usual move is that of these prices; of too few no price is a spike. */
  prepare(prices: readonly number[]): void {
    this.#usual = prices.length < MIN_TICKS ? Infinity : usualMove(prices);
  }

  #look(timeUs: number, price: number): boolean {
    const last = this.#last;
    this.#last = price;
    if (this.#away > 0) {
      const distance = Math.abs(price / this.#base - 1);
      if (distance < RETURN_FRACTION * this.#size) {
        this.#count();
        return true;
      }
      if (++this.#away > MAX_TICKS) this.#away = 0;
      return false;
    }
    const move = Math.abs(price / last - 1);
    if (!(move >= 0)) return false;
    if (move > MIN_MOVE && move > USUAL_MOVES * this.#usual) {
      this.#base = last;
      this.#away = 1;
      this.#size = move;
      this.#startUs = timeUs;
      return false;
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

function usualMove(prices: readonly number[]): number {
  const moves = prices.slice(1).map((price, i) => Math.abs(price / prices[i]! - 1));
  const common = [...moves].sort((a, b) => a - b)[Math.floor(COMMON_SHARE * (moves.length - 1))] ?? 0;
  return moves.reduce((sum, move) => sum + Math.min(move, common), 0) / Math.max(1, moves.length);
}
