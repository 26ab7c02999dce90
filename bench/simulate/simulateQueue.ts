import { seededRandom } from '../../src/core/Random.ts';
import { quantile } from '../serving/quantile.ts';

export type QueueModel = {
  readonly replicas: number;
  /** How a proxy chooses a replica. */
  readonly policy: 'round robin' | 'least connections';
  /** Constant rate; Poisson: many independent callers; or when each request arrives, ms, ascending, which replaces `rate` and `requests`. */
  readonly arrivals: 'constant' | 'poisson' | readonly number[];
  /** Requests a second, over all replicas. */
  readonly rate: number;
  /** Time that a request adds to its batch; called once for each request. */
  readonly serviceMs: (random: () => number) => number;
  /** Time that a batch takes longer if the replica was idle before: it wakes up, with cold caches. */
  readonly wakeMs?: number;
  /** Most requests that a replica starts together; all of them leave when the last one is done. */
  readonly mostInBatch?: number;
  readonly requests: number;
  readonly seed: number;
};

export type QueueResult = {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly utilisation: number;
  /** When each request leaves, ms, in the order of arrival. */
  readonly leaveMs: Float64Array;
};

/** The first requests are not counted: the queues are empty then. */
export const WARM_UP_FRACTION = 0.1;

/**
 * A discrete-event simulation of replicas that serve all that waits, up to `mostInBatch`, in order of arrival and without losing any. A batch
 * starts when the one before has left.
 */
export function simulateQueue(model: QueueModel): QueueResult {
  const { replicas, policy, arrivals, rate, serviceMs, wakeMs = 0, mostInBatch = 1, requests, seed } = model;
  const source = seededRandom(seed);
  const random = (): number => source.uniform();
  const count = typeof arrivals !== 'string' ? arrivals.length : requests;
  const [arriveMs, addMs, leaveMs] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  /** By replica: its requests in order; those before `started` are in a batch, those before `left` have left. */
  const queues: number[][] = Array.from({ length: replicas }, () => []);
  const [freeAtMs, started, left] = [new Float64Array(replicas), new Int32Array(replicas), new Int32Array(replicas)];
  let [nowMs, busyMs] = [0, 0];
  /** Starts the batches that start before `untilMs`: later requests cannot join them. */
  const serve = (replica: number, untilMs: number): void => {
    const queue = queues[replica]!;
    for (let first = started[replica]!; first < queue.length; first = started[replica]!) {
      const freeMs = freeAtMs[replica]!;
      const arrivedMs = arriveMs[queue[first]!]!;
      const startMs = Math.max(freeMs, arrivedMs);
      if (startMs >= untilMs) return;
      let next = first;
      let endMs = startMs + (freeMs <= arrivedMs ? wakeMs : 0);
      for (; next < queue.length && next - first < mostInBatch && arriveMs[queue[next]!]! <= startMs; next++) endMs += addMs[queue[next]!]!;
      for (let at = first; at < next; at++) leaveMs[queue[at]!] = endMs;
      busyMs += endMs - startMs;
      freeAtMs[replica] = endMs;
      started[replica] = next;
    }
  };
  const load = (replica: number): number => {
    serve(replica, nowMs);
    const queue = queues[replica]!;
    while (left[replica]! < started[replica]! && leaveMs[queue[left[replica]!]!]! <= nowMs) left[replica]!++;
    return queue.length - left[replica]!;
  };
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
    }
    arriveMs[i] = nowMs;
    addMs[i] = serviceMs(random);
    queues[chosen]!.push(i);
  }
  for (let replica = 0; replica < replicas; replica++) serve(replica, Infinity);
  const times = Array.from(leaveMs, (ms, i) => ms - arriveMs[i]!).slice(Math.ceil(WARM_UP_FRACTION * count));
  const meanMs = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  return { meanMs, p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), utilisation: busyMs / (nowMs * replicas), leaveMs };
}
