import { expect } from 'chai';
import { needOf, UTILISATION } from '../../../../bench/simulate/capacity.ts';
import { simulateQueue, type QueueModel } from '../../../../bench/simulate/simulateQueue.ts';

const MODEL: QueueModel = {
  replicas: 1,
  policy: 'round robin',
  arrivals: 'poisson',
  rate: 800,
  serviceMs: () => 1,
  requests: 400_000,
  seed: 1,
};
const exponential = (random: () => number): number => -Math.log(1 - random());

describe('simulateQueue', () => {
  it('agrees with the mean time in an M/D/1 queue', () => {
    for (const load of [0.3, 0.6, 0.8]) {
      const { meanMs, utilisation } = simulateQueue({ ...MODEL, rate: 1000 * load });
      expect(meanMs).to.be.closeTo(1 + load / (2 * (1 - load)), 0.05 * meanMs);
      expect(utilisation).to.be.closeTo(load, 0.01);
    }
  });

  it('agrees with mean and p99 of an M/M/1 queue', () => {
    const { meanMs, p99Ms } = simulateQueue({ ...MODEL, rate: 700, serviceMs: exponential });
    expect(meanMs).to.be.closeTo(1 / 0.3, 0.05 * meanMs);
    expect(p99Ms).to.be.closeTo(Math.log(100) / 0.3, 0.08 * p99Ms);
  });

  it('lets no request wait if they come at a constant rate and take less than the time between them', () => {
    const { p50Ms, p99Ms } = simulateQueue({ ...MODEL, arrivals: 'constant', rate: 900, requests: 1000 });
    expect([p50Ms, p99Ms]).to.satisfy((times: number[]) => times.every((time) => Math.abs(time - 1) < 1e-6));
  });

  it('serves together what waits, and wakes up only from idleness', () => {
    const model = { ...MODEL, serviceMs: () => 1, wakeMs: 0.5, mostInBatch: 2 };
    // The first alone; two that waited; the third of them; one that comes when the replica is idle.
    expect([...simulateQueue({ ...model, arrivals: [0, 0.1, 0.2, 0.3, 9] }).leaveMs]).to.deep.equal([1.5, 3.5, 3.5, 4.5, 10.5]);
    // Nothing else is there when a batch starts.
    expect([...simulateQueue({ ...model, arrivals: [0, 1.5] }).leaveMs]).to.deep.equal([1.5, 3]);
  });

  it('gives shorter times with least connections than with round robin, and the same with one replica', () => {
    const times = (replicas: number, policy: QueueModel['policy']): number =>
      simulateQueue({ ...MODEL, replicas, policy, rate: 800 * replicas, serviceMs: exponential, requests: 100_000 }).p99Ms;
    expect(times(4, 'least connections')).to.be.below(0.8 * times(4, 'round robin'));
    expect(times(1, 'least connections')).to.equal(times(1, 'round robin'));
  });

  it('gives the same result for the same seed', () => {
    expect(simulateQueue(MODEL)).to.deep.equal(simulateQueue(MODEL));
  });
});

describe('needOf', () => {
  const way = { cpuMs: 1, bytes: 1000, spread: Infinity };

  it('uses the processors to the agreed fraction, with one replica to spare', () => {
    expect(needOf(6000, way).replicas).to.equal(6 / UTILISATION + 1);
    expect(needOf(6000, way).gbitPerS).to.be.closeTo(0.048, 1e-9);
  });

  it('asks the database less often if a key stays on few replicas', () => {
    const [spread, kept] = [needOf(100_000, way), needOf(100_000, { ...way, spread: 2 })];
    expect(kept.databasePerS).to.be.below(spread.databasePerS / 1.5);
    expect(spread.databasePerS).to.be.at.most(2 * 100_000 + 2 * spread.replicas);
  });

  it('counts checks and reports of a key, and for each replica a read of the registry each 2 s and one for due alerts each second', () => {
    const { replicas, databasePerS } = needOf(10, { ...way, spread: 1 });
    expect(replicas).to.equal(2);
    expect(databasePerS).to.be.closeTo(0.4 + 4 + 2 * (0.5 + 1), 1e-9);
  });
});
