import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { ask } from './serving/ask.ts';
import { readEffort } from './serving/effort.ts';
import { readTree } from './serving/procStat.ts';
import { quantile } from './serving/quantile.ts';
import { Rig } from './serving/Rig.ts';
import type { Side } from './serving/Side.ts';
import { startTickmark } from './serving/startTickmark.ts';

const OWN_LIMIT = new URL('./serving/ownHeapLimit.mjs', import.meta.url).href;
const CONNECTIONS = [64, 4096] as const;
/** About half of the knee of one worker on one processor. */
const RATE = 1700;
const [WARM_S, ROUND_S, ROUNDS] = [10, 8, 4];
const MAJOR = /^nodejs_gc_duration_seconds_count\{[^}]*kind="major"[^}]*\} (\d+)/m;

type Figures = { collections: number; readonly p99Ms: number[]; cpuMs: number; answers: number; rssMB: number };

/** Collections of the whole heap since the start. */
async function collectionsOf({ metricsPort }: Side): Promise<number> {
  const { text } = await ask(metricsPort!, { path: '/metrics' });
  return Number(MAJOR.exec(text)?.[1] ?? 0);
}

async function measureRound(rig: Rig, side: Side, firstConnections: number, poissonSeed: number, figures: Figures): Promise<void> {
  const before = await collectionsOf(side);
  const load = { kind: 'open', phases: [{ rate: RATE, seconds: ROUND_S }], poissonSeed, firstConnections } as const;
  const { report, cpu } = await rig.measure(side, 'even', load, 1);
  const timesMs = [...report.latencyMs].filter((_, i) => report.status[i] === 200);
  figures.collections += (await collectionsOf(side)) - before;
  figures.p99Ms.push(quantile(timesMs, 0.99));
  figures.cpuMs += cpu.treeMs;
  figures.answers += timesMs.length;
  figures.rssMB = readTree(side.process.pid!).reduce((sum, { rssBytes }) => sum + rssBytes, 0) / 1e6;
}

/** `ratio` is how many times less it is than with V8's own limit. */
function rowsOf(connections: number, ours: Figures, own: Figures): BenchRow[] {
  const row = (what: string, unit: string, of: (figures: Figures) => number): BenchRow => {
    const [value, peerValue] = [of(ours), of(own)];
    return { what: `${connections} connections: ${what}`, value, unit, peer: "V8's own limit", peerValue, ratio: peerValue / value };
  };
  return [
    row(`collections of the whole heap in ${ROUNDS * ROUND_S} s`, '', ({ collections }) => collections),
    row('p99, median round', 'ms', ({ p99Ms }) => quantile(p99Ms, 0.5)),
    row('p99, worst round', 'ms', ({ p99Ms }) => Math.max(...p99Ms)),
    row('CPU per request', 'ms', ({ cpuMs, answers }) => cpuMs / answers),
    row('RSS after it', 'MB', ({ rssMB }) => rssMB),
  ];
}

export const bench: Bench = {
  name: 'collections',
  about: `Collections of the whole heap of one worker on WebAssembly, and what they cost: ${RATE} forecasts a second of independent callers, ${ROUNDS} rounds of ${ROUND_S} s in turn with the same service under V8's own limit of the heap.`,
  async run() {
    const rig = await Rig.open(readEffort());
    try {
      const start = async (name: string, env: Record<string, string>): Promise<Side> =>
        rig.add(
          await startTickmark({ backend: 'wasm', dataDir: path.join(rig.folder, name), metrics: true, env: { WORKERS: '1', ...env } }),
        );
      const rows: BenchRow[] = [];
      for (const connections of CONNECTIONS) {
        const sides = [
          await start(`ours-${connections}`, {}),
          await start(`own-${connections}`, { NODE_OPTIONS: `--import=${OWN_LIMIT}` }),
        ];
        const all = sides.map((): Figures => ({ collections: 0, p99Ms: [], cpuMs: 0, answers: 0, rssMB: NaN }));
        for (const side of sides) await rig.load(side, 'even', { kind: 'closed', connections: 8, seconds: WARM_S });
        for (let round = 1; round <= ROUNDS; round++)
          for (const [i, side] of sides.entries()) await measureRound(rig, side, connections, round, all[i]!);
        rig.endAll();
        rows.push(...rowsOf(connections, all[0]!, all[1]!));
      }
      return rows;
    } finally {
      rig.close();
    }
  },
};
