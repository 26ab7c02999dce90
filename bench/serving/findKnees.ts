import { KneeSearch } from './KneeSearch.ts';
import type { LoadReport } from './Outcomes.ts';
import type { BodySet, Rig } from './Rig.ts';
import type { Side } from './Side.ts';
import { summarize, type Summary } from './summarize.ts';

/** A rate is met when 99 of 100 answers come within this time, */
export const KNEE_P99_MS = 100;
/** and this share of what was due is answered, in the time after the first quarter: what is late at the end was not served. */
export const KNEE_SHARE = 0.98;

/** Enough for a rate at which nobody waits long; opening more is work for the server that is not asked about. */
export const KNEE_CONNECTIONS = 512;

export type Knee = { readonly side: Side; readonly rate: number };

/** After the first quarter, in which queues find their length. */
export function settled(report: LoadReport, seconds: number, deadlineMs?: number): Summary {
  return summarize(report, { fromMs: 250 * seconds, toMs: 1000 * seconds }, deadlineMs);
}

export function isMet(report: LoadReport, rate: number, seconds: number): boolean {
  const { p99, rate: served, n, counts } = settled(report, seconds);
  return p99 <= KNEE_P99_MS && served >= KNEE_SHARE * rate && counts.ok >= KNEE_SHARE * n;
}

/** The knee of each server. Throws where one has none. */
export async function findKnees(rig: Rig, sides: readonly Side[], bodies: BodySet): Promise<Knee[]> {
  const knees = await searchKnees(rig, sides, bodies);
  for (const { side, rate } of knees) if (rate === 0) throw new Error(`${side.name} meets no rate at all within p99 of ${KNEE_P99_MS} ms`);
  return knees;
}

/** The highest rate that each server meets in an open loop, from that of a closed one with 32 callers; 0: none. The searches take turns. */
export async function searchKnees(rig: Rig, sides: readonly Side[], bodies: BodySet): Promise<Knee[]> {
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
  return searches.map(({ side, search }) => ({ side, rate: search.knee }));
}
