/** Time and timers. Called by everything that waits or stamps; tests pass `FakeClock`. */
export type Clock = {
  /** Wall clock, milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Never goes back; milliseconds with a fraction from an arbitrary start. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; returns a function that calls it off. Keeps the process alive only where `keepsAlive` says so. */
  after(delayMs: number, run: () => void, keepsAlive?: boolean): () => void;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run, keepsAlive = false) {
    const timer = setTimeout(run, delayMs);
    if (!keepsAlive) timer.unref();
    return () => clearTimeout(timer);
  },
};
