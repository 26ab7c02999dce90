import { moveBetween } from '../features/labelOrigin.ts';
import { type ByteReader, type ByteWriter, MOST_MINUTE, MOST_MOVE } from './bytes.ts';
import { ClockProfile } from './ClockProfile.ts';
import { loadMean, NOTHING_SEEN, withValue, withZeros } from './FadingMean.ts';
import { FloatRing } from './FloatRing.ts';

export const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;
const HOURS_MINUTES = 4 * HOUR_MINUTES;
const WEEK_MINUTES = 5 * DAY_MINUTES;

/** Used within one call. */
const squares = new Float64Array(DAY_MINUTES);

/**
 * Mean squared moves of the last 60 open minutes and of about 1,440; and of about 240 and 7,200, each divided by the profile of the clock, NaN if
 * less than an hour is known.
 */
type MeanSquares = { readonly hour: number; readonly day: number; readonly hours: number; readonly week: number };

/**
 * Squared moves between the closes of the last 60 open minutes, their fading means, and the profile of the clock. An open minute without a tick
 * has the move 0.
 */
export class RecentMinutes {
  readonly profile = new ClockProfile();
  readonly #squares = new FloatRing(HOUR_MINUTES);
  #day = NOTHING_SEEN;
  #hours = NOTHING_SEEN;
  #week = NOTHING_SEEN;
  /** The minute that is not over, minutes since 1970 UTC, and its last price; NaN for none. */
  #minute = NaN;
  #price = NaN;
  /** Close of the minute before; NaN after a pause. */
  #close = NaN;
  /** Of `meanSquares`, until another minute is over. */
  #means: MeanSquares | null | undefined;

  /** Open minutes in the mean of a day, at most 1,440. */
  get count(): number {
    return this.#day.seen;
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
      this.#day = withZeros(this.#day, still, DAY_MINUTES);
      this.#hours = withZeros(this.#hours, still, HOURS_MINUTES);
      this.#week = withZeros(this.#week, still, WEEK_MINUTES);
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

  /** Null with fewer than 60 minutes. */
  meanSquares(): MeanSquares | null {
    return (this.#means ??= this.#meanSquares());
  }

  #meanSquares(): MeanSquares | null {
    const count = this.#squares.copyNewest(squares, 0);
    if (count < HOUR_MINUTES) return null;
    let hour = 0;
    for (let age = 0; age < count; age++) hour += squares[age];
    const [hours, week] = [this.#hours, this.#week].map(({ seen, mean }) => (seen < HOUR_MINUTES ? NaN : mean)) as [number, number];
    return { hour: hour / HOUR_MINUTES, day: this.#day.mean, hours, week };
  }

  save(out: ByteWriter): void {
    // The last price of the minute comes again before the minute ends.
    for (const value of [this.#minute, NaN, this.#close]) out.double(value);
    for (const { seen, mean } of [this.#day, this.#hours, this.#week]) for (const value of [seen, mean]) out.double(value);
    this.#squares.save(out);
    this.profile.save(out);
  }

  /** `lastMinute`: of the last tick; NaN for none. `isOlder`: it has the squares of a day, and no means. */
  load(from: ByteReader, lastMinute: number, isOlder: boolean): void {
    this.#minute = from.double();
    // A tick at the end of a close is in the minute after it.
    from.check(
      Number.isNaN(this.#minute) || this.#minute === lastMinute || this.#minute === lastMinute - 1,
      `minute ${this.#minute} is not that of the last tick, ${lastMinute}`,
    );
    this.#price = from.none('price of the minute');
    this.#close = from.price('close');
    if (isOlder) this.#loadDay(from);
    else {
      this.#day = loadMean(from, 'the mean square of a day', DAY_MINUTES);
      this.#hours = loadMean(from, 'the mean square of hours', HOURS_MINUTES);
      this.#week = loadMean(from, 'the mean square of a week', WEEK_MINUTES);
      this.#squares.load(from, 'squared move', MOST_MOVE ** 2);
    }
    this.#means = undefined;
    this.profile.load(from, Number.isNaN(lastMinute) ? MOST_MINUTE : lastMinute + 1);
  }

  #loadDay(from: ByteReader): void {
    const ofDay = new FloatRing(DAY_MINUTES);
    ofDay.load(from, 'squared move', MOST_MOVE ** 2);
    for (let age = ofDay.copyNewest(squares, 0) - 1; age >= 0; age--) {
      this.#day = withValue(this.#day, squares[age], DAY_MINUTES);
      this.#squares.push(squares[age]);
    }
  }

  #endMinute(): void {
    if (!Number.isNaN(this.#close)) this.#push(this.#minute, Math.min(MOST_MOVE, Math.abs(moveBetween(this.#close, this.#price))) ** 2);
    this.#close = this.#price;
  }

  #push(minute: number, square: number): void {
    this.#means = undefined;
    this.#squares.push(square);
    this.profile.add(minute, square);
    this.#day = withValue(this.#day, square, DAY_MINUTES);
    const withoutClock = square / this.profile.valueAt(minute * MINUTE_MS);
    this.#hours = withValue(this.#hours, withoutClock, HOURS_MINUTES);
    this.#week = withValue(this.#week, withoutClock, WEEK_MINUTES);
  }
}
