import { quantile } from '../serving/quantile.ts';
import { FRACTIONS, type Curve } from './measureCurve.ts';
import { simulateQueue } from './simulateQueue.ts';

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
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Simulates a replica from two measurements without load, and compares it with its times under load. A request occupies the replica for as
 * long as its capacity tells on average, spread as the times of requests that come alone; what those take longer is the way through the
 * kernel and the caller, in which the replica may work for another.
 */
export function simulateCurve({ aloneMs, capacityPerS, points }: Curve): Compared[] {
  const occupiedMs = 1000 / capacityPerS;
  const [scale, aroundMs] = [occupiedMs / mean(aloneMs), Math.max(0, mean(aloneMs) - occupiedMs)];
  const serviceMs = (random: () => number): number => scale * aloneMs[Math.floor(random() * aloneMs.length)]!;
  return FRACTIONS.map((fraction) => {
    const rounds = points
      .filter((point) => point.fraction === fraction)
      .map((point) => {
        const { rate, dueMs: arrivals } = point;
        const model = { replicas: 1, policy: 'round robin', arrivals, rate, requests: 0, seed: SEED, serviceMs } as const;
        return { measured: point, simulated: simulateQueue(model) };
      });
    const p50Ms = {
      measured: median(rounds.map(({ measured }) => measured.p50Ms)),
      simulated: median(rounds.map(({ simulated }) => simulated.p50Ms + aroundMs)),
    };
    const p99Ms = {
      measured: median(rounds.map(({ measured }) => measured.p99Ms)),
      simulated: median(rounds.map(({ simulated }) => simulated.p99Ms + aroundMs)),
    };
    const error = p99Ms.simulated / p99Ms.measured - 1;
    const foreignCores = Math.max(...rounds.map(({ measured }) => measured.foreignCores));
    return { fraction, rate: rounds[0]?.measured.rate ?? NaN, p50Ms, p99Ms, error, foreignCores };
  });
}
