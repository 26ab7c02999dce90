import { ENTRY_DELAY_MS } from '../features/labelOrigin.ts';
import { type ByteReader, type ByteWriter, MOST_MOVE } from './bytes.ts';

const MINUTES_PER_DAY = 1440;
const SLOT_MINUTES = 5;
const SLOTS = MINUTES_PER_DAY / SLOT_MINUTES;
const SLOT_MS = SLOT_MINUTES * 60_000;
export const DAY_MS = SLOTS * SLOT_MS;
const MS_PER_HOUR = 3_600_000;
/** Slots before and after one that are averaged with it: half an hour. */
const NEAR_SLOTS = 6;
/** A slot counts on a day with this many open minutes in it and in those that are averaged with it. */
const LEAST_MINUTES = 15;
/** A day counts with this many slots. */
const LEAST_SLOTS = 12;
/** The mean of a slot is over this many days; from then on, older days fade by the factor 1 - 1/20. */
export const MOST_DAYS = 20;
/** Days of a flat profile that are added to those seen. */
const PRIOR_DAYS = 2;

/** Of a slot, without the level of its day: those of squares from 1e-18 to MOST_MOVE squared are closer. */
const MOST_LOG = 100;

/**
 * By distance in slots. In a slot of few days half an hour before and after counts the same; later days count by a Gaussian with a standard
 * deviation of two slots: its noise is averaged out by then.
 */
const FLAT = new Float64Array(NEAR_SLOTS + 1).fill(1);
const SHARP = Float64Array.from(FLAT, (_, distance) => Math.exp(-0.5 * (distance / 2) ** 2));
const FLAT_DAYS = 5;

/** Used within one call. */
const slotsOfDay = new Uint16Array(SLOTS);
const logsOfDay = new Float64Array(SLOTS);

/**
 * When this market moves: ln of the squared one-minute move by slot of five minutes of the UTC day, without the level of its day, each
 * averaged with those around it, mean over up to 20 earlier days. The present day does not count yet.
 */
export class ClockProfile {
  readonly #logs = new Float32Array(SLOTS);
  readonly #days = new Uint8Array(SLOTS);
  #day = -1;
  /** Of `meanOfDay`; NaN: not known yet. */
  #meanOfDay = NaN;
  /** Of `values`, until another day is learned. */
  #values: ClockValues | undefined;
  readonly #sums = new Float64Array(SLOTS);
  /** Slots of the day with a move, ascending. */
  #moved: number[] = [];
  readonly #minutes = new Uint8Array(SLOTS);

