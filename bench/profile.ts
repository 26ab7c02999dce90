import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { readEffort } from './serving/effort.ts';
import { readTree } from './serving/procStat.ts';
import { closedLoop, peerOf } from './serving/liveLoop.ts';
import { Rig } from './serving/Rig.ts';
import type { Side } from './serving/Side.ts';
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

const MEASURED_S = SAMPLED_S + (3 * MARGIN_MS) / 1000;

/** Requests a second while the service is sampled; warms it up, then calls `sample`. */
async function requestRate(rig: Rig, side: Side, sample: () => Promise<void>): Promise<number> {
  await rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: WARM_S }, 1);
  const load = rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: MEASURED_S }, 1);
  await sample();
  const { report } = await load;
  return report.status.length / (report.latencyMs.reduce((last, ms, i) => Math.max(last, report.dueMs[i] + ms), 0) / 1000);
}

/** The same for forecasts of live series. */
async function liveRate(side: Side, sample: () => Promise<void>): Promise<number> {
  const peer = peerOf(side, '/auth/live', true);
  await closedLoop(side, peer, WARM_S);
  const load = closedLoop(side, peer, MEASURED_S, sample);
  return (await load).perSecond;
}

export const bench: Bench = {
  name: 'profile',
  about: `CPU profile of one worker and of its inference process, if there is one: POST /auth/ti-tick with 501 entries, or with --only=live the forecasts of live series, ${CONNECTIONS} callers in a closed loop, sampled every 200 us.`,
  async run(only) {
    const rig = await Rig.open(readEffort());
    try {
      const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
      const env = {
        ...{ WORKERS: '1', NODE_OPTIONS: `--import ${PRELOAD}`, PROFILE_FOLDER: rig.folder, PROFILE_MS: String(1000 * SAMPLED_S) },
        LIVE_CONNECTIONS_PER_ACCOUNT: '100',
      };
      const side = rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, 'data'), env }));
      let pids: number[] = [];
      const sample = async (): Promise<void> => {
        await pause(MARGIN_MS);
        pids = readTree(side.process.pid!).map(({ pid }) => pid);
        for (const pid of pids.slice(0, 2)) process.kill(pid, 'SIGUSR2');
      };
      const rate = only === 'live' ? await liveRate(side, sample) : await requestRate(rig, side, sample);
      const [main, inference] = pids;
      const timesOf = async (pid: number): Promise<Map<string, number>> =>
        timeByPart(await readProfile(path.join(rig.folder, `${pid}.cpuprofile`)));
      return [
        { what: `${side.name}: ${only === 'live' ? 'forecasts' : 'requests'}/s while sampled`, value: rate, unit: '/s' },
        ...rowsOf('main thread', await timesOf(main!), rate),
        ...(inference === undefined ? [] : rowsOf('inference process', await timesOf(inference), rate)),
      ];
    } finally {
      rig.close();
    }
  },
};
