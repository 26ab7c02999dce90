import type { BenchRow } from '../Bench.ts';
import { comparedRow, isOurs, type Compared } from './comparedRow.ts';
import { findKnees, KNEE_CONNECTIONS, KNEE_P99_MS, settled, type Knee } from './findKnees.ts';
import { p99Between, readLoopDelays } from './loopDelay.ts';
import type { Rig } from './Rig.ts';
import type { Side } from './Side.ts';

const OPEN_LOOP_FRACTION = 0.8;

/** One server at a constant rate, with its latencies per round in ms. */
type Cell = { readonly side: Side; readonly rate: number; readonly p50: number[]; readonly p99: number[]; disturbed: number };

const cellOf = (side: Side, rate: number): Cell => ({ side, rate, p50: [], p99: [], disturbed: 0 });
const roundsOf = (cell: Cell, level: 'p50' | 'p99'): Compared => ({
  side: cell.side,
  rounds: { values: cell[level], disturbed: cell.disturbed },
});

/** The knee of every server; latency at 80 % of its own knee, and of tickmark at 80 % of the knee of the peer. */
export async function kneeRows(rig: Rig, sides: readonly Side[]): Promise<BenchRow[]> {
  const knees = await findKnees(rig, sides, 'even');
  const ours = knees.filter(({ side }) => isOurs(side));
  const peer = knees.find(({ side }) => !isOurs(side));
  const atPart = ({ side }: Knee, { rate }: Knee): Cell => cellOf(side, OPEN_LOOP_FRACTION * rate);
  const peerCell = peer && atPart(peer, peer);
  const cells = ours.map((knee) => ({ knee, own: atPart(knee, knee), same: peer && atPart(knee, peer) }));
  await measureCells(rig, [
    ...cells.flatMap(({ own, same }) => (same === undefined ? [own] : [own, same])),
    ...(peerCell ? [peerCell] : []),
  ]);
  const kneeOf = ({ side, rate }: Knee): Compared => ({ side, rounds: { values: [rate], disturbed: 0 } });
  const latencyRows = (what: string, cell: Cell): BenchRow[] =>
    (['p50', 'p99'] as const).map((level) =>
      comparedRow(
        { what: `${what}: ${level}`, unit: 'ms' },
        roundsOf(cell, level),
        peerCell && roundsOf(peerCell, level),
        level === 'p99' ? '>= 1x' : undefined,
      ),
    );
  const rows = cells.flatMap(({ knee, own, same }) => {
    const { name } = knee.side;
    const title = { what: `${name}: knee, open loop, p99 <= ${KNEE_P99_MS} ms`, unit: '/s', isRate: true } as const;
    return [
      comparedRow(title, kneeOf(knee), peer && kneeOf(peer)),
      ...latencyRows(`${name} at 80 % of its own knee`, own),
      ...(same === undefined ? [] : latencyRows(`${name} at the same ${Math.round(same.rate)}/s`, same)),
    ];
  });
  return [...rows, ...(await loopDelayRows(rig, ours))];
}

async function measureCells(rig: Rig, cells: readonly Cell[]): Promise<void> {
  const { rounds, seconds } = rig.effort;
  for (let round = 0; round < rounds; round++)
    for (const cell of rig.shuffled(cells)) {
      const { report, isDisturbed } = await rig.measure(cell.side, 'even', {
        kind: 'open',
        phases: [{ rate: cell.rate, seconds }],
        firstConnections: KNEE_CONNECTIONS,
      });
      const { p50, p99 } = settled(report, seconds);
      cell.p50.push(p50);
      cell.p99.push(p99);
      if (isDisturbed) cell.disturbed++;
    }
}

/** Upper bound of the p99 event-loop delay of each service at its knee; none for one without metrics. */
async function loopDelayRows(rig: Rig, knees: readonly Knee[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const { seconds } = rig.effort;
  for (const { side, rate } of knees) {
    if (side.metricsPort === undefined) continue;
    const before = await readLoopDelays(side.metricsPort);
    await rig.measure(side, 'even', { kind: 'open', phases: [{ rate, seconds }], firstConnections: KNEE_CONNECTIONS }, 1);
    const value = p99Between(before, await readLoopDelays(side.metricsPort));
    rows.push({ what: `${side.name} at its knee: p99 of the event-loop delay, at most`, value, unit: 'ms', target: '<= 10 ms' });
  }
  return rows;
}
