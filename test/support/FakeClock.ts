import type { Clock } from '../../src/core/Clock.ts';

/** A clock that advances only when the test advances it. */
export class FakeClock implements Clock {
  #nowMs: number;
  #timers: { at: number; run: () => void }[] = [];

  constructor(startMs = Date.UTC(2024, 0, 1)) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#nowMs + delayMs, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(byMs: number): void {
    this.#nowMs += byMs;
    const due = this.#timers.filter((timer) => timer.at <= this.#nowMs).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#nowMs);
    for (const timer of due) timer.run();
  }
}
