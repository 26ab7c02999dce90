import { lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { US_PER_MS, US_PER_S } from '../ticks/TickSeries.ts';
import type { Speed } from './livePlan.ts';

/** Browsers call the timers of a hidden tab once a minute; after a longer time without a call, the tab or the computer slept. */
export const SLEPT_MS = 120_000;
/** The stream is behind its clock by at most this real time, so that it does not race for minutes after a slow service. */
const MOST_LAG_S = 60;
/** Longer waits for the next tick, in real time, are skipped: a night without ticks says nothing. */
const LONGEST_WAIT_S = 30;
const SLOW_LAG_S = 2;

export type Due = {
  /** Indices of the ticks to send: `from` included, `to` not. */
  readonly from: number;
  readonly to: number;
};

/** Says which ticks of a recording are due at a speed. Its clock stands while it is paused or held, and after the tab slept. */
export class TickPlayer {
  readonly #timesUs: Float64Array;
  speed: Speed;
  isRunning = false;
  /** Index of the next tick to send. */
  position = 0;
  /** Time of the stream, in microseconds. */
  #clockUs: number;
  #lastMs = 0;
  /** How long the tab slept, if that paused the player; 0: it did not. */
  sleptMs = 0;

  /** `warmUp`: ticks that are due at once, because there is no forecast before. */
  constructor(timesUs: Float64Array, speed: Speed, warmUp: number) {
    this.#timesUs = timesUs;
    this.speed = speed;
    this.#clockUs = timesUs[Math.min(warmUp, timesUs.length) - 1] ?? 0;
  }

  get isAtEnd(): boolean {
    return this.position >= this.#timesUs.length;
  }

  /** Whether ticks are sent later than the speed demands. */
  get isBehind(): boolean {
    return this.isRunning && Number.isFinite(this.speed) && this.#lagUs > SLOW_LAG_S * this.speed * US_PER_S;
  }

  setSpeed(speed: Speed): void {
    this.#dropLag();
    this.speed = speed;
  }

  run(nowMs: number): void {
    this.#dropLag();
    this.isRunning = true;
    this.sleptMs = 0;
    this.#lastMs = nowMs;
  }

  pause(): void {
    this.isRunning = false;
  }

  /** Time passes, and the clock of the stream stands. */
  hold(nowMs: number): void {
    if (!this.#hasSlept(nowMs)) this.#lastMs = nowMs;
  }

  /** The ticks that are due, at most so many; they count as sent. */
  take(nowMs: number, most: number): Due {
    const from = this.position;
    if (this.isRunning && !this.#hasSlept(nowMs)) {
      this.#advance(Math.max(0, nowMs - this.#lastMs));
      this.#lastMs = nowMs;
      const due = this.speed === Infinity ? this.#timesUs.length : lastAtOrBefore(this.#timesUs, this.#clockUs) + 1;
      this.position = Math.max(from, Math.min(due, from + most));
    }
    return { from, to: this.position };
  }

  get #lagUs(): number {
    return this.isAtEnd ? 0 : this.#clockUs - this.#timesUs[this.position];
  }

  #hasSlept(nowMs: number): boolean {
    const passedMs = nowMs - this.#lastMs;
    if (!this.isRunning || passedMs < SLEPT_MS) return false;
    this.sleptMs = passedMs;
    this.isRunning = false;
    return true;
  }

  #advance(passedMs: number): void {
    if (this.speed === Infinity || this.isAtEnd) return;
    this.#clockUs += passedMs * US_PER_MS * this.speed;
    if (-this.#lagUs > LONGEST_WAIT_S * US_PER_S * this.speed) this.#clockUs = this.#timesUs[this.position];
    this.#clockUs = Math.min(this.#clockUs, this.#timesUs[this.position] + MOST_LAG_S * US_PER_S * this.speed);
  }

  /** Goes on from the last tick that was sent. */
  #dropLag(): void {
    if (this.position > 0) this.#clockUs = this.#timesUs[this.position - 1];
  }
}
