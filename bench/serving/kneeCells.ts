import type { BenchRow } from '../Bench.ts';
import { comparedRows, isFastApi, isOurs, type Rounds } from './comparedRows.ts';
import { findKnees, KNEE_CONNECTIONS, KNEE_P99_MS, settled } from './findKnees.ts';
import { p99Between, readLoopDelays } from './loopDelay.ts';
import type { Rig } from './Rig.ts';
import type { Side } from './Side.ts';

const SHARE = 0.8;

/** The knee of every server, and latency at 80 % of its own. */
export async function kneeRows(rig: Rig, sides: readonly Side[]): Promise<BenchRow[]> {
  const { rounds, seconds } = rig.effort;
  const cells = (await findKnees(rig, sides, 'even')).map((knee) => ({ ...knee, p50: [] as number[], p99: [] as number[], disturbed: 0 }));
  for (let round = 0; round < rounds; round++)
    for (const cell of rig.shuffled(cells)) {
      const { report, isDisturbed } = await rig.measure(cell.side, 'even', {
        kind: 'open',
        phases: [{ rate: SHARE * cell.rate, seconds }],
        firstConnections: KNEE_CONNECTIONS,
      });
      const { p50, p99 } = settled(report, seconds);
      cell.p50.push(p50);
      cell.p99.push(p99);
      if (isDisturbed) cell.disturbed++;
    }
  const loopRows: BenchRow[] = [];
  for (const { side, rate } of cells)
    if (side.metricsPort !== undefined) {
      const before = await readLoopDelays(side.metricsPort);
      await rig.measure(side, 'even', { kind: 'open', phases: [{ rate, seconds }], firstConnections: KNEE_CONNECTIONS }, 1);
      const value = p99Between(before, await readLoopDelays(side.metricsPort));
      loopRows.push({ what: `${side.name} at its knee: p99 of the event loop's delay, at most`, value, unit: 'ms', target: '<= 10 ms' });
    }
  type Cell = (typeof cells)[number];
  const kneeOf = ({ side, rate }: Cell): { side: Side; rounds: Rounds } => ({ side, rounds: { values: [rate], disturbed: 0 } });
  const latencyOf = (cell: Cell, share: 'p50' | 'p99'): { side: Side; rounds: Rounds } => ({
    side: cell.side,
    rounds: { values: cell[share], disturbed: cell.disturbed },
  });
  const peers = cells.filter(({ side }) => !isOurs(side));
  const rows = cells
    .filter(({ side }) => isOurs(side))
    .flatMap((cell) => {
      const { name } = cell.side;
      const knee = { what: `${name}: knee, open loop, p99 <= ${KNEE_P99_MS} ms`, unit: '/s', isRate: true } as const;
      const at = (share: string): { what: string; unit: string } => ({ what: `${name} at 80 % of its knee: ${share}`, unit: 'ms' });
      return [
        ...comparedRows(knee, kneeOf(cell), peers.map(kneeOf), () => undefined),
        ...comparedRows(
          at('p50'),
          latencyOf(cell, 'p50'),
          peers.map((peer) => latencyOf(peer, 'p50')),
          () => undefined,
        ),
        ...comparedRows(
          at('p99'),
          latencyOf(cell, 'p99'),
          peers.map((peer) => latencyOf(peer, 'p99')),
          (peer) => (peer !== undefined && isFastApi(peer) ? '>= 2x' : undefined),
        ),
      ];
    });
  return [...rows, ...loopRows];
}
