import type { ByteReader, ByteWriter } from './bytes.ts';

const MINUTES_PER_DAY = 1440;
const SLOT_MINUTES = 5;
const SLOTS = MINUTES_PER_DAY / SLOT_MINUTES;
const SLOT_MS = SLOT_MINUTES * 60_000;
const DAY_MS = SLOTS * SLOT_MS;
/** Slots before and after that are averaged: half an hour. */
const NEAR_SLOTS = 6;
/** A slot counts on a day with this many open minutes within half an hour. */
const LEAST_MINUTES = 15;
/** A day counts with this many slots. */
const LEAST_SLOTS = 12;
/** The mean of a slot is over this many days; from then on, older days fade by the factor 1 - 1/20. */
const MOST_DAYS = 20;
/** Days of a flat profile that are added to those seen. */
const PRIOR_DAYS = 2;

/**
 * When this market moves: ln of the squared one-minute move by slot of five minutes of the UTC day, each averaged over half an hour before
 * and after, without the level of its day, mean over up to 20 earlier days. The present day does not count yet.
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
  readonly #minutes = new Uint8Array(SLOTS);

  /** `minute`: minutes since 1970 UTC, ascending. `square`: its squared log move. */
  add(minute: number, square: number): void {
    const day = Math.floor(minute / MINUTES_PER_DAY);
    if (day !== this.#day) this.#startDay(day);
    const slot = Math.floor((minute - day * MINUTES_PER_DAY) / SLOT_MINUTES);
    this.#sums[slot] = this.#sums[slot]! + square;
    this.#minutes[slot] = this.#minutes[slot]! + 1;
  }

  /** Days in the mean of the slot of a time, at most 20. */
  daysAt(ms: number): number {
    return this.#days[slotOf(ms)]!;
  }

  /** Mean of the profile over a span of at most a day: 1 is a slot that is like the mean of logarithms. */
  meanOver(fromMs: number, toMs: number): number {
    return meanOfClock(this.values(), fromMs, toMs);
  }

  /** No earlier day is known. */
  get isEmpty(): boolean {
    return this.#days.every((days) => days === 0);
  }

  /** For `meanOfClock`; it stays as it is when the profile learns. */
  values(): ClockValues {
    return (this.#values ??= Float64Array.from(this.#logs, (log, slot) => valueOf(log, this.#days[slot]!)));
  }

  /** Mean over the slots that were seen; 1 without any. */
  meanOfDay(): number {
    if (!Number.isNaN(this.#meanOfDay)) return this.#meanOfDay;
    let sum = 0;
    let seen = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      if (this.#days[slot] === 0) continue;
      sum += this.values()[slot]!;
      seen++;
    }
    return (this.#meanOfDay = seen === 0 ? 1 : sum / seen);
  }

  save(out: ByteWriter): void {
    out.double(this.#day);
    for (const array of [this.#logs, this.#days, this.#sums, this.#minutes]) out.array(array);
  }

  load(from: ByteReader): void {
    this.#forgetMeans();
    this.#day = from.double();
    for (const array of [this.#logs, this.#days, this.#sums, this.#minutes]) from.array(array);
  }

  #forgetMeans(): void {
    this.#meanOfDay = NaN;
    this.#values = undefined;
  }

  #startDay(day: number): void {
    this.#learnDay();
    this.#day = day;
    this.#sums.fill(0);
    this.#minutes.fill(0);
  }

  #learnDay(): void {
    const logs = new Float64Array(SLOTS);
    let level = 0;
    let counted = 0;
    for (let slot = 0; slot < SLOTS; slot++) {
      const log = this.#logAround(slot);
      logs[slot] = log;
      if (Number.isNaN(log)) continue;
      level += log - this.#logs[slot]!;
      counted++;
    }
    if (counted < LEAST_SLOTS) return;
    level /= counted;
    this.#forgetMeans();
    for (let slot = 0; slot < SLOTS; slot++) {
      const log = logs[slot]!;
      if (Number.isNaN(log)) continue;
      this.#days[slot] = Math.min(MOST_DAYS, this.#days[slot]! + 1);
      this.#logs[slot] = this.#logs[slot]! + (log - level - this.#logs[slot]!) / this.#days[slot]!;
    }
  }

  /** ln of the mean squared move of the day's minutes within half an hour; NaN if the slot was closed or there was no move. */
  #logAround(slot: number): number {
    if (this.#minutes[slot] === 0) return NaN;
    let sum = 0;
    let minutes = 0;
    for (let near = Math.max(0, slot - NEAR_SLOTS); near <= Math.min(SLOTS - 1, slot + NEAR_SLOTS); near++) {
      sum += this.#sums[near]!;
      minutes += this.#minutes[near]!;
    }
    return minutes < LEAST_MINUTES || sum === 0 ? NaN : Math.log(sum / minutes);
  }
}

const valueOf = (log: number, days: number): number => Math.exp((log * days) / (days + PRIOR_DAYS));

/** The profile by slot of five minutes of the UTC day. */
export type ClockValues = Float64Array;

/** Mean over a span; the value of its slot for a span within one. */
export function meanOfClock(values: ClockValues, fromMs: number, toMs: number): number {
  if (!(toMs > fromMs)) return values[slotOf(toMs)]!;
  if (toMs <= (Math.floor(fromMs / SLOT_MS) + 1) * SLOT_MS) return values[slotOf(fromMs)]!;
  let sum = 0;
  for (let ms = fromMs; ms < toMs;) {
    const until = Math.min(toMs, (Math.floor(ms / SLOT_MS) + 1) * SLOT_MS);
    sum += (until - ms) * values[slotOf(ms)]!;
    ms = until;
  }
  return sum / (toMs - fromMs);
}

const slotOf = (ms: number): number => Math.floor((ms - Math.floor(ms / DAY_MS) * DAY_MS) / SLOT_MS);
