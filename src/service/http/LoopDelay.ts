import type { Clock } from '../../core/Clock.ts';

const PERIOD_MS = 20;
/** Number of recent delays that count: not all that arrived during a block is read in the next iteration. */
const KEPT = 3;

/**
 * Delay of the event loop, in milliseconds. A request that is read now may have waited for `delayMs`. Time limits count from there, so that
 * after a block, requests that are already too late are refused at once.
 */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #onDelay: (ms: number) => void;
  /** Delays of the last timers, oldest first. */
  #delaysMs = new Array<number>(KEPT).fill(0);
  #dueMs = 0;
  #cancel: () => void = () => {};

  constructor(clock: Clock, onDelay: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#onDelay = onDelay;
    this.#watch();
  }

  get delayMs(): number {
    // A timer that is overdue counts too: after a block in a timer, sockets are read before other timers run.
    return Math.max(...this.#delaysMs, this.#clock.monotonicMs() - this.#dueMs);
  }

  /** What each of the last iterations was late at least: an iteration from now on is expected to be late by this. One long block is none. */
  get steadyMs(): number {
    return Math.min(...this.#delaysMs);
  }

  close(): void {
    this.#cancel();
    this.#dueMs = Infinity;
  }

  #watch(): void {
    this.#dueMs = this.#clock.monotonicMs() + PERIOD_MS;
    this.#cancel = this.#clock.after(PERIOD_MS, () => {
      const delayMs = Math.max(0, this.#clock.monotonicMs() - this.#dueMs);
      this.#delaysMs = [...this.#delaysMs.slice(1), delayMs];
      this.#onDelay(delayMs);
      this.#watch();
    });
  }
}
