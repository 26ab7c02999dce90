import { moveBetween } from '../features/labelOrigin.ts';
import { type ByteReader, type ByteWriter, MOST_MINUTE, MOST_MOVE } from './bytes.ts';
import { ClockProfile } from './ClockProfile.ts';
import { FloatRing } from './FloatRing.ts';

export const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

/** Used within one call. */
const squares = new Float64Array(DAY_MINUTES);

type MeanSquares = { readonly hour: number; readonly day: number };

/** Squared moves between the closes of the last 1,440 open minutes, and the profile of the clock. An open minute without a tick has the move 0. */
export class RecentMinutes {
  readonly profile = new ClockProfile();
  readonly #squares = new FloatRing(DAY_MINUTES);
  /** The minute that is not over, minutes since 1970 UTC, and its last price; NaN for none. */
  #minute = NaN;
  #price = NaN;
  /** Close of the minute before; NaN after a pause. */
  #close = NaN;
  /** Of `meanSquares`, until another minute is over. */
  #means: MeanSquares | null | undefined;

  /** Open minutes that are remembered, at most 1,440. */
  get count(): number {
    return this.#squares.size;
  }

  /** A final price in the minute that is not over. */
  add(ms: number, price: number): void {
    this.#minute = Math.floor(ms / MINUTE_MS);
    this.#price = price;
  }

  /** A tick at `ms` is there, not yet final: minutes before it are over. */
  advance(ms: number): void {
    const minute = Math.floor(ms / MINUTE_MS);
    if (!(minute > this.#minute)) return;
    this.#endMinute();
    const still = minute - this.#minute - 1;
    if (still > 0) {
      this.#means = undefined;
      this.#squares.pushZeros(still);
      this.profile.addStill(this.#minute + 1, minute);
    }
    this.#minute = minute;
  }

  /** The market pauses after the last price: its minute is over, and no move crosses the pause. */
  pause(): void {
    if (!Number.isNaN(this.#minute)) this.#endMinute();
    this.cut();
  }

  /** Ticks are missing after the last price. */
  cut(): void {
    this.#minute = NaN;
    this.#close = NaN;
  }

  /** Mean squared one-minute move of the last 60 open minutes and of the last 1,440; null with fewer than 60. */
  meanSquares(): MeanSquares | null {
    return (this.#means ??= this.#meanSquares());
  }

  #meanSquares(): MeanSquares | null {
    const count = this.#squares.copyNewest(squares, 0);
    if (count < HOUR_MINUTES) return null;
    let hour = 0;
    let sum = 0;
    for (let age = 0; age < count; age++) {
      sum += squares[age]!;
      if (age === HOUR_MINUTES - 1) hour = sum / HOUR_MINUTES;
    }
    return { hour, day: sum / count };
  }

  save(out: ByteWriter): void {
    // The last price of the minute comes again before the minute ends.
    for (const value of [this.#minute, NaN, this.#close]) out.double(value);
    this.#squares.save(out);
    this.profile.save(out);
  }

  /** `lastMinute`: of the last tick; NaN for none. */
  load(from: ByteReader, lastMinute: number): void {
    this.#minute = from.double();
    // A tick at the end of a close is in the minute after it.
    from.check(
      Number.isNaN(this.#minute) || this.#minute === lastMinute || this.#minute === lastMinute - 1,
      `minute ${this.#minute} is not that of the last tick, ${lastMinute}`,
    );
    this.#price = from.none('price of the minute');
    this.#close = from.price('close');
    this.#squares.load(from, 'squared move', MOST_MOVE ** 2);
    this.#means = undefined;
    this.profile.load(from, Number.isNaN(lastMinute) ? MOST_MINUTE : lastMinute + 1);
  }

  #endMinute(): void {
    if (!Number.isNaN(this.#close)) this.#push(this.#minute, moveBetween(this.#close, this.#price) ** 2);
    this.#close = this.#price;
  }

  #push(minute: number, square: number): void {
    this.#means = undefined;
    this.#squares.push(square);
    this.profile.add(minute, square);
  }
}
