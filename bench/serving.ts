import * as path from 'node:path';
import type { Bench, BenchRow } from './Bench.ts';
import { closedRows } from './serving/closedRows.ts';
import { findKnee, KNEE_CONNECTIONS, KNEE_P99_MS, settled } from './serving/findKnee.ts';
import { firstRows } from './serving/firstRows.ts';
import { overloadRows } from './serving/overloadRows.ts';
import { Rig } from './serving/Rig.ts';
import { startProcess } from './serving/startProcess.ts';
import { startTickmark, type Side } from './serving/startTickmark.ts';
import { median, type Summary } from './serving/summarize.ts';

const CONNECTIONS = [1, 8, 32] as const;
const OPEN_LOOP_FRACTION = 0.8;

/** The knee, and latency at 80 % of it. */
async function kneeRows(rig: Rig, side: Side): Promise<BenchRow[]> {
  const { rounds, seconds } = rig.effort;
  const rate = await findKnee(rig, side, 'even');
  const phases = [{ rate: OPEN_LOOP_FRACTION * rate, seconds }];
  const visits: Summary[] = [];
  for (let round = 0; round < rounds; round++)
    visits.push(settled((await rig.measure(side, 'even', { phases, firstConnections: KNEE_CONNECTIONS })).outcomes, seconds));
  const levels = (['p50', 'p99'] as const).map((level) => ({
    what: `${side.name} at 80 % of its own knee: ${level}`,
    value: median(visits.map((visit) => visit[level])),
    unit: 'ms',
  }));
  return [{ what: `${side.name}: knee, open loop, p99 <= ${KNEE_P99_MS} ms`, value: rate, unit: '/s' }, ...levels];
}

const meanKb = (bodies: readonly string[]): number => bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length / 1000;

export const bench: Bench = {
  name: 'serving',
  about:
    'POST /auth/ti-tick over loopback, with the load from a separate process. The peer is Koa with koa-bodyparser, which answers as many bytes without any work.',
  async run(only) {
    const rig = await Rig.open();
    try {
      const { about, even, mixed } = rig.bodies;
      const backend = process.env['RUNTIME_BACKEND'] ?? 'auto';
      const ours = rig.add(await startTickmark({ backend, dataDir: path.join(rig.folder, 'data') }));
      const started = await startProcess(process.execPath, ['--import', 'tsx', path.join(import.meta.dirname, 'serving/nullPeer.ts')], {});
      const peer = rig.add({ name: 'Koa, no work', port: Number(started.firstLine), keys: ['-'], process: started.child });
      const lastOnly = { ...ours, name: `${ours.name}, ?answer=last`, query: '?answer=last' };
      const parts: Readonly<Record<string, () => Promise<BenchRow[]>>> = {
        first: () => firstRows(rig, peer),
        closed: () => closedRows(rig, [ours, lastOnly], peer, CONNECTIONS),
        knee: () => kneeRows(rig, ours),
        overload: () => overloadRows(rig, ours),
      };
      const names = Object.keys(parts);
      if (only !== undefined && !names.includes(only)) throw new Error(`--only must be one of ${names.join(', ')}; it is ${only}.`);
      await rig.measure(ours, 'even', { connections: 8, seconds: rig.effort.seconds });
      const rows: BenchRow[] = [
        { what: `mean of ${even.length} bodies of 501 entries, ${about}`, value: meanKb(even), unit: 'kB' },
        { what: `mean of ${mixed.length} bodies of mixed lengths, ${about}`, value: meanKb(mixed), unit: 'kB' },
      ];
      for (const [name, measure] of Object.entries(parts)) if (only === undefined || name === only) rows.push(...(await measure()));
      return rows;
    } finally {
      rig.close();
    }
  },
};
