import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { pause } from './pause.ts';
import type { ProofContext, ProofResult } from './Proof.ts';
import { countStatus, SteadyLoad } from './SteadyLoad.ts';

/** How long after a change a replica may still answer with the version before. */
const FOLLOW_MS = 5000;

/** Promotes a version and rolls back under load; every answer must name a version that was current within the last 5 s. */
export async function proveVersions({ rig, keys, bodies, rate, effort }: ProofContext): Promise<ProofResult> {
  const shippedDir = path.join(packageRoot(), 'models');
  const shipped = readdirSync(shippedDir).filter((name) => name.startsWith('base-')).sort().at(-1) ?? ''; // prettier-ignore
  const copy = path.join(rig.folder, 'trained', 'mine-1');
  cpSync(path.join(shippedDir, shipped), copy, { recursive: true });
  const manifest = path.join(copy, 'manifest.json');
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace(`"id": "${shipped}"`, '"id": "mine-1"').replace(`"id":"${shipped}"`, '"id":"mine-1"'),
  );
  await rig.operate('push', copy);

  const load = new SteadyLoad({ port: rig.proxyPort, keys, bodies, rate, query: '?detail=full' });
  /** Default versions with the time until which each was the default. */
  const eras: { id: string; untilMs: number }[] = [];
  let current = shipped;
  const steps: readonly (readonly string[])[] = [['promote', 'mine-1', '--force'], ['rollback']];
  const rounds = effort.versionRounds;
  await pause(effort.calmMs);
  for (let round = 0; round < rounds; round++)
    for (const step of steps) {
      await rig.operate(...step);
      eras.push({ id: current, untilMs: performance.now() });
      current = step[0] === 'promote' ? 'mine-1' : shipped;
      await pause(FOLLOW_MS + 1500);
    }
  eras.push({ id: current, untilMs: Infinity });
  const sent = await load.stop();

  let latestMs = 0;
  const stale = sent.filter(({ status, model, dueMs, endMs }) => {
    if (status !== 200) return false;
    const allowed = eras.filter(({ untilMs }, at) => endMs >= (eras[at - 1]?.untilMs ?? -Infinity) - 3000 && dueMs <= untilMs + FOLLOW_MS);
    const last = eras.findLast(({ id, untilMs }) => id === model && untilMs < dueMs);
    const isCurrent = eras.some(({ id, untilMs }, at) => id === model && dueMs <= untilMs && endMs >= (eras[at - 1]?.untilMs ?? -Infinity));
    if (!isCurrent && last !== undefined) latestMs = Math.max(latestMs, dueMs - last.untilMs);
    return !allowed.some(({ id }) => id === model);
  });
  return {
    what: `${rounds * steps.length} promotions and rollbacks at ${rate} forecasts/s`,
    promised: 'every answer is 200 and names a version that was current within the last 5 s',
    measured: `${countStatus(sent)}; ${stale.length} of an older version; the version before answered for up to ${Math.round(latestMs)} ms`,
    isHeld: stale.length === 0 && sent.every(({ status }) => status === 200),
  };
}
