import { daylightMinutes, type DaylightRule } from './daylightMinutes.ts';

export const MINUTES_PER_DAY = 1440;
export const HOURS_PER_WEEK = 168;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_DAY = 86_400;
const HOURS_PER_DAY = 24;
/** 1970-01-01 was a Thursday: days from a Monday to the first day of the epoch. */
const EPOCH_WEEKDAY = 3;
/** Time constant of the weights on the window's own minutes: that of sigma(600). */
const WINDOW_TAU_S = 600;
const MINUTE_DECAY = Math.exp(-SECONDS_PER_MINUTE / WINDOW_TAU_S);
/** Beyond this age the weight is below 5e-5. */
const OLDEST_AGE_S = 10 * WINDOW_TAU_S;
/** The label's entry is this long after the origin. */
const ENTRY_DELAY_S = 1;
/** A shorter span has the value of its minute: the difference of two integrals over a day has too few digits for it. */
const SHORTEST_SPAN_S = 0.1;

/** What the ticks of weeks say about the time of day in one market. */
export type MarketProfile = {
  readonly daylight: DaylightRule;
  /** Smoothed |one-minute log move| by minute of the day (UTC plus the minutes of `daylight`), mean 1 over the open minutes: 1440 values above 0. */
  readonly shape: Float64Array;
  /** By hour of the week, Monday 00 first, same clock: 1 where the market had prices. 168 values. */
  readonly openHours: Uint8Array;
  /** Volatility per sqrt(second) where the shape is 1, log price. */
  readonly level: number;
};

/** The time of day at an origin. */
export type ClockReading = {
  /** 0.5 ln(mean shape^2 from origin + 1 s to the future timestamp / mean shape^2 over the window, weights e^(-age / 600 s)). */
  clock: number;
  /** ln(level sqrt(mean shape^2 of that horizon) sqrt(H)): ln of the usual size of the move, log price. */
  usualMove: number;
};

/** Reads clock and usual move from a profile. A reading takes about a microsecond and allocates nothing. */
export class MarketClock {
  readonly profile: MarketProfile;
  /** Integral of shape^2 from midnight to the start of each minute, in minutes; 1441 values. */
  readonly #integral = new Float64Array(MINUTES_PER_DAY + 1);
  readonly #squares: Float64Array;
  readonly #logLevel: number;

  constructor(profile: MarketProfile) {
    this.profile = profile;
    this.#squares = profile.shape.map((value) => value * value);
    this.#squares.forEach((square, minute) => (this.#integral[minute + 1] = this.#integral[minute]! + square));
    this.#logLevel = Math.log(profile.level);
  }

  /** `originS`: seconds since 1970 UTC; `windowS` and `horizonS` above 0. */
  read(originS: number, windowS: number, horizonS: number, out: ClockReading): ClockReading {
    const localS = originS + SECONDS_PER_MINUTE * daylightMinutes(this.profile.daylight, originS);
    const ahead = this.#meanAhead(localS, horizonS);
    out.clock = 0.5 * Math.log(ahead / this.#meanBehind(localS, windowS));
    out.usualMove = this.#logLevel + 0.5 * Math.log(ahead * horizonS);
    return out;
  }

  /** Whether the market was closed in training at this time: in its hour of the week, and in the hours before and after, because clocks change. */
  isClosed(originS: number): boolean {
    const localS = originS + SECONDS_PER_MINUTE * daylightMinutes(this.profile.daylight, originS);
    const hour = hourOfWeek(localS);
    const { openHours } = this.profile;
    return [-1, 0, 1].every((step) => openHours[(hour + step + HOURS_PER_WEEK) % HOURS_PER_WEEK] === 0);
  }

  #meanAhead(localS: number, horizonS: number): number {
    const sinceMidnight = localS - Math.floor(localS / SECONDS_PER_DAY) * SECONDS_PER_DAY;
    const from = sinceMidnight + Math.min(ENTRY_DELAY_S, horizonS);
    const to = sinceMidnight + horizonS;
    if (to - from < SHORTEST_SPAN_S) return this.#squares[minuteOfDay(to)]!;
    return ((this.#integralTo(to) - this.#integralTo(from)) * SECONDS_PER_MINUTE) / (to - from);
  }

  /** Integral of shape^2 from a midnight to `seconds` later, in minutes. */
  #integralTo(seconds: number): number {
    const days = Math.floor(seconds / SECONDS_PER_DAY);
    const minutes = (seconds - days * SECONDS_PER_DAY) / SECONDS_PER_MINUTE;
    const minute = Math.min(MINUTES_PER_DAY - 1, Math.floor(minutes));
    return days * this.#integral[MINUTES_PER_DAY]! + this.#integral[minute]! + (minutes - minute) * this.#squares[minute]!;
  }

  #meanBehind(localS: number, windowS: number): number {
    const oldest = Math.min(windowS, OLDEST_AGE_S);
    let minute = minuteOfDay(localS);
    let age = 0;
    let end = localS - Math.floor(localS / SECONDS_PER_MINUTE) * SECONDS_PER_MINUTE;
    let before = 1;
    let sum = 0;
    let total = 0;
    while (age < oldest) {
      const until = Math.min(oldest, end);
      // One exponential at either end; each whole minute between them decays by the same factor.
      const after = age > 0 && until === end ? before * MINUTE_DECAY : Math.exp(-until / WINDOW_TAU_S);
      sum += (before - after) * this.#squares[minute]!;
      total += before - after;
      before = after;
      age = until;
      end += SECONDS_PER_MINUTE;
      minute = minute === 0 ? MINUTES_PER_DAY - 1 : minute - 1;
    }
    return total > 0 ? sum / total : this.#squares[minute]!;
  }
}

const minuteOfDay = (localS: number): number => Math.floor(localS / SECONDS_PER_MINUTE) % MINUTES_PER_DAY;

export function hourOfWeek(localS: number): number {
  const day = Math.floor(localS / SECONDS_PER_DAY);
  return ((day + EPOCH_WEEKDAY) % 7) * HOURS_PER_DAY + Math.floor((localS - day * SECONDS_PER_DAY) / 3600);
}
