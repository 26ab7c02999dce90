import type { Random } from '../../src/core/Random.ts';

const SPECIAL = [NaN, Infinity, -1, 0.5, 1e17, -1e300, 2 ** 53, 0, 3, null, true, '', 'x', '2026-02-03', '0'.repeat(70), [], {}, [[1, 2]]];

/** A copy with another value in one place, or without it. NaN becomes null in JSON, and stays what it is in a store. */
export function mutateJson<T>(value: T, random: Random): T {
  const copy = structuredClone(value);
  const places: (readonly [holder: Record<string, unknown>, name: string])[] = [];
  const walk = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const name of Object.keys(one)) {
      places.push([one as Record<string, unknown>, name]);
      walk((one as Record<string, unknown>)[name]);
    }
  };
  walk(copy);
  const [holder, name] = places[random.integer(places.length)];
  const old = holder[name];
  if (random.integer(8) === 0) delete holder[name];
  else if (typeof old === 'number' && random.integer(3) === 0) holder[name] = old + random.integer(5) - 2;
  else holder[name] = SPECIAL[random.integer(SPECIAL.length)];
  return copy;
}
