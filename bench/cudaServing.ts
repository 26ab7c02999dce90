import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { compareAnswers } from './serving/compareAnswers.ts';
import { comparedRows, type Measure } from './serving/comparedRows.ts';
import { readEffort } from './serving/effort.ts';
import { Rig } from './serving/Rig.ts';
import type { Side } from './serving/Side.ts';
import { startTickmark } from './serving/startTickmark.ts';
import { summarize, type Summary } from './serving/summarize.ts';

const CONNECTIONS = [1, 8, 32, 128] as const;
/** Uncounted time at the start of each visit. */
const SETTLE_MS = 200;

type Visit = Pick<Summary, 'rate' | 'p50' | 'p99'> & { readonly cpu: number };
const MEASURES: Readonly<Record<keyof Visit, Measure>> = {
  rate: { what: 'requests/s', unit: '/s', isRate: true },
  p50: { what: 'p50', unit: 'ms' },
  p99: { what: 'p99', unit: 'ms' },
  cpu: { what: 'CPU of all its processes per request', unit: 'ms' },
};

export const bench: Bench = {
  name: 'cudaServing',
  about:
    'POST /auth/ti-tick over loopback of two services at once, one with the NVIDIA card and one without, visited in turn in a random order.',
  async run() {
    const rig = await Rig.open(readEffort());
    try {
      const sides: Side[] = [];
      for (const backend of ['cuda', 'wasm'])
        sides.push(rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, backend) })));
      for (const side of sides) await compareAnswers(side, rig.bodies.even);
      const { rounds, seconds } = rig.effort;
      const cells = CONNECTIONS.flatMap((connections) => sides.map((side) => ({ side, connections, visits: [] as Visit[], failed: 0 })));
      for (let round = 0; round < rounds; round++)
        for (const cell of rig.shuffled(cells)) {
          const { report, cpu } = await rig.measure(cell.side, 'even', { kind: 'closed', connections: cell.connections, seconds });
          const { rate, p50, p99 } = summarize(report, { fromMs: SETTLE_MS, toMs: seconds * 1000 });
          cell.visits.push({ rate, p50, p99, cpu: cpu.treeMs / report.status.length });
          cell.failed += report.status.filter((status) => status !== 200).length;
        }
      const rows: BenchRow[] = [
        { what: 'requests that failed', value: cells.reduce((sum, { failed }) => sum + failed, 0), unit: 'requests', target: '0' },
      ];
      for (const connections of CONNECTIONS) {
        const [card, here] = cells.filter((cell) => cell.connections === connections);
        for (const [name, measure] of Object.entries(MEASURES) as [keyof Visit, Measure][]) {
          const compared = ({ side, visits }: typeof card & {}) => ({
            side,
            rounds: { values: visits.map((visit) => visit[name]), disturbed: 0 },
          });
          const what = `${connections} ${connections === 1 ? 'connection' : 'connections'}: ${measure.what}`;
          rows.push(...comparedRows({ ...measure, what }, compared(card!), [compared(here!)], () => undefined));
        }
      }
      return rows;
    } finally {
      rig.close();
    }
  },
};
