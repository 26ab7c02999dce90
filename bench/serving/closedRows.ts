import type { BenchRow } from '../Bench.ts';
import type { Rig } from './Rig.ts';
import type { Side } from './startTickmark.ts';
import { median, summarize } from './summarize.ts';

/** Uncounted time at the start of each visit. */
const SETTLE_MS = 200;
const FIGURES = [
  { name: 'rate', what: 'requests/s', unit: '/s' },
  { name: 'p50', what: 'p50', unit: 'ms' },
  { name: 'p99', what: 'p99', unit: 'ms' },
  { name: 'cpu', what: 'CPU of all its processes per request', unit: 'ms' },
] as const;
type Visit = Record<(typeof FIGURES)[number]['name'], number> & { readonly failed: number };

/** Each side and a peer with each number of callers, in turn; a ratio above 1 is in favour of the side. */
export async function closedRows(rig: Rig, sides: readonly Side[], peer: Side, connectionsOf: readonly number[]): Promise<BenchRow[]> {
  const { rounds, seconds } = rig.effort;
  const cells = [...sides, peer].flatMap((side) => connectionsOf.map((connections) => ({ side, connections, visits: [] as Visit[] })));
  for (let round = 0; round < rounds; round++)
    for (const { side, connections, visits } of round % 2 === 0 ? cells : cells.toReversed()) {
      const { outcomes, cpuMs } = await rig.measure(side, 'even', { connections, seconds });
      const { rate, p50, p99 } = summarize(outcomes, { fromMs: Math.min(SETTLE_MS, 200 * seconds), toMs: seconds * 1000 });
      const failed = outcomes.status.filter((status) => status !== 200).length;
      visits.push({ rate, p50, p99, cpu: cpuMs / outcomes.status.length, failed });
    }
  const failed = cells.flatMap(({ visits }) => visits).reduce((sum, visit) => sum + visit.failed, 0);
  return [
    { what: 'requests of all closed loops that failed', value: failed, unit: 'requests', target: '0' },
    ...cells
      .filter(({ side }) => side !== peer)
      .flatMap(({ side, connections, visits }) => {
        const same = cells.find((cell) => cell.side === peer && cell.connections === connections)!;
        return FIGURES.map(({ name, what, unit }): BenchRow => {
          const [value, peerValue] = [visits, same.visits].map((of) => median(of.map((visit) => visit[name]))) as [number, number];
          const ratio = name === 'rate' ? value / peerValue : peerValue / value;
          const title = `${side.name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}: ${what}`;
          return { what: title, value, unit, peer: peer.name, peerValue, ratio };
        });
      }),
  ];
}
