import { quantile } from '../serving/quantile.ts';
import { FRACTIONS, type Curve, type Times } from './measureCurve.ts';
import { simulateQueue, WARM_UP_FRACTION } from './simulateQueue.ts';

/** One fraction of the knee, medians of its rounds. */
export type Compared = {
  readonly fraction: number;
  readonly rate: number;
  readonly p50Ms: { readonly measured: number; readonly simulated: number };
  readonly p99Ms: { readonly measured: number; readonly simulated: number };
  /** Of the simulated p99; 0.1: 10 % too long. */
  readonly error: number;
  readonly foreignCores: number;
};

const SEED = 26;
/** MOST_IN_FLIGHT.inProcess in src/app/startService.ts. */
const MOST_IN_BATCH = 32;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number => quantile(values, 0.5);
const ascending = (values: Iterable<number>): number[] => [...values].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);

/** What a replica needs for requests, from its times without load and its capacity. */
export function serviceOf({ alone, capacityPerS }: Pick<Curve, 'alone' | 'capacityPerS'>): {
  /** A replica that was idle needs this longer for the first request. */
  wakeMs: number;
  /** Of each request, one is drawn: the same for all, and garbage collection and other pauses. */
  addMs: number[];
} {
  // Slower ones against slower ones: the way through the kernel and the generator has pauses of its own.
  const [replica, trivial] = [ascending(alone.replica.wayMs), ascending(alone.trivial.wayMs)];
  const occupiedMs = replica.map((ms, i) => Math.max(0, ms - (trivial[Math.min(i, trivial.length - 1)] ?? 0)));
  const meanMs = 1000 / capacityPerS;
  const usualMs = median(occupiedMs);
  const pausesMs = occupiedMs.map((ms) => Math.max(0, ms - usualMs));
  const sameMs = Math.max(0, meanMs - mean(pausesMs));
  return { wakeMs: Math.max(0, mean(occupiedMs) - meanMs), addMs: pausesMs.map((ms) => sameMs + ms) };
}

/**
 * Simulates a replica from measurements without its load: requests that come alone, its capacity, and when the load generator writes the same
 * requests to a server that does nothing, and how long they take there.
 */
export function simulateCurve(curve: Curve): Compared[] {
  const { wakeMs, addMs } = serviceOf(curve);
  const serviceMs = (random: () => number): number => addMs[Math.floor(random() * addMs.length)]!;
  const timesOf = ({ dueMs, sentMs, wayMs }: Times, leaveMs = sentMs): number[] =>
    ascending([...leaveMs].map((ms, i) => ms + wayMs[i]! - dueMs[i]!).slice(Math.ceil(WARM_UP_FRACTION * dueMs.length)));
  return FRACTIONS.map((fraction) => {
    const rounds = curve.points
      .filter((point) => point.fraction === fraction)
      .map(({ rate, replica, trivial, foreignCores }) => {
        const arrivals = [...trivial.sentMs];
        const model = { replicas: 1, policy: 'round robin', arrivals, rate, requests: 0, seed: SEED } as const;
        const { leaveMs } = simulateQueue({ ...model, serviceMs, wakeMs, mostInBatch: MOST_IN_BATCH });
        return { rate, foreignCores, measured: timesOf(replica), simulated: timesOf(trivial, leaveMs) };
      });
    const compared = (q: number): Compared['p99Ms'] => ({
      measured: median(rounds.map(({ measured }) => quantile(measured, q))),
      simulated: median(rounds.map(({ simulated }) => quantile(simulated, q))),
    });
    const p99Ms = compared(0.99);
    return {
      fraction,
      rate: rounds[0]?.rate ?? NaN,
      p50Ms: compared(0.5),
      p99Ms,
      error: p99Ms.simulated / p99Ms.measured - 1,
      foreignCores: Math.max(...rounds.map((round) => round.foreignCores)),
    };
  });
}
