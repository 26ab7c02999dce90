import type { Clock } from './Clock.ts';

/** Calls `run` each `ms`, from then on; returns a function that stops it. */
export function every(clock: Pick<Clock, 'after'>, ms: number, run: () => void): () => void {
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.after(ms, () => {
      next();
      run();
    });
  };
  next();
  return () => cancel();
}
