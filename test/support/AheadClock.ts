import { systemClock, type Clock } from '../../src/core/Clock.ts';

/** The system's clock, set ahead by the test. Timers take their real time. */
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
