import { systemClock, type Clock } from '../../src/core/Clock.ts';

/** Stands still until the test advances it, so that no time limit depends on the speed of the machine. Timers run in real time. */
export class SteppedClock implements Clock {
  #nowMs = Date.UTC(2026, 0, 15, 12);
  readonly after = systemClock.after;

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
  }
}
