import { seededRandom } from '../../src/core/Random.ts';
import { quantile } from '../serving/quantile.ts';

export type QueueModel = {
  readonly replicas: number;
  /** How a proxy chooses a replica. */
  readonly policy: 'round robin' | 'least connections';
  /** Constant rate; Poisson: many independent callers; or when each request arrives, ms, which replaces `rate` and `requests`. */
  readonly arrivals: 'constant' | 'poisson' | readonly number[];
  /** Requests a second, over all replicas. */
  readonly rate: number;
  /** Time for which a request occupies a replica; called once for each request. */
  readonly serviceMs: (random: () => number) => number;
  readonly requests: number;
  readonly seed: number;
};

export type QueueResult = { readonly meanMs: number; readonly p50Ms: number; readonly p99Ms: number; readonly utilisation: number };

/** The first requests are not counted: the queues are empty then. */
const WARM_UP_FRACTION = 0.1;

/** A discrete-event simulation: each replica serves one request at a time, in order of arrival, without losing any. */
export function simulateQueue({ replicas, policy, arrivals, rate, serviceMs, requests, seed }: QueueModel): QueueResult {
  const source = seededRandom(seed);
  const random = (): number => source.uniform();
  const freeAtMs = new Float64Array(replicas);
  /** By replica: when its requests leave, in order; those before `left` have left. */
  const leaveMs: number[][] = Array.from({ length: replicas }, () => []);
  const left = new Int32Array(replicas);
  const times: number[] = [];
  let [nowMs, busyMs] = [0, 0];
  const load = (replica: number): number => {
    const leaving = leaveMs[replica]!;
    while (left[replica]! < leaving.length && leaving[left[replica]!]! <= nowMs) left[replica]!++;
    return leaving.length - left[replica]!;
  };
  const count = typeof arrivals !== 'string' ? arrivals.length : requests;
  for (let i = 0; i < count; i++) {
    if (typeof arrivals !== 'string') nowMs = arrivals[i]!;
    else nowMs += arrivals === 'constant' ? 1000 / rate : (-Math.log(1 - random()) * 1000) / rate;
    let chosen = i % replicas;
    if (policy === 'least connections') {
      let least = Infinity;
      // Round-robin among equals, as HAProxy does.
      for (let k = 0; k < replicas; k++) {
        const replica = (i + k) % replicas;
        const waiting = load(replica);
        if (waiting < least) [least, chosen] = [waiting, replica];
      }
      leaveMs[chosen]!.push(0);
    }
    const ms = serviceMs(random);
    const endMs = Math.max(nowMs, freeAtMs[chosen]!) + ms;
    freeAtMs[chosen] = endMs;
    busyMs += ms;
    if (policy === 'least connections') leaveMs[chosen]![leaveMs[chosen]!.length - 1] = endMs;
    if (i >= WARM_UP_FRACTION * count) times.push(endMs - nowMs);
  }
  const meanMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  return { meanMs, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), utilisation: busyMs / (nowMs * replicas) };
}
