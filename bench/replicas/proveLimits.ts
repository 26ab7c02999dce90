import type { ProofContext, ProofResult } from './Proof.ts';
import { countStatus, SteadyLoad } from './SteadyLoad.ts';
import { pause } from './pause.ts';

const TOLERANCE = 0.05;

/** Sends half as many again as the quota of one key allows, round-robin over the replicas, within one window. */
export async function proveLimits({ rig, bodies, rate, effort }: ProofContext): Promise<ProofResult> {
  const { quota } = effort;
  const { key } = await rig.signUp(rig.proxyPort, 'limit@example.com');
  const [wanted, perSecond] = [1.5 * quota, Math.max(rate, quota / 20)];
  const load = new SteadyLoad({ port: rig.proxyPort, keys: [key], bodies, rate: perSecond });
  await pause((1000 * wanted) / perSecond);
  const sent = await load.stop();
  const admitted = sent.filter(({ status }) => status === 200).length;
  return {
    what: `LIMITS_SHARED: ${sent.length} forecasts of one key over 3 replicas`,
    promised: `${quota} admitted, within 5 %`,
    measured: `${admitted} admitted (${countStatus(sent)})`,
    isHeld: Math.abs(admitted - quota) <= TOLERANCE * quota && sent.every(({ status }) => status === 200 || status === 429),
  };
}
