import * as path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { outageOf, type Outage } from './outage.ts';
import { childOf } from './procStat.ts';
import type { Rig } from './Rig.ts';
import { freePort } from './startProcess.ts';
import { launchTickmark, startTickmark } from './startTickmark.ts';
import { summarize } from './summarize.ts';
import type { Kill, Topology } from './topologies.ts';

const CONNECTIONS = 8;
const WARM_S = 3;
/** Of the load: before the kill, and in all. */
const BEFORE_S = 2;
const LOAD_S = 10;
/** A caller whose request failed waits: one that asks again at once would take the processor from what is starting. */
const FAILURE_PAUSE_MS = 10;
const AFTER_S = 1.5;

type Killed = Outage & {
  /** From the spawn of the service until it said that it is ready, ms. */
  readonly startMs: number;
  /** Rate over new connections after the load, as a fraction of that before the kill. */
  readonly newRatio: number;
};
export type KillCell = { readonly topology: Topology; readonly kill: Kill; readonly rounds: Killed[] };

/** A fresh service for each kill, one at a time: after a second kill within a minute it would wait longer before it starts the process again. */
export async function killCells(rig: Rig, topologies: readonly Topology[], backend: string, rounds: number): Promise<KillCell[]> {
  const cells = topologies.flatMap((topology) => topology.kills.map((kill): KillCell => ({ topology, kill, rounds: [] })));
  for (let round = 0; round < rounds; round++)
    for (const { topology, kill, rounds: done } of rig.shuffled(cells)) {
      const dataDir = path.join(rig.folder, `killed-${topology.letter}-${kill.role}-${round}`);
      done.push(await killOnce(rig, topology, kill, { backend, dataDir }));
    }
  return cells;
}

async function killOnce(rig: Rig, { env }: Topology, { role }: Kill, where: { backend: string; dataDir: string }): Promise<Killed> {
  const options = { ...where, env: { ...env, PORT: String(await freePort()) } };
  const side = rig.add(await startTickmark(options));
  const startAgain = async (): Promise<void> => {
    rig.add({ ...side, ...(await launchTickmark(options)) });
  };
  const load = { kind: 'closed', connections: CONNECTIONS } as const;
  await rig.load(side, 'even', { ...load, seconds: WARM_S });
  const loading = rig.load(side, 'even', { ...load, seconds: LOAD_S, failurePauseMs: FAILURE_PAUSE_MS });
  await pause(1000 * BEFORE_S);
  const pid = role === 'service' ? side.process.pid! : childOf(side.process.pid!, role);
  const startedAgain = role === 'service' ? new Promise((resolve) => side.process.once('exit', resolve)).then(startAgain) : undefined;
  const killedAtMs = performance.timeOrigin + performance.now();
  process.kill(pid, 'SIGKILL');
  const [report] = await Promise.all([loading, startedAgain]);
  const outage = outageOf(report, killedAtMs - report.startedAtMs, 1000 * LOAD_S);
  const after = await rig.load(side, 'even', { ...load, seconds: AFTER_S });
  rig.endAll();
  const { rate } = summarize(after, { fromMs: 200, toMs: 1000 * AFTER_S });
  return { ...outage, startMs: side.startMs!, newRatio: rate / outage.rate };
}
