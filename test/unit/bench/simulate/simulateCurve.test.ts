import { expect } from 'chai';
import { FRACTIONS, type Curve, type Times } from '../../../../bench/simulate/measureCurve.ts';
import { serviceOf, simulateCurve } from '../../../../bench/simulate/simulateCurve.ts';
import { simulateQueue } from '../../../../bench/simulate/simulateQueue.ts';
import { seededRandom } from '../../../../src/core/Random.ts';
import { dueTimes } from '../../../../bench/serving/openLoop.ts';

describe('simulateCurve', () => {
  const timesOf = (dueMs: readonly number[], wayMs: (i: number) => number): Times => ({
    dueMs,
    // A timer of the generator writes each millisecond.
    sentMs: Float64Array.from(dueMs, Math.ceil),
    wayMs: Float64Array.from(dueMs, (_, i) => wayMs(i)),
  });
  /** A replica that works 1 ms for each request, wakes up in 0.4 ms, and pauses for 5 ms at each 100th; the generator takes 0.3 ms. */
  const curveOf = ({ slower }: { slower: number }): Curve => {
    const pauseMs = (i: number): number => (i % 100 === 0 ? 5 : 0);
    const alone = Array.from({ length: 1000 }, (_, i) => 10 * i);
    const random = seededRandom(3);
    return {
      alone: { trivial: timesOf(alone, () => 0.3), replica: timesOf(alone, (i) => 0.3 + 0.4 + 1 + pauseMs(i)) },
      // Each pause is seen by all that are in flight.
      saturatedMs: alone.map((_, i) => 32 + (i % 100 < 32 ? 5 : 0)),
      capacityPerS: 1000 / 1.05,
      kneePerS: 900,
      points: FRACTIONS.map((fraction) => {
        const rate = 900 * fraction;
        const dueMs = dueTimes([{ rate, seconds: 120 }], 7);
        const trivial = timesOf(dueMs, () => 0.3);
        const model = { replicas: 1, policy: 'round robin', arrivals: [...trivial.sentMs], rate, requests: 0, seed: 1 } as const;
        const serviceMs = (): number => slower + pauseMs(random.integer(100));
        const { leaveMs } = simulateQueue({ ...model, serviceMs, wakeMs: 0.4, mostInBatch: 32 });
        return { fraction, rate, trivial, replica: timesOf(dueMs, (i) => leaveMs[i]! - trivial.sentMs[i]! + 0.3), foreignCores: 0.1 };
      }),
    };
  };

  it('finds what a replica needs for each request, for its pauses and to wake up', () => {
    const { wakeMs, sameMs, pausesMs } = serviceOf(curveOf({ slower: 1 }));
    expect(wakeMs).to.be.closeTo(0.4, 1e-9);
    expect(sameMs).to.be.closeTo(1, 1e-9);
    expect(pausesMs.filter((ms) => ms > 0)).to.deep.equal(Array.from({ length: 320 }, () => 5));
  });

  it('finds its times under load, from those without it', () => {
    for (const { fraction, p50Ms, error } of simulateCurve(curveOf({ slower: 1 }))) {
      expect(p50Ms.simulated, `${fraction}`).to.be.closeTo(p50Ms.measured, 0.05 * p50Ms.measured);
      expect(error, `${fraction}`).to.be.closeTo(0, 0.1);
    }
  });

  it('shows the error for one that gets slower under load', () => {
    const errors = simulateCurve(curveOf({ slower: 1.1 })).map(({ error }) => error);
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
