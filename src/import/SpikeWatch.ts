/** A spike is over within so many ticks, or it was a move. */
const MAX_TICKS = 5;
/** A spike leaves by this many usual moves and returns to within this fraction of that. */
const USUAL_MOVES = 25;
const MIN_MOVE = 0.002;
const RETURN_FRACTION = 0.25;
/** The usual move is a running mean over about so many ticks, and is trusted after as many. */
const MEMORY = 200;

/** Finds prices that jump away and come back within five ticks, in one pass. */
export class SpikeWatch {
  #usual = 0;
  #seen = 0;
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

  /** After `add` said that a spike is over: goes on as if neither its ticks nor the one after them had been there. */
  forgetSpike(): void {
    this.#last = this.#base;
  }

  /** Whether the price came back with this tick: those since the one that jumped were a spike. */
  add(timeUs: number, price: number): boolean {
    const last = this.#last;
    this.#last = price;
    if (this.#away > 0) {
      const distance = Math.abs(price / this.#base - 1);
      if (distance < RETURN_FRACTION * this.#size) {
        this.ticks += this.#away;
        if (Number.isNaN(this.firstUs)) this.firstUs = this.#startUs;
        this.worst = Math.max(this.worst, this.#size);
        this.#away = 0;
        return true;
      }
      if (++this.#away > MAX_TICKS) this.#away = 0;
      return false;
    }
    const move = Math.abs(price / last - 1);
    if (!(move >= 0)) return false;
    if (this.#seen >= MEMORY && move > MIN_MOVE && move > USUAL_MOVES * this.#usual) {
      this.#base = last;
      this.#away = 1;
      this.#size = move;
      this.#startUs = timeUs;
      return false;
    }
    const weight = this.#seen < MEMORY ? 1 / (this.#seen + 1) : 1 / MEMORY;
    this.#usual += weight * (move - this.#usual);
    this.#seen++;
    return false;
  }
}
