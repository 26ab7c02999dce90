import type { Outcomes } from './makeLoad.ts';
import type { BodySet, Rig } from './Rig.ts';
import type { Side } from './startTickmark.ts';
import { summarize, type Summary } from './summarize.ts';

/** A rate is met if 99 of 100 answers arrive within this time, */
export const KNEE_P99_MS = 100;
/** and this fraction of the due requests is answered. The first quarter does not count; answers after the end do not count. */
const KNEE_FRACTION = 0.98;
/** Enough connections for a rate without long waits; more connections would be extra work for the server. */
export const KNEE_CONNECTIONS = 512;
/** Factor of the rate until it was met once and missed once. */
const STEP = 1.2;
/** Precision of the knee, as a ratio. */
const PRECISION = 1.03;
const MOST_PROBES = 14;

/** Measured after the first quarter, in which the queues settle. */
export function settled(outcomes: Outcomes, seconds: number): Summary {
  return summarize(outcomes, { fromMs: 250 * seconds, toMs: 1000 * seconds });
}

/**
 * The highest rate that is met; 0 if none. A rate counts as missed after two misses in a row, so that one pause of the machine does not end
 * the search.
 */
export async function searchKnee(startRate: number, isMet: (rate: number) => Promise<boolean>): Promise<number> {
  let [rate, met, missed, hasMissed] = [startRate, 0, Infinity, false];
  for (let probe = 0; probe < MOST_PROBES && !(met > 0 && missed / met <= PRECISION); probe++) {
    const isGood = await isMet(rate);
    if (!isGood && !hasMissed) {
      hasMissed = true;
      continue;
    }
    hasMissed = false;
    if (isGood) met = rate;
    else missed = rate;
    if (missed === Infinity) rate = met * STEP;
    else rate = met === 0 ? missed / STEP : Math.sqrt(met * missed);
  }
  return met;
}

/** The highest rate that a server meets in an open loop, starting from the rate of a closed loop with 32 callers. Throws if it meets none. */
export async function findKnee(rig: Rig, side: Side, bodies: BodySet): Promise<number> {
  const { seconds } = rig.effort;
  const { outcomes } = await rig.measure(side, bodies, { connections: 32, seconds });
  const knee = await searchKnee(0.9 * settled(outcomes, seconds).rate, async (rate) => {
    const load = { phases: [{ rate, seconds }], firstConnections: KNEE_CONNECTIONS };
    const { p99, rate: served, n, counts } = settled((await rig.measure(side, bodies, load)).outcomes, seconds);
    return p99 <= KNEE_P99_MS && served >= KNEE_FRACTION * rate && counts.ok >= KNEE_FRACTION * n;
  });
  if (knee === 0) throw new Error(`${side.name} meets no rate at all within p99 of ${KNEE_P99_MS} ms`);
  return knee;
}
