import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { preparedAuc } from '../../../../training/metrics/auc.ts';
import { clusterBootstrap, clusterBootstrapAll } from '../../../../src/engine/scoring/clusterBootstrap.ts';

const weightedMean =
  (values: Float64Array) =>
  (weights: Float64Array): number => {
    let [sum, total] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      sum += weights[i] * values[i];
      total += weights[i];
    }
    return sum / total;
  };

/** `clusters` clusters of `size` rows that share a normal effect: a mean of 0 with standard error sqrt((1 + 1/size) / clusters). */
function clustered(seed: number, clusters: number, size: number) {
  const random = seededRandom(seed);
  const ids = Int32Array.from({ length: clusters * size }, (_, i) => 1000 - Math.floor(i / size));
  const effects = Float64Array.from({ length: clusters }, () => random.normal());
  const values = Float64Array.from({ length: clusters * size }, (_, i) => effects[Math.floor(i / size)] + random.normal());
  return { ids, values };
}

describe('clusterBootstrap', () => {
  it('has its nominal coverage of the mean of clustered rows, with the standard error of clusters and not of rows', () => {
    const trials = 120;
    let [covered95, above90, squaredError] = [0, 0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const { ids, values } = clustered(trial, 40, 5);
      const interval = clusterBootstrap(ids, weightedMean(values), { draws: 200, random: seededRandom(trial + 1e6) });
      if (interval.lower95 <= 0 && interval.upper95 >= 0) covered95++;
      if (interval.lower90OneSided <= 0) above90++;
      squaredError += interval.se ** 2 / trials;
      expect(interval.clusters).to.equal(40);
    }
    expect(covered95 / trials).to.be.within(0.89, 0.99);
    expect(above90 / trials).to.be.within(0.82, 0.96);
    expect(Math.sqrt(squaredError)).to.be.closeTo(Math.sqrt(1.2 / 40), 0.02);
  });

  it('estimates on the original rows, is the same for one seed, and uses the same draws for all statistics', () => {
    const { ids, values } = clustered(3, 30, 4);
    const one = clusterBootstrap(ids, weightedMean(values), { random: seededRandom(1) });
    expect(one.estimate).to.be.closeTo(values.reduce((sum, value) => sum + value, 0) / values.length, 1e-12);
    const all = clusterBootstrapAll(
      ids,
      (weights) => ({ mean: weightedMean(values)(weights), difference: weightedMean(values)(weights) - weightedMean(values)(weights) }),
      { random: seededRandom(1) },
    );
    expect(all.mean).to.deep.equal(one);
    expect([all.difference.lower95, all.difference.upper95, all.difference.se]).to.deep.equal([0, 0, 0]);
    const none = clusterBootstrap(ids, weightedMean(values), { random: seededRandom(1), draws: 0 });
    expect([none.estimate, none.lower95, none.clusters]).to.deep.equal([one.estimate, NaN, 30]);
  });

  it('excludes draws without a finite value, and has no interval if they are the majority', () => {
    const clusters = Int32Array.of(0, 1, 2);
    const often = clusterBootstrap(clusters, preparedAuc(Float64Array.of(1, 2, 3), Uint8Array.of(0, 0, 1)), { random: seededRandom(1) });
    expect(often.estimate).to.equal(1);
    expect(often.lower95).to.equal(1);
    let calls = 0;
    const seldom = clusterBootstrap(clusters, () => (calls++ % 3 === 0 ? 1 : NaN), { random: seededRandom(1) });
    expect([seldom.estimate, seldom.lower95, seldom.se]).to.deep.equal([1, NaN, NaN]);
    const never = clusterBootstrap(clusters, () => NaN, { random: seededRandom(1) });
    expect([never.estimate, never.lower90OneSided, never.se]).to.satisfy((values: number[]) => values.every(Number.isNaN));
    expect(clusterBootstrap(new Int32Array(0), () => NaN, { random: seededRandom(1) }).clusters).to.equal(0);
  });
});
