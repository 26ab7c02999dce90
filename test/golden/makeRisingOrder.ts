/** `npx tsx test/golden/makeRisingOrder.ts` writes what RisingOrder makes of 20 series: the Python client must make the same. */
import { writeFileSync } from 'node:fs';
import { RisingOrder } from '../../clients/typescript/src/live/RisingOrder.ts';
import { seededRandom } from '../../src/core/Random.ts';

/** Ticks with pauses, equal, wrong and late stamps, and times that begin again; microseconds. */
function stampsOf(seed: number): number[] {
  const { uniform } = seededRandom(seed);
  const found: number[] = [];
  let us = 0;
  for (let i = 0; i < 500; i++) {
    us += Math.floor(uniform() * 1e6) + (uniform() < 0.02 ? Math.floor(uniform() * 3e9) : 0);
    if (uniform() < 0.05) us -= Math.floor(uniform() * 5e5);
    if (i === 250 && seed % 3 === 0) us -= 40_000_000_000;
    const wrong = uniform() < 0.03 ? Math.floor(uniform() * 9e10) : uniform() < 0.02 ? -Math.floor(uniform() * 9e10) : 0;
    found.push(1e15 + us + wrong);
  }
  return found;
}

/** What becomes of each stamp, and how many are used after it. */
export function outcomeOf(stamps: readonly number[]): { readonly orders: string; readonly late: number; readonly ahead: number } {
  const order = new RisingOrder<number>();
  let orders = '';
  for (const us of stamps) {
    const found = order.take(us, us);
    orders += found[0] + (found === 'confirmed' || found === 'restarted' ? String(order.released.length) : '');
  }
  return { orders, late: order.late, ahead: order.ahead };
}

export const RISING_ORDER = Array.from({ length: 20 }, (_, seed) => {
  const stamps = stampsOf(seed);
  return { steps: stamps.map((us, i) => us - (stamps[i - 1] ?? 0)), ...outcomeOf(stamps) };
});

if (import.meta.url === `file://${process.argv[1]}`)
  writeFileSync(new URL('./risingOrder.json', import.meta.url), `${JSON.stringify(RISING_ORDER)}\n`);
