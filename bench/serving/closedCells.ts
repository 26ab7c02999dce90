import * as path from 'node:path';
import type { BenchRow } from '../Bench.ts';
import { comparedRows, isFastApi, isOurs, type Measure, type Rounds } from './comparedRows.ts';
import type { Measured, Rig } from './Rig.ts';
import type { Side } from './Side.ts';
import { freePort, startProcess } from './startProcess.ts';
import { summarize } from './summarize.ts';

const CONNECTIONS = [1, 8, 32] as const;
/** Uncounted time at the start of each visit. */
const SETTLE_MS = 200;

const MEASURES = {
  rate: { what: 'requests/s', unit: '/s', isRate: true },
  p50: { what: 'p50', unit: 'ms' },
  p99: { what: 'p99', unit: 'ms' },
  cpu: { what: 'CPU of all its processes per request', unit: 'ms' },
} as const satisfies Record<string, Measure>;
type Name = keyof typeof MEASURES;
type ClosedFigures = Record<Name, number>;

/** Figures of one visit of a closed loop. */
function closedFigures({ report, cpu }: Measured, seconds: number): ClosedFigures {
  const { rate, p50, p99 } = summarize(report, { fromMs: Math.min(SETTLE_MS, 200 * seconds), toMs: seconds * 1000 });
  return { rate, p50, p99, cpu: cpu.treeMs / report.status.length };
}

/**
 * Targets of the ratio of requests per second to FastAPI, by connections. CPU: at most 0.4 of the time of the peer, 0.3 if only the last entry
 * is requested.
 */
const RATE_TARGETS: Readonly<Record<number, string>> = { 1: '>= 1.8x', 8: '>= 4x', 32: '>= 4.5x' };
const CPU_TARGET = '>= 2.5x';
const LAST_CPU_TARGET = '>= 3.33x';
/** At most 2.2 times the CPU of a server that only sends the body back. */
const ECHO_CPU_TARGET = '>= 0.45x';
const ECHO = 'node:http that sends the body back';

function targetOf({ query }: Side, name: Name, connections: number, peer: Pick<Side, 'name'> | undefined): string | undefined {
  if (name === 'rate') return peer !== undefined && isFastApi(peer) ? RATE_TARGETS[connections] : undefined;
  if (name !== 'cpu' || connections === 1 || peer === undefined) return undefined;
  if (peer.name === ECHO) return query === undefined ? ECHO_CPU_TARGET : undefined;
  if (!isFastApi(peer)) return undefined;
  return query === undefined ? CPU_TARGET : LAST_CPU_TARGET;
}

type ClosedCell = {
  readonly side: Side;
  readonly connections: number;
  /** Figures of each round. */
  readonly figures: ClosedFigures[];
  failed: number;
  disturbed: number;
};

/** Measures every server with each number of callers; each round has another random order of cells. */
async function closedCells(rig: Rig, sides: readonly Side[]): Promise<ClosedCell[]> {
  const { rounds, seconds } = rig.effort;
  const cells = sides.flatMap((side) =>
    CONNECTIONS.map((connections): ClosedCell => ({ side, connections, figures: [], failed: 0, disturbed: 0 })),
  );
  for (let round = 0; round < rounds; round++) {
    for (const cell of rig.shuffled(cells)) {
      const measured = await rig.measure(cell.side, 'even', { kind: 'closed', connections: cell.connections, seconds });
      cell.figures.push(closedFigures(measured, seconds));
      cell.failed += measured.report.status.filter((status) => status !== 200).length;
      if (measured.isDisturbed) cell.disturbed++;
    }
  }
  return cells;
}

/** The service again, with requests for the last entry only. */
const withLastOnly = (side: Side): Side[] =>
  isOurs(side) ? [side, { ...side, name: `${side.name}, ?answer=last`, query: '?answer=last' }] : [side];

/** Forecasts nothing, and checks no key. */
async function startEcho(rig: Rig): Promise<Side> {
  const port = await freePort();
  const folder = path.join(import.meta.dirname, '../peers/serving');
  const { child } = await startProcess(process.execPath, ['server_echo.mjs'], { PORT: String(port) }, folder);
  const side = { name: ECHO, port, keys: ['-'], process: child };
  rig.add(side);
  return side;
}

/** Every server with 1, 8 and 32 callers. */
export async function closedRows(rig: Rig, started: readonly Side[]): Promise<BenchRow[]> {
  const sides = [...started.flatMap(withLastOnly), await startEcho(rig)];
  const cells = await closedCells(rig, sides);
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
  }
  return rows;
}
