import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { readEffort } from './serving/effort.ts';
import { readTree } from './serving/procStat.ts';
import { Rig } from './serving/Rig.ts';
import { startTickmark } from './serving/startTickmark.ts';
import { IDLE, timeByPart, type CpuProfile } from './serving/timeByPart.ts';

const CONNECTIONS = 8;
/** Warm-up, in which V8 compiles the hot functions; sampling starts after it. */
const WARM_S = 5;
const SAMPLED_S = 4;
const MARGIN_MS = 500;
const PRELOAD = new URL('./serving/profileMain.mjs', import.meta.url).href;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function readProfile(file: string): Promise<CpuProfile> {
  while (!existsSync(file)) await pause(100);
  return JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
}

/** Time of each part of a thread per request, in descending order. */
function rowsOf(thread: string, times: ReadonlyMap<string, number>, ratePerS: number): BenchRow[] {
  const total = [...times.values()].reduce((sum, us) => sum + us, 0);
  const requests = (ratePerS * total) / 1e6;
  const row = (what: string, us: number): BenchRow => ({ what: `${thread}: ${what}`, value: us / requests, unit: 'us per request' });
  const parts = [...times].filter(([part]) => part !== IDLE).sort(([, a], [, b]) => b - a);
  return [row('all except idle', total - (times.get(IDLE) ?? 0)), ...parts.map(([part, us]) => row(part, us))];
}

export const bench: Bench = {
  name: 'profile',
  about: `CPU profile of one worker and of its inference process, if there is one: POST /auth/ti-tick with 501 entries, ${CONNECTIONS} callers in a closed loop, sampled every 200 us.`,
  async run() {
    const rig = await Rig.open(readEffort());
    try {
      const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
      const env = { WORKERS: '1', NODE_OPTIONS: `--import ${PRELOAD}`, PROFILE_FOLDER: rig.folder, PROFILE_MS: String(1000 * SAMPLED_S) };
      const side = rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, 'data'), env }));
      await rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: WARM_S }, 1);
      const load = rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: SAMPLED_S + (3 * MARGIN_MS) / 1000 }, 1);
      await pause(MARGIN_MS);
      const [main, inference] = readTree(side.process.pid!).map(({ pid }) => pid);
      for (const pid of [main!, ...(inference === undefined ? [] : [inference])]) process.kill(pid, 'SIGUSR2');
      const { report } = await load;
      const seconds = report.latencyMs.reduce((last, ms, i) => Math.max(last, report.dueMs[i]! + ms), 0) / 1000;
      const rate = report.status.length / seconds;
      const timesOf = async (pid: number): Promise<Map<string, number>> =>
        timeByPart(await readProfile(path.join(rig.folder, `${pid}.cpuprofile`)));
      return [
        { what: `${side.name}: requests/s while sampled`, value: rate, unit: '/s' },
        ...rowsOf('main thread', await timesOf(main!), rate),
        ...(inference === undefined ? [] : rowsOf('inference process', await timesOf(inference), rate)),
      ];
    } finally {
      rig.close();
    }
  },
};
