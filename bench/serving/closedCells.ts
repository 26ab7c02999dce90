import type { BenchRow } from '../Bench.ts';
import { measure as measureCalls } from '../measure.ts';
import { comparedRows, isFastApi, isOurs, type Compared, type Measure, type Rounds } from './comparedRows.ts';
import type { Measured, Rig } from './Rig.ts';
import type { Side } from './Side.ts';
import { summarize } from './summarize.ts';

const CONNECTIONS = [1, 8, 32] as const;
/** The start of each visit does not count. */
const SETTLE_MS = 200;

const MEASURES = {
  rate: { what: 'requests/s', unit: '/s', isRate: true },
  p50: { what: 'p50', unit: 'ms' },
  p99: { what: 'p99', unit: 'ms' },
  cpu: { what: 'CPU of all its processes a request', unit: 'ms' },
} as const satisfies Record<string, Measure>;
const OWN_MEASURES = {
  mainThread: { what: 'CPU of the main thread a request', unit: 'us' },
  mainProcess: { what: 'CPU of the main process a request', unit: 'us' },
  network: { what: "CPU of the network's process a request", unit: 'us' },
  generator: { what: 'CPU of the load generator a request', unit: 'us' },
} as const satisfies Record<string, Measure>;

type Name = keyof typeof MEASURES | keyof typeof OWN_MEASURES;
type ClosedFigures = Record<Name, number>;

/** What one visit of a closed loop says. */
function closedFigures({ report, cpu }: Measured, seconds: number): ClosedFigures {
  const { rate, p50, p99 } = summarize(report, { fromMs: Math.min(SETTLE_MS, 200 * seconds), toMs: seconds * 1000 });
  const count = report.status.length;
  const us = (ms: number): number => (1000 * ms) / count;
  const own = { mainThread: us(cpu.mainThreadMs), mainProcess: us(cpu.mainProcessMs), network: us(cpu.childrenMs) };
  return { rate, p50, p99, cpu: cpu.treeMs / count, ...own, generator: us(report.generatorCpuMs) };
}

/** What was asked of the main thread was asked on a machine where this takes 89 us: the ratio of the two says it for any machine. */
const MAIN_THREAD_TARGET = '>= 0.4x (220 us where Date.parse takes 89)';

/** Microseconds that Date.parse takes for the stamps of one body, in a spell without load. */
async function dateParseUs({ bodies }: Rig): Promise<number> {
  const stamps = (JSON.parse(bodies.even[0]!) as { Timestamp: string[] }).Timestamp.map((stamp) => `${stamp}Z`);
  const [us = NaN] = await measureCalls([() => Float64Array.from(stamps, (stamp) => Date.parse(stamp))], { rounds: 51 });
  return us;
}

function targetOf(side: Side, name: Name, connections: number, peer: Pick<Side, 'name'> | undefined): string | undefined {
  if (name === 'mainThread') return connections === 1 ? undefined : MAIN_THREAD_TARGET;
  if (name !== 'rate' || peer === undefined) return undefined;
  const isNative = side.name.includes('native');
  if (isFastApi(peer)) {
    if (connections === 1) return isNative ? '>= 0.9x' : undefined;
    return isNative ? '>= 2x' : '>= 1x';
  }
  return isNative && connections > 1 ? '>= 2.5x' : undefined;
}

export type ClosedCell = {
  readonly side: Side;
  readonly connections: number;
  /** Of each round. */
  readonly figures: ClosedFigures[];
  failed: number;
  disturbed: number;
};

/** Every server under each number of callers, cells in another random order each round. */
export async function closedCells(
  rig: Rig,
  sides: readonly Side[],
  callers: readonly number[],
  beforeRound: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ClosedCell[]> {
  const { rounds, seconds } = rig.effort;
  const cells = sides.flatMap((side) =>
    callers.map((connections): ClosedCell => ({ side, connections, figures: [], failed: 0, disturbed: 0 })),
  );
  for (let round = 0; round < rounds; round++) {
    await beforeRound();
    for (const cell of rig.shuffled(cells)) {
      const measured = await rig.measure(cell.side, 'even', { kind: 'closed', connections: cell.connections, seconds });
      cell.figures.push(closedFigures(measured, seconds));
      cell.failed += measured.report.status.filter((status) => status !== 200).length;
      if (measured.isDisturbed) cell.disturbed++;
    }
  }
  return cells;
}

/** Ours once more, asked for the last entry alone. */
const withLastOnly = (side: Side): Side[] =>
  isOurs(side) ? [side, { ...side, name: `${side.name}, ?answer=last`, query: '?answer=last' }] : [side];

/** Every server under 1, 8 and 32 callers. */
export async function closedRows(rig: Rig, started: readonly Side[]): Promise<BenchRow[]> {
  const sides = started.flatMap(withLastOnly);
  const dateParse: Compared = { side: { name: `Date.parse of a body's stamps` }, rounds: { values: [], disturbed: 0 } };
  const cells = await closedCells(rig, sides, CONNECTIONS, async () => dateParse.rounds.values.push(await dateParseUs(rig)));
  const rows: BenchRow[] = sides.map((side) => ({
    what: `${side.name}: requests of all closed loops that failed`,
    value: cells.reduce((sum, cell) => sum + (cell.side === side ? cell.failed : 0), 0),
    unit: 'requests',
    target: '0',
  }));
  for (const { side, connections, figures, disturbed } of cells.filter((cell) => isOurs(cell.side))) {
    const peers = cells.filter((cell) => !isOurs(cell.side) && cell.connections === connections);
    const roundsOf = (cell: { figures: ClosedFigures[]; disturbed: number }, name: Name): Rounds => ({
      values: cell.figures.map((figure) => figure[name]),
      disturbed: cell.disturbed,
    });
    const title = ({ what, ...rest }: Measure): Measure => ({
      what: `${side.name}, ${connections} ${connections === 1 ? 'connection' : 'connections'}: ${what}`,
      ...rest,
    });
    for (const [name, measure] of Object.entries(MEASURES) as [keyof typeof MEASURES, Measure][]) {
      const compared = peers.map((peer) => ({ side: peer.side, rounds: roundsOf(peer, name) }));
      const ours = { side, rounds: roundsOf({ figures, disturbed }, name) };
      rows.push(...comparedRows(title(measure), ours, compared, (peer) => targetOf(side, name, connections, peer)));
    }
    for (const [name, measure] of Object.entries(OWN_MEASURES) as [keyof typeof OWN_MEASURES, Measure][]) {
      const ours = { side, rounds: roundsOf({ figures, disturbed }, name) };
      const beside = name === 'mainThread' && connections > 1 ? [dateParse] : [];
      rows.push(...comparedRows(title(measure), ours, beside, () => targetOf(side, name, connections, undefined)));
    }
  }
  return rows;
}
