import type { Clock } from '../core/Clock.ts';

const PERIOD_MS = 20;
/** What waited during a block is not all read in the turn that follows it. */
const KEPT = 3;

/**
 * How late the event loop is, or was a moment ago. What is read now may have waited as long: a request's time limit counts from there, so that after
 * a block what nobody waits for any more is refused at once.
 */
export class LoopDelay {
  readonly #clock: Clock;
  readonly #onDelay: (ms: number) => void;
  /** Of the last timers, the oldest first. */
  #delaysMs = new Array<number>(KEPT).fill(0);
  #cancel: () => void = () => {};

  constructor(clock: Clock, onDelay: (ms: number) => void = () => {}) {
    this.#clock = clock;
    this.#onDelay = onDelay;
    this.#watch();
  }

  get delayMs(): number {
    return Math.max(...this.#delaysMs);
  }

  close(): void {
    this.#cancel();
  }

  #watch(): void {
    const dueMs = this.#clock.monotonicMs() + PERIOD_MS;
    this.#cancel = this.#clock.after(PERIOD_MS, () => {
      const delayMs = Math.max(0, this.#clock.monotonicMs() - dueMs);
      this.#delaysMs = [...this.#delaysMs.slice(1), delayMs];
      this.#onDelay(delayMs);
      this.#watch();
    });
  }
}
