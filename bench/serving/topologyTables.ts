import type { BenchReport } from '../Bench.ts';
import { figure } from '../tables.ts';
import type { ClosedCell } from './closedCells.ts';
import type { KillCell } from './killCells.ts';
import { median } from './quantile.ts';
import { nameOf } from './topologies.ts';

const NO_VALUE = '-';
const MIB = 1024 * 1024;

export type Memory = { readonly processes: number; readonly bytes: number; readonly rssBytes: number };
export type OpenFigures = {
  /** Requests/s. */
  readonly knee: number;
  /** Latencies at 80 % of the knee, ms. */
  readonly p50: number;
  readonly p99: number;
  /** p99 of the event-loop delay at the knee; undefined if the server has no metrics. */
  readonly loopDelayMs: number | undefined;
};
/** Figures of a server that runs through all rounds. */
export type MeasuredSide = OpenFigures & {
  readonly name: string;
  readonly isPeer: boolean;
  readonly closed: readonly Pick<ClosedCell, 'connections' | 'figures' | 'failed' | 'disturbed'>[];
  readonly atStart: Memory;
  /** Memory after all loads. */
  readonly atEnd: Memory;
};
type Table = BenchReport['tables'][number];

/** One row per server; with the ratio to the peer in brackets, if there is one. */
export function topologyTables(servers: readonly MeasuredSide[], kills: readonly KillCell[]): Table[] {
  const peer = servers.find(({ isPeer }) => isPeer);
  const toPeer = peer === undefined ? '' : ` (ratio to ${peer.name})`;
  const compared = (value: number, peerValue: number | undefined): string =>
    peerValue === undefined ? figure(value) : `${figure(value)} (${(value / peerValue).toFixed(2)})`;
  const callers = servers[0]?.closed.map(({ connections }) => connections) ?? [];
  const closedTable = (title: string, cell: (server: MeasuredSide, at: number) => string): Table => ({
    title: `Closed loop by connections: ${title}`,
    head: ['topology', ...callers.map(String)],
    lines: servers.map((server) => [server.name, ...callers.map((_, at) => cell(server, at))]),
  });
  const closedFigure = ({ closed }: MeasuredSide, at: number, name: 'rate' | 'p50' | 'p99' | 'cpu'): number =>
    median(closed[at]!.figures.map((figures) => figures[name]));
  const ratioTable = (title: string, name: 'rate' | 'cpu'): Table =>
    closedTable(`${title}${toPeer}`, (server, at) => compared(closedFigure(server, at, name), peer && closedFigure(peer, at, name)));
  const sum = ({ closed }: MeasuredSide, name: 'failed' | 'disturbed'): string => String(closed.reduce((all, cell) => all + cell[name], 0));
  return [
    ratioTable('requests/s', 'rate'),
    closedTable('p50 / p99, ms', (server, at) =>
      (['p50', 'p99'] as const).map((name) => figure(closedFigure(server, at, name))).join(' / '),
    ),
    ratioTable('CPU of all processes per request, ms', 'cpu'),
    {
      title: `Open loop${toPeer}; failed requests and disturbed visits of the closed loops`,
      head: [
        'topology',
        'knee, /s',
        'p50 at 80 %, ms',
        'p99 at 80 %, ms',
        'event-loop delay p99 at the knee, ms <=',
        'failed',
        'disturbed',
      ],
      lines: servers.map((server) => [
        server.name,
        ...(['knee', 'p50', 'p99'] as const).map((name) => compared(server[name], peer?.[name])),
        server.loopDelayMs === undefined ? NO_VALUE : figure(server.loopDelayMs),
        sum(server, 'failed'),
        sum(server, 'disturbed'),
      ]),
    },
    {
      title: 'Start and memory',
      head: ['topology', 'processes', 'spawn to ready, s', 'memory at start, MiB', 'memory after load, MiB', 'sum of RSS after load, MiB'],
      lines: servers.map(({ name, atStart, atEnd }) => {
        const startsMs = kills
          .filter(({ topology }) => nameOf(topology) === name)
          .flatMap(({ rounds }) => rounds.map(({ startMs }) => startMs));
        const start = startsMs.length === 0 ? NO_VALUE : figure(median(startsMs) / 1000);
        return [
          name,
          String(atStart.processes),
          start,
          ...[atStart.bytes, atEnd.bytes, atEnd.rssBytes].map((bytes) => figure(bytes / MIB)),
        ];
      }),
    },
    {
      title: '`kill -9` of one process during a closed loop of 8 connections',
      head: ['topology', 'killed', 'down for, ms', 'failed requests', 'back to 90 % after, s', 'rate at the end', 'over new connections'],
      lines: kills.map(killLine),
    },
  ];
}

function killLine({ topology, kill, rounds }: KillCell): string[] {
  const of = (name: 'downMs' | 'backMs' | 'endRatio' | 'newRatio'): number => median(rounds.map((round) => round[name]));
  const percent = (ratio: number): string => `${(100 * ratio).toFixed(0)} %`;
  const back = of('backMs');
  return [
    nameOf(topology),
    kill.what,
    figure(of('downMs')),
    failureWords(rounds.map(({ failed }) => failed)),
    back === Infinity ? 'not in this load' : figure(back / 1000),
    percent(of('endRatio')),
    percent(of('newRatio')),
  ];
}

/** The median count per status: `503: 120, no answer: 8`. */
function failureWords(rounds: readonly ReadonlyMap<number, number>[]): string {
  const statuses = [...new Set(rounds.flatMap((failed) => [...failed.keys()]))].sort((a, b) => b - a);
  const words = statuses.map((status) => {
    const count = median(rounds.map((failed) => failed.get(status) ?? 0));
    return `${status === 0 ? 'no answer' : status}: ${figure(count)}`;
  });
  return words.length === 0 ? '0' : words.join(', ');
}
