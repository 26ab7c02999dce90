/** Calls `run` after what has arrived in this iteration of the event loop. A browser has only timers. */
export function afterThisIteration(run: () => void): void {
  (globalThis.setImmediate ?? setTimeout)(run);
}
