import { systemClock, type Clock } from '../../src/core/Clock.ts';

/** The system clock, set ahead by the test. Timers run in real time. */
export class AheadClock implements Clock {
  #aheadMs = 0;
  readonly after = systemClock.after;

  nowMs(): number {
    return systemClock.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }

  advance(byMs: number): void {
    this.#aheadMs += byMs;
  }
}
