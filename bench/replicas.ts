import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Bench, BenchReport } from './Bench.ts';
import { EFFORTS, type Effort, type ProofContext, type ProofResult } from './replicas/Proof.ts';
import { proveOutage } from './replicas/proveDatabase.ts';
import { proveKeys } from './replicas/proveKeys.ts';
import { proveLimits } from './replicas/proveLimits.ts';
import { proveKill, proveRollingRestart } from './replicas/proveRestarts.ts';
import { proveVersions } from './replicas/proveVersions.ts';
import { ReplicaRig } from './replicas/ReplicaRig.ts';
import { Generator } from './serving/Generator.ts';
import { tickBodies } from './serving/tickBodies.ts';

const CALLERS = 16;
const KEY_CACHE_MS = 2000;

/** Forecasts a second at half of what a closed loop reaches through HAProxy. */
async function halfOfKnee(
  port: number,
  bodiesFile: string,
  keys: readonly string[],
  { kneeS: seconds, mostRate }: Effort,
): Promise<number> {
  const generator = new Generator();
  try {
    const { status } = await generator.make({ port, bodiesFile, keys, connections: 8, seconds });
    const perSecond = status.filter((each) => each === 200).length / seconds;
    return Math.max(5, Math.min(mostRate, Math.floor(perSecond / 2)));
  } finally {
    generator.close();
  }
}

async function run(effort: Effort, only: string): Promise<BenchReport> {
  // Restarts of all three take a third of a short run: then the quota holds from the start, and no proof but its own reaches it.
  const isShort = effort === EFFORTS.short;
  const rig = await ReplicaRig.open({
    ...{ KEY_CACHE_MS: String(KEY_CACHE_MS), KEY_ROTATION_GRACE_S: '0', LIMIT_FORECASTS_PER_MINUTE: isShort ? String(effort.quota) : '0' },
    ...{ PASSWORD_HASH_MEMORY_KIB: '19456', FORECAST_DEADLINE_MS: '20000' },
  });
  try {
    const { even: bodies, about } = await tickBodies();
    const bodiesFile = path.join(rig.folder, 'bodies.json');
    writeFileSync(bodiesFile, JSON.stringify(bodies));
    const keys: string[] = [];
    for (let at = 0; at < CALLERS; at++) keys.push((await rig.signUp(rig.proxyPort, `caller${at}@example.com`)).key);
    const rate = await halfOfKnee(rig.proxyPort, bodiesFile, keys, effort);
    const context: ProofContext = { rig, keys, bodies, rate, effort };

    const proofs: ProofResult[] = [];
    const note = (...results: ProofResult[]): void => {
      proofs.push(...results);
      for (const { what, measured, isHeld } of results) process.stderr.write(`${isHeld ? 'held  ' : 'BROKEN'} ${what}: ${measured}\n`);
    };
    const wants = (name: string): boolean => name.includes(only);
    if (wants('keys')) note(await proveKeys(context, KEY_CACHE_MS));
    if (wants('versions') && effort.versionRounds > 0) note(await proveVersions(context));
    if (wants('kill')) note(...(await proveKill(context)));
    // Before the outage: counters leave the database alone for 5 s after it.
    if (wants('limits') && isShort) note(await proveLimits(context));
    if (wants('restart')) note(await proveRollingRestart(context));
    if (wants('outage')) note(...(await proveOutage(context)));
    if (wants('limits') && !isShort) {
      await Promise.all(rig.replicas.map((replica) => rig.stop(replica)));
      rig.change({ LIMIT_FORECASTS_PER_MINUTE: String(effort.quota) });
      await Promise.all(rig.replicas.map((replica) => rig.start(replica)));
      for (const replica of rig.replicas) await rig.untilInService(replica);
      note(await proveLimits(context));
    }

    return {
      isFailed: proofs.some(({ isHeld }) => !isHeld),
      about: [
        `Three services with one worker each on WebAssembly, one ${rig.database}, HAProxy with deploy/haproxy.cfg (round robin, health checks on /health/ready). ${about}, 501 entries a request.`,
        `The load is ${rate} forecasts a second, half of what a closed loop reaches, at most ${effort.mostRate}.`,
      ],
      tables: [
        {
          title: 'Promises',
          head: ['what', 'promised', 'measured', 'held'],
          lines: proofs.map(({ what, promised, measured, isHeld }) => [what, promised, measured, isHeld ? 'yes' : '**no**']),
        },
      ],
    };
  } finally {
    await rig.close();
  }
}

export const bench: Bench = {
  name: 'replicas',
  about: 'Three services over one MongoDB behind HAProxy: restarts, a kill, an outage of the database, keys, limits, versions.',
  async run(only = '', { quick = false, short = false } = {}) {
    if (spawnSync('haproxy', ['-v']).status !== 0)
      return { about: ['Skipped: haproxy is not on the PATH (Debian: apt-get install haproxy).'], tables: [] };
    return run(EFFORTS[short ? 'short' : quick ? 'quick' : 'full'], only);
  },
};
