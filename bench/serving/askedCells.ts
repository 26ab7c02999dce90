import type { BenchRow } from '../Bench.ts';
import { disturbedNote, isOurs } from './comparedRows.ts';
import { median } from './quantile.ts';
import type { Rig } from './Rig.ts';
import type { Side } from './Side.ts';

const CONNECTIONS = 8;

type Body = { readonly Timestamp: readonly string[]; readonly Price: readonly number[] };
/** One way to ask: the body made from the compact one, the query, and how many times a plain request it may cost. */
type Way = { readonly what: string; readonly body?: (body: Body) => string; readonly query?: string; readonly most: number };

/** Of every documented form of a body. */
const FORM_MOST = 1.25;
const prices = (body: Body, of: (price: number) => number): number[] => [...body.Price.slice(0, -1).map(of), 0];
const utcMs = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
const withoutFuture = ({ Timestamp, Price }: Body): string =>
  JSON.stringify({ Timestamp: Timestamp.slice(0, -1), Price: Price.slice(0, -1) });

const WAYS: readonly Way[] = [
  { what: 'indented by 2', body: (body) => JSON.stringify(body, null, 2), most: FORM_MOST },
  {
    what: 'epoch milliseconds',
    body: ({ Timestamp, Price }) => JSON.stringify({ Timestamp: Timestamp.map(utcMs), Price }),
    most: FORM_MOST,
  },
  {
    what: 'ISO 8601 with Z',
    body: ({ Timestamp, Price }) => JSON.stringify({ Timestamp: Timestamp.map((text) => `${text.replace(' ', 'T')}Z`), Price }),
    most: FORM_MOST,
  },
  {
    what: 'Bid and Ask',
    body: (body) =>
      JSON.stringify({ Timestamp: body.Timestamp, Bid: body.Price, Ask: prices(body, (price) => Number((price * 1.0001).toPrecision(8))) }),
    most: FORM_MOST,
  },
  {
    what: 'prices of 16 or 17 digits',
    body: (body) => JSON.stringify({ Timestamp: body.Timestamp, Price: prices(body, (price) => price * (1 + 1e-12)) }),
    most: FORM_MOST,
  },
  { what: '?answer=last', query: '?answer=last', most: 0.95 },
  { what: '?detail=full', query: '?detail=full', most: 1.5 },
  { what: '?min_move_bps=2', query: '?min_move_bps=2', most: 1.15 },
  { what: '?series=a', query: '?series=a', most: 1.15 },
  { what: 'four horizons', query: '?horizons=10s,60s,5m,30m', body: withoutFuture, most: 2 },
  { what: 'four horizons with two thresholds', query: '?horizons=10s,60s,5m,30m&min_move_bps=1,5', body: withoutFuture, most: 3 },
];

/** CPU of a request by the form of its body and by what it asks for, of the service alone: each against the plain request of the same rounds. */
export async function askedRows(rig: Rig, started: readonly Side[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const side of started.filter(isOurs)) rows.push(...(await rowsOf(rig, side)));
  return rows;
}

async function rowsOf(rig: Rig, side: Side): Promise<BenchRow[]> {
  const compact = rig.bodies.even.map((text) => JSON.parse(text) as Body);
  const plain: Way = { what: 'compact', most: 1 };
  const cells = [plain, ...WAYS].map((way) => ({ way, cpuMs: [] as number[], disturbed: 0 }));
  for (const { way } of cells) if (way.body !== undefined) rig.addBodies(way.what, compact.map(way.body));
  for (let round = 0; round < rig.effort.rounds; round++) {
    for (const cell of rig.shuffled(cells)) {
      const { what, body, query } = cell.way;
      const asked = query === undefined ? side : { ...side, query };
      const load = { kind: 'closed', connections: CONNECTIONS, seconds: rig.effort.seconds } as const;
      const { report, cpu, isDisturbed } = await rig.measure(asked, body === undefined ? 'even' : what, load);
      const failed = report.status.filter((status) => status !== 200).length;
      if (failed > 0) throw new Error(`${failed} requests of "${what}" failed`);
      cell.cpuMs.push(cpu.treeMs / report.status.length);
      if (isDisturbed) cell.disturbed++;
    }
  }
  const plainMs = median(cells[0].cpuMs);
  return cells.slice(1).map(({ way, cpuMs, disturbed }) => ({
    what: `${side.name}, ${CONNECTIONS} connections, ${way.what}: CPU per request${disturbedNote(disturbed + cells[0].disturbed)}`,
    value: median(cpuMs),
    unit: 'ms',
    peer: plain.what,
    peerValue: plainMs,
    ratio: plainMs / median(cpuMs),
    target: `>= ${(1 / way.most).toFixed(2)}x (${way.most} of it)`,
  }));
}
