import { expect } from 'chai';
import { FRACTIONS, type Curve } from '../../../../bench/simulate/measureCurve.ts';
import { simulateCurve } from '../../../../bench/simulate/simulateCurve.ts';
import { simulateQueue } from '../../../../bench/simulate/simulateQueue.ts';
import { dueTimes } from '../../../../bench/serving/openLoop.ts';

describe('simulateCurve', () => {
  /** A replica that is occupied for 1 ms by each request, which takes 1.5 ms for its caller. */
  const curveOf = (occupiedMs: number): Curve => ({
    aloneMs: Array.from({ length: 100 }, () => 1.5),
    capacityPerS: 1000,
    kneePerS: 950,
    points: FRACTIONS.flatMap((fraction) => {
      const rate = 950 * fraction;
      const dueMs = dueTimes([{ rate, seconds: 20 }], 7);
      const model = { replicas: 1, policy: 'round robin', arrivals: dueMs, rate, requests: 0, seed: 1 } as const;
      const { p50Ms, p99Ms } = simulateQueue({ ...model, serviceMs: () => occupiedMs });
      return [{ fraction, rate, dueMs, p50Ms: p50Ms + 0.5, p99Ms: p99Ms + 0.5, foreignCores: 0.1 }];
    }),
  });

  it('finds the times of a replica that is a queue, from what it takes without load', () => {
    for (const { p50Ms, p99Ms, error } of simulateCurve(curveOf(1))) {
      expect(p50Ms.simulated).to.be.closeTo(p50Ms.measured, 1e-6);
      expect(p99Ms.simulated).to.be.closeTo(p99Ms.measured, 1e-6);
      expect(error).to.be.closeTo(0, 1e-6);
    }
  });

  it('shows the error for one that gets slower under load', () => {
    const errors = simulateCurve(curveOf(1.05)).map(({ error }) => error);
    expect(errors.at(-1)).to.be.below(-0.2);
  });
});

describe('Poisson arrivals', () => {
  it('are the same for the same seed, in order, and of the right number', () => {
    const phases = [
      { rate: 500, seconds: 10 },
      { rate: 1000, seconds: 10 },
    ];
    const due = dueTimes(phases, 3);
    expect(due).to.deep.equal(dueTimes(phases, 3));
    expect(due).to.not.deep.equal(dueTimes(phases, 4));
    expect(due.every((ms, i) => ms >= (due[i - 1] ?? 0))).to.equal(true);
    expect(due.length).to.be.within(14_500, 15_500);
    expect(due.filter((ms) => ms < 10_000).length).to.be.within(4700, 5300);
  });
});
