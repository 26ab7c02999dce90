import { KneeSearch } from './KneeSearch.ts';
import type { LoadReport } from './Outcomes.ts';
import type { BodySet, Rig } from './Rig.ts';
import type { Side } from './Side.ts';
import { summarize, type Summary } from './summarize.ts';

/** A rate is met if 99 of 100 answers arrive within this time, */
export const KNEE_P99_MS = 100;
/** and this fraction of the due requests is answered. The first quarter does not count; answers after the end do not count. */
const KNEE_FRACTION = 0.98;

/** Enough connections for a rate without long waits; more connections would be extra work for the server. */
export const KNEE_CONNECTIONS = 512;

export type Knee = { readonly side: Side; readonly rate: number };

/** Measured after the first quarter, in which the queues settle. */
export function settled(report: LoadReport, seconds: number, deadlineMs?: number): Summary {
  return summarize(report, { fromMs: 250 * seconds, toMs: 1000 * seconds }, deadlineMs);
}

function isMet(report: LoadReport, rate: number, seconds: number): boolean {
  const { p99, rate: served, n, counts } = settled(report, seconds);
  return p99 <= KNEE_P99_MS && served >= KNEE_FRACTION * rate && counts.ok >= KNEE_FRACTION * n;
}

/**
 * The highest rate that each server meets in an open loop, starting from the rate of a closed loop with 32 callers. The searches are
 * interleaved. Throws if a server meets none.
 */
export async function findKnees(rig: Rig, sides: readonly Side[], bodies: BodySet): Promise<Knee[]> {
  const { seconds } = rig.effort;
  const searches: { side: Side; search: KneeSearch }[] = [];
  for (const side of sides) {
    const { report } = await rig.measure(side, bodies, { kind: 'closed', connections: 32, seconds });
    searches.push({ side, search: new KneeSearch(0.9 * settled(report, seconds).rate) });
  }
  for (let running = searches; running.length > 0; running = searches.filter(({ search }) => search.next !== undefined))
    for (const { side, search } of rig.shuffled(running)) {
      const rate = search.next!;
      const { report } = await rig.measure(side, bodies, { kind: 'open', phases: [{ rate, seconds }], firstConnections: KNEE_CONNECTIONS });
      search.learn(isMet(report, rate, seconds));
    }
  return searches.map(({ side, search: { knee } }) => {
    if (knee === 0) throw new Error(`${side.name} meets no rate at all within p99 of ${KNEE_P99_MS} ms`);
    return { side, rate: knee };
  });
}
