import { ask } from './ask.ts';

const CALM_MS = 20;
const MOST_MS = 15_000;

/** Waits until a server answers a small request quickly three times in a row, so that the previous load does not affect the next one. */
export async function untilCalm(port: number): Promise<void> {
  const endMs = performance.now() + MOST_MS;
  for (let calm = 0; calm < 3 && performance.now() < endMs;) {
    const startMs = performance.now();
    await ask(port, { path: '/health/live' });
    calm = performance.now() - startMs < CALM_MS ? calm + 1 : 0;
  }
}
