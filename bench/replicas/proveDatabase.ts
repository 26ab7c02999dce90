import { ask } from '../serving/ask.ts';
import { pause } from './pause.ts';
import type { ProofContext, ProofResult } from './Proof.ts';
import { countStatus, SteadyLoad } from './SteadyLoad.ts';

const SIGN_UP_EVERY_MS = 500;

/**
 * Kills the database for a time under load, while accounts are created. The outage is longer than KEY_CACHE_MS of the replicas and shorter
 * than KEY_OUTAGE_MS, so the keys that are in use before it work on.
 */
export async function proveOutage({ rig, keys, bodies, rate, effort }: ProofContext): Promise<ProofResult[]> {
  const { outageMs, recoveryMs, calmMs } = effort;
  // Every replica knows every key.
  for (const { port } of rig.replicas) for (const key of keys) await ask(port, { path: '/auth/me', key });
  const load = new SteadyLoad({ port: rig.proxyPort, keys, bodies, rate });
  const made: { status: number; key: string; ms: number }[] = [];
  let isOn = true;
  const signUps = (async () => {
    for (let i = 0; isOn; i++) {
      const startMs = performance.now();
      const { status, key } = await rig.signUp(rig.proxyPort, `outage${i}@example.com`);
      made.push({ status, key, ms: performance.now() - startMs });
      await pause(SIGN_UP_EVERY_MS);
    }
  })();
  await pause(calmMs);
  await rig.killDatabase();
  await pause(outageMs);
  const refusedWith = await ask(rig.proxyPort, {
    path: '/signup',
    body: JSON.stringify({ email: 'x@example.com', password: 'correct horse 42', confirm_password: 'correct horse 42' }),
  });
  await rig.startDatabase();
  await pause(recoveryMs);
  isOn = false;
  await signUps;
  const sent = await load.stop();
  const acknowledged = made.filter(({ status }) => status === 201);
  let lost = 0;
  for (const { key } of acknowledged) if ((await ask(rig.proxyPort, { path: '/auth/me', key })).status !== 200) lost++;
  const recovered = (await rig.signUp(rig.proxyPort, 'recovered@example.com')).status;
  return [
    {
      what: `database gone for ${outageMs / 1000} s: forecasts with keys known before at ${rate}/s`,
      promised: 'no answer other than 200',
      measured: countStatus(sent),
      isHeld: sent.every(({ status }) => status === 200),
    },
    {
      what: 'database gone: sign-ups meanwhile',
      promised: '201 or 503; nothing acknowledged is lost; works again after',
      measured: `${countStatus(made)}; ${lost} of ${acknowledged.length} acknowledged lost; then ${recovered}`,
      isHeld: made.every(({ status }) => status === 201 || status === 503) && refusedWith.status === 503 && lost === 0 && recovered === 201,
    },
  ];
}
