import { quantile } from '../serving/quantile.ts';
import { FRACTIONS, SATURATING_CONNECTIONS, type Curve, type Times } from './measureCurve.ts';
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
/** Times below this quantile are unusually short; those as far above the median contain a pause. */
const USUAL = 0.05;
/** MOST_IN_FLIGHT.inProcess in src/service/app/startService.ts. */
export const MOST_IN_BATCH = 32;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number => quantile(values, 0.5);
const ascending = (values: Iterable<number>): number[] => [...values].filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);

/** What a replica needs for requests, from its times without load and from those in which it is never idle. */
export function serviceOf({ alone, saturatedMs, capacityPerS }: Pick<Curve, 'alone' | 'saturatedMs' | 'capacityPerS'>): {
  /** A replica that was idle needs this longer for the first request. */
  wakeMs: number;
  /** The same for every request. */
  sameMs: number;
  /** Pauses, such as garbage collection: one of them, often zero, to one of SATURATING_CONNECTIONS requests. */
  pausesMs: number[];
} {
  // A pause delays all requests in flight, so as many callers see each. The usual spread is as wide above the median as below it.
  const usualMs = 2 * median(saturatedMs) - quantile(saturatedMs, USUAL);
  const pausesMs = saturatedMs.map((ms) => Math.max(0, ms - usualMs));
  const sameMs = Math.max(0, 1000 / capacityPerS - mean(pausesMs) / SATURATING_CONNECTIONS);
  const aloneMs = median(ascending(alone.replica.wayMs)) - median(ascending(alone.trivial.wayMs));
  return { wakeMs: Math.max(0, aloneMs - sameMs), sameMs, pausesMs };
}

/**
 * Simulates a replica from measurements without its load: requests that come alone, requests when it is never idle, and when the load generator
 * writes the same requests to a server that does nothing, and how long one usually takes there. That server has pauses of its own, which are
 * left out.
 */
export function simulateCurve(curve: Curve): Compared[] {
  const { wakeMs, sameMs, pausesMs } = serviceOf(curve);
  const serviceMs = (random: () => number): number =>
    sameMs + (pausesMs[Math.floor(random() * SATURATING_CONNECTIONS * pausesMs.length)] ?? 0);
  const timesOf = ({ dueMs }: Times, answeredMs: (i: number) => number): number[] =>
    ascending(Array.from(dueMs, (ms, i) => answeredMs(i) - ms).slice(Math.ceil(WARM_UP_FRACTION * dueMs.length)));
  return FRACTIONS.map((fraction) => {
    const rounds = curve.points
      .filter((point) => point.fraction === fraction)
      .map(({ rate, replica, trivial, foreignCores }) => {
        const arrivals = [...trivial.sentMs];
        const model = { replicas: 1, policy: 'round robin', arrivals, rate, requests: 0, seed: SEED } as const;
        const { leaveMs } = simulateQueue({ ...model, serviceMs, wakeMs, mostInBatch: MOST_IN_BATCH });
        const wayMs = median(ascending(trivial.wayMs));
        const measured = timesOf(replica, (i) => replica.sentMs[i]! + replica.wayMs[i]!);
        return { rate, foreignCores, measured, simulated: timesOf(trivial, (i) => leaveMs[i]! + wayMs) };
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
