import { pause } from './pause.ts';
import type { ProofContext, ProofResult } from './Proof.ts';
import { isBroken } from './proxyLog.ts';
import { countStatus, SteadyLoad } from './SteadyLoad.ts';

/** Until HAProxy has written its last lines. */
const LOG_MS = 200;

/** Stops and starts each replica, one after the other, under load. The replicas have the changed settings of the rig afterwards. */
export async function proveRollingRestart({ rig, keys, bodies, rate, effort }: ProofContext): Promise<ProofResult> {
  const load = new SteadyLoad({ port: rig.proxyPort, keys, bodies, rate });
  const codes: (number | null)[] = [];
  await pause(effort.calmMs);
  for (const replica of rig.replicas) {
    codes.push(await rig.stop(replica));
    await rig.start(replica);
    await rig.untilInService(replica);
    await pause(effort.calmMs);
  }
  const sent = await load.stop();
  return {
    what: `rolling restart of 3 replicas at ${rate} forecasts/s`,
    promised: 'no answer other than 200; exit code 0',
    measured: `${countStatus(sent)}; exit codes ${codes.join(', ')}`,
    isHeld: sent.length > 0 && sent.every(({ status }) => status === 200) && codes.every((code) => code === 0),
  };
}

/** Kills one replica under load: half of it from callers that try once, half from callers that retry like the client package. */
export async function proveKill({ rig, keys, bodies, rate, effort }: ProofContext): Promise<ProofResult[]> {
  const [victim] = rig.replicas;
  const from = { port: rig.proxyPort, keys, bodies, rate: rate / 2, keepsAlive: false };
  const [once, retrying] = [new SteadyLoad(from), new SteadyLoad({ ...from, retries: 4 })];
  const firstLine = rig.proxyLines.length;
  await pause(effort.calmMs);
  await rig.stop(victim!, 'SIGKILL');
  await pause(effort.calmMs);
  await rig.start(victim!);
  await rig.untilInService(victim!);
  await pause(effort.calmMs);
  const [single, retried] = [await once.stop(), await retrying.stop()];
  await pause(LOG_MS);
  // A request whose connection was not accepted goes to another replica, so a broken one had reached the replica that it names.
  const broken = rig.proxyLines.slice(firstLine).filter(isBroken);
  const elsewhere = broken.filter(({ replica }) => replica !== rig.proxyNameOf(victim!)).length;
  const failed = single.filter(({ status }) => status !== 200);
  const attempts = retried.reduce((sum, request) => sum + request.attempts - 1, 0);
  const at = `at ${rate} forecasts/s`;
  return [
    {
      what: `kill -9 of one replica ${at}`,
      promised: 'only requests in flight on it fail',
      measured: `${countStatus(single)}; HAProxy names the killed replica for ${broken.length - elsewhere} broken requests, another one for ${elsewhere}`,
      isHeld: single.length > 0 && elsewhere === 0 && failed.length + attempts <= broken.length,
    },
    {
      what: `the same, with the retries of the client`,
      promised: 'none fails',
      measured: `${countStatus(retried)}, ${attempts} retries`,
      isHeld: retried.length > 0 && retried.every(({ status }) => status === 200),
    },
  ];
}
