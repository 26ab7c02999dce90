import { systemClock, type Clock } from './Clock.ts';

/**
 * Milliseconds per call of each function: the lower quartile of `rounds` rounds. All functions run in each round, because the pauses of a
 * shared machine only ever add time.
 */
export function compareDurations<Name extends string>(
  sides: Readonly<Record<Name, () => unknown>>,
  rounds: number,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
): Record<Name, number> {
  const plans = Object.entries(sides).map(([name, run]) => ({ name, run: run as () => unknown, timesMs: [] as number[] }));
  for (let round = 0; round < rounds; round++)
    for (const { run, timesMs } of plans) {
      const startMs = clock.monotonicMs();
      run();
      timesMs.push(clock.monotonicMs() - startMs);
    }
  const quartiles = plans.map(({ name, timesMs }) => [name, timesMs.sort((a, b) => a - b)[rounds >> 2]] as const);
  return Object.fromEntries(quartiles) as Record<Name, number>;
}
