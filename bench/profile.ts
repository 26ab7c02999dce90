import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { readEffort } from './serving/effort.ts';
import { Rig } from './serving/Rig.ts';
import { startTickmark } from './serving/startTickmark.ts';
import { IDLE, timeByPart, type CpuProfile } from './serving/timeByPart.ts';

const CONNECTIONS = 8;
/** V8 compiles what it meets often; what is sampled comes after that. */
const WARM_S = 5;
const SAMPLED_S = 4;
const MARGIN_MS = 500;
const PRELOAD = new URL('./serving/profileMain.mjs', import.meta.url).href;

export const bench: Bench = {
  name: 'profile',
  about: `Where the main thread's time goes: POST /auth/ti-tick with 501 entries, ${CONNECTIONS} callers in a closed loop, sampled every 200 us.`,
  async run() {
    const rig = await Rig.open(readEffort());
    const file = path.join(rig.folder, 'main.cpuprofile');
    try {
      const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
      const env = { NODE_OPTIONS: `--import ${PRELOAD}`, PROFILE_FILE: file, PROFILE_MS: String(1000 * SAMPLED_S) };
      const side = rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, 'data'), env }));
      await rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: WARM_S }, 1);
      const load = rig.measure(side, 'even', { kind: 'closed', connections: CONNECTIONS, seconds: SAMPLED_S + (3 * MARGIN_MS) / 1000 }, 1);
      await new Promise((resolve) => setTimeout(resolve, MARGIN_MS));
      side.process.kill('SIGUSR2');
      const { report } = await load;
      while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100));
      const times = timeByPart(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile);
      const total = [...times.values()].reduce((sum, us) => sum + us, 0);
      const seconds = report.latencyMs.reduce((last, ms, i) => Math.max(last, report.dueMs[i]! + ms), 0) / 1000;
      const requests = (report.status.length * total) / 1e6 / seconds;
      const working = total - (times.get(IDLE) ?? 0);
      const row = (what: string, us: number): BenchRow => ({ what, value: us / requests, unit: 'us a request' });
      const parts = [...times].filter(([part]) => part !== IDLE).sort(([, a], [, b]) => b - a);
      return [
        { what: `${side.name}: requests/s while sampled`, value: report.status.length / seconds, unit: '/s' },
        { ...row('all but idle', working), target: '<= 220 us' },
        ...parts.map(([part, us]) => row(part, us)),
      ];
    } finally {
      rig.close();
    }
  },
};
