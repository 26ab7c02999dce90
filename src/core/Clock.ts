/** Time and timers. Called by everything that waits or stamps; tests pass `FakeClock`. */
export type Clock = {
  /** Wall clock, milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
  /** Never goes back; milliseconds with a fraction from an arbitrary start. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; returns a function that calls it off. Does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
};

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
