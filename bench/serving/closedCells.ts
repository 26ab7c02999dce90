import type { BenchRow } from '../Bench.ts';
import { comparedRow, isOurs, type Compared, type Measure } from './comparedRow.ts';
import type { Measured, Rig } from './Rig.ts';
import type { Side } from './Side.ts';
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

function targetOf({ query }: Side, name: Name, connections: number): string | undefined {
  if (name === 'rate') return RATE_TARGETS[connections];
  if (name !== 'cpu' || connections === 1) return undefined;
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
export async function closedCells(rig: Rig, sides: readonly Side[], connectionsOf: readonly number[]): Promise<ClosedCell[]> {
  const { rounds, seconds } = rig.effort;
  const cells = sides.flatMap((side) =>
    connectionsOf.map((connections): ClosedCell => ({ side, connections, figures: [], failed: 0, disturbed: 0 })),
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

/** Requests of a server that failed, in all its cells. */
export const failedRow = (what: string, cells: readonly ClosedCell[]): BenchRow => ({
  what,
  value: cells.reduce((sum, { failed }) => sum + failed, 0),
  unit: 'requests',
  target: '0',
});

/** Each figure of a cell next to that of the peer with as many callers. */
export function closedRowsOf(
  prefix: string,
  cell: ClosedCell,
  peer?: ClosedCell,
  targetOf?: (name: Name) => string | undefined,
): BenchRow[] {
  const compared = ({ side, figures, disturbed }: ClosedCell, name: Name): Compared => ({
    side,
    rounds: { values: figures.map((figure) => figure[name]), disturbed },
  });
  const title = `${prefix}${cell.connections} ${cell.connections === 1 ? 'connection' : 'connections'}`;
  return (Object.entries(MEASURES) as [Name, Measure][]).map(([name, measure]) =>
    comparedRow({ ...measure, what: `${title}: ${measure.what}` }, compared(cell, name), peer && compared(peer, name), targetOf?.(name)),
  );
}

/** Every server with 1, 8 and 32 callers. */
export async function closedRows(rig: Rig, started: readonly Side[]): Promise<BenchRow[]> {
  const sides = started.flatMap(withLastOnly);
  const cells = await closedCells(rig, sides, CONNECTIONS);
  const failed = sides.map((side) =>
    failedRow(
      `${side.name}: requests of all closed loops that failed`,
      cells.filter((cell) => cell.side === side),
    ),
  );
  const ours = cells.filter(({ side }) => isOurs(side));
  return [
    ...failed,
    ...ours.flatMap((cell) => {
      const peer = cells.find((other) => !isOurs(other.side) && other.connections === cell.connections);
      return closedRowsOf(`${cell.side.name}, `, cell, peer, (name) => targetOf(cell.side, name, cell.connections));
    }),
  ];
}