  /** `minute`: minutes since 1970 UTC, ascending. `square`: its squared log move. */
  add(minute: number, square: number): void {
    const slot = this.#slotOf(minute);
    if (square > 0 && this.#sums[slot] === 0) this.#moved.push(slot);
    this.#sums[slot] = this.#sums[slot] + square;
    this.#minutes[slot] = this.#minutes[slot] + 1;
  }

  /** The same for minutes [from, to) without a move, whole slots at once. */
  addStill(from: number, to: number): void {
    for (let minute = from; minute < to;) {
      const slot = this.#slotOf(minute);
      const dayEnd = minute - (minute % MINUTES_PER_DAY) + MINUTES_PER_DAY;
      const inSlot = Math.min(to - minute, SLOT_MINUTES - (minute % SLOT_MINUTES));
      this.#minutes[slot] = this.#minutes[slot] + inSlot;
      const whole = Math.floor((Math.min(to, dayEnd) - minute - inSlot) / SLOT_MINUTES);
      if (whole > 0) this.#minutes.fill(SLOT_MINUTES, slot + 1, slot + 1 + whole);
      minute += inSlot + whole * SLOT_MINUTES;
    }
  }

  /** Days seen, and the mean over a horizon, over the hour before it, and of a day; null: it knows no earlier day. */
  at(
    originMs: number,
    horizonMs: number,
  ): { readonly days: number; readonly ahead: number; readonly hour: number; readonly day: number } | null {
    const endMs = originMs + horizonMs;
    const days = Math.min(this.daysAt(originMs), this.daysAt(endMs));
    if (days === 0) return null;
    const values = this.values();
    return {
      days,
      ahead: meanOfClock(values, Math.min(originMs + ENTRY_DELAY_MS, endMs), endMs),
      hour: meanOfClock(values, originMs - MS_PER_HOUR, originMs),
      day: this.meanOfDay(),
    };
  }

  /** Days in the mean of the slot of a time, at most 20. */
  daysAt(ms: number): number {
    return this.#days[slotOf(ms)];
  }

  /** No earlier day is known. */
  get isEmpty(): boolean {
    return this.#days.every((days) => days === 0);
  }

  /** For `meanOfClock`: 1 is a slot that is like the mean of logarithms. It stays as it is when the profile learns. */
  values(): ClockValues {
    return (this.#values ??= Float64Array.from(this.#logs, (_, slot) => this.#valueOf(slot)));
  }

  /** The same at a time. */
  valueAt(ms: number): number {
    return this.#valueOf(slotOf(ms));
  }

  /** Mean over the slots that were seen; 1 without any. */
  meanOfDay(): number {
    if (!Number.isNaN(this.#meanOfDay)) return this.#meanOfDay;
    let sum = 0;
    let seen = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.#days[slot] === 0) continue;
      sum += this.values()[slot];
      seen++;
    }
    return (this.#meanOfDay = seen === 0 ? 1 : sum / seen);
  }

  save(out: ByteWriter): void {
    out.double(this.#day);
    for (const array of [this.#logs, this.#days, this.#sums, this.#minutes]) out.array(array);
  }

  /** `untilMinute`: it knows no minute from there on. */
  load(from: ByteReader, untilMinute: number): void {
    this.#forgetMeans();
    this.#day = from.number('day of the profile', -1, Math.floor(untilMinute / MINUTES_PER_DAY));
    from.check(Number.isInteger(this.#day), `day of the profile is ${this.#day}; it must be whole`);
    const sizes = [
      from.values('logarithm of slot', this.#logs, -MOST_LOG, MOST_LOG),
      from.values('days of slot', this.#days, 0, MOST_DAYS),
      from.values('moves of slot', this.#sums, 0, SLOT_MINUTES * MOST_MOVE ** 2),
      from.values('minutes of slot', this.#minutes, 0, SLOT_MINUTES),
    ];
    from.check(
      sizes.every((size) => size === SLOTS),
      `the profile has ${sizes.join(', ')} slots; it must have ${SLOTS}`,
    );
    this.#moved = [...this.#sums.keys()].filter((slot) => this.#sums[slot] > 0);
    from.check(
      this.#logs.every((log, slot) => log === 0 || this.#days[slot] > 0),
      'a slot without a day has a logarithm',
    );
    from.check(
      this.#moved.every((slot) => this.#minutes[slot] > 0),
      'a slot without a minute has a move',
    );
    const known = this.#minutes.findLastIndex((minutes) => minutes > 0);
    from.check(
      this.#day * MINUTES_PER_DAY + known * SLOT_MINUTES < untilMinute || known < 0,
      `slot ${known} of the day is later than the last tick`,
    );
  }

  #forgetMeans(): void {
    this.#meanOfDay = NaN;
    this.#values = undefined;
  }

  /** The slot of a minute, which is not before the last one; another day begins with it. */
  #slotOf(minute: number): number {
    const day = Math.floor(minute / MINUTES_PER_DAY);
    if (day !== this.#day) {
      this.#learnDay();
      this.#day = day;
      for (const slot of this.#moved) this.#sums[slot] = 0;
      this.#moved = [];
      this.#minutes.fill(0);
    }
    return Math.floor((minute - day * MINUTES_PER_DAY) / SLOT_MINUTES);
  }

  #learnDay(): void {
    const count = this.#logsOfDay();
    if (count < LEAST_SLOTS) return;
    let level = 0;
    for (let at = 0; at < count; at++) level += logsOfDay[at] - this.#logs[slotsOfDay[at]];
    level /= count;
    this.#forgetMeans();
    for (let at = 0; at < count; at++) {
      const slot = slotsOfDay[at];
      this.#days[slot] = Math.min(MOST_DAYS, this.#days[slot] + 1);
      const log = this.#logs[slot] + (logsOfDay[at] - level - this.#logs[slot]) / this.#days[slot];
      this.#logs[slot] = Math.min(MOST_LOG, Math.max(-MOST_LOG, log));
    }
  }

  #valueOf(slot: number): number {
    const days = this.#days[slot];
    return Math.exp((this.#logs[slot] * days) / (days + PRIOR_DAYS));
  }

  /**
   * Writes the open slots that have a move near them, and ln of the weighted mean of the squared moves; returns their number. Other slots are
   * not looked at, so that a day costs what moved in it.
   */
  #logsOfDay(): number {
    const [moved, sums, minutes] = [this.#moved, this.#sums, this.#minutes];
    let [count, slot, first] = [0, 0, 0];
    for (let at = 0; at < moved.length; at++)
      for (slot = Math.max(slot, moved[at] - NEAR_SLOTS); slot < Math.min(SLOTS, moved[at] + NEAR_SLOTS + 1); slot++) {
        if (minutes[slot] === 0) continue;
        const weights = this.#days[slot] < FLAT_DAYS ? FLAT : SHARP;
        let [near, weight, sum] = [0, 0, 0];
        for (let other = Math.max(0, slot - NEAR_SLOTS); other < Math.min(SLOTS, slot + NEAR_SLOTS + 1); other++) {
          near += minutes[other];
          weight += weights[Math.abs(other - slot)] * minutes[other];
        }
        if (near < LEAST_MINUTES) continue;
        while (moved[first] < slot - NEAR_SLOTS) first++;
        for (let other = first; moved[other] <= slot + NEAR_SLOTS; other++)
          sum += weights[Math.abs(moved[other] - slot)] * sums[moved[other]];
        const mean = sum / weight;
        // The smallest squares divided are no number.
        if (mean === 0) continue;
        slotsOfDay[count] = slot;
        logsOfDay[count++] = Math.log(mean);
      }
    return count;
  }
}

/** The profile by slot of five minutes of the UTC day. */
export type ClockValues = Float64Array;

/** Mean over a span, of a longer one over its first day; the value of its slot for a span within one. */
export function meanOfClock(values: ClockValues, fromMs: number, endMs: number): number {
  const toMs = Math.min(endMs, fromMs + DAY_MS);
  if (!(toMs > fromMs)) return values[slotOf(toMs)];
  if (toMs <= (Math.floor(fromMs / SLOT_MS) + 1) * SLOT_MS) return values[slotOf(fromMs)];
  let sum = 0;
  for (let ms = fromMs; ms < toMs;) {
    const until = Math.min(toMs, (Math.floor(ms / SLOT_MS) + 1) * SLOT_MS);
    sum += (until - ms) * values[slotOf(ms)];
    ms = until;
  }
  return sum / (toMs - fromMs);
}

const slotOf = (ms: number): number => Math.floor((ms - Math.floor(ms / DAY_MS) * DAY_MS) / SLOT_MS);
