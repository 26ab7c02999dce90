import { seededRandom, type Random } from '../../src/core/Random.ts';
import type { Fault } from './Fault.ts';

/** Fraction of the waves that also have a light fault. */
const LIGHT_FRACTION = 0.7;
const LONGEST_OFFSET_MS = 1500;
const LONGEST_PAUSE_MS = 1500;

export type Planned = { readonly fault: Fault; readonly afterMs: number; readonly random: Random };
/** Simultaneous faults, and the pause after them. */
export type Wave = { readonly faults: readonly Planned[]; readonly pauseMs: number };

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.integer(rest.length), 1)[0]);
}

/** All faults in random order, repeated: each wave has one, and usually also a light one. The same seed gives the same waves. */
export function* schedule(seed: number, faults: readonly Fault[]): Generator<Wave> {
  const random = seededRandom(seed);
  const light = faults.filter(({ isLight }) => isLight === true);
  const heavy = faults.length > light.length ? faults.filter(({ isLight }) => isLight !== true) : light;
  const queues: { heavy: Fault[]; light: Fault[] } = { heavy: [], light: [] };
  const next = (kind: 'heavy' | 'light', from: readonly Fault[]): Planned => {
    if (queues[kind].length === 0) queues[kind] = shuffled(from, random);
    const afterMs = random.uniform() * LONGEST_OFFSET_MS;
    return { fault: queues[kind].shift()!, afterMs, random: seededRandom(random.integer(2 ** 32)) };
  };
  for (;;) {
    const planned = [next('heavy', heavy)];
    if (heavy !== light && light.length > 0 && random.uniform() < LIGHT_FRACTION) planned.push(next('light', light));
    yield { faults: planned, pauseMs: random.uniform() * LONGEST_PAUSE_MS };
  }
}
