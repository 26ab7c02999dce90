import { seededRandom, type Random } from '../../src/core/Random.ts';
import type { Fault } from './Fault.ts';

/** Of the waves, so many have a light fault too. */
const LIGHT_FRACTION = 0.7;
const LONGEST_OFFSET_MS = 1500;
const LONGEST_PAUSE_MS = 1500;

export type Planned = { readonly fault: Fault; readonly afterMs: number; readonly random: Random };
/** Faults that come together, and what follows them before the next. */
export type Wave = { readonly faults: readonly Planned[]; readonly pauseMs: number };

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.integer(rest.length), 1)[0]!);
}

/** All faults in random order, again and again: each wave one, and mostly a light one with it. The same seed gives the same waves. */
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
