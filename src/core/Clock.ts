/** Time and timers, for everything that waits or reads the time; tests pass `FakeClock`. */
export type Clock = {
  /** Wall clock, milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Monotonic; milliseconds with a fraction from an arbitrary start. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs`; returns a function that cancels the call. The timer keeps the process alive only with `keepsAlive`.
   */
  after(delayMs: number, run: () => void, keepsAlive?: boolean): () => void;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, keepsAlive = false) {
    const timer = setTimeout(run, delayMs);
    // A browser returns a number.
    if (!keepsAlive) timer.unref?.();
    return () => clearTimeout(timer);
  },
};
