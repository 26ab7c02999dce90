import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { binEdges, binFractions, MAX_BINS, stabilityIndex } from '../../../../src/engine/features/stabilityIndex.ts';

const normals = (count: number, seed: number, shift = 0): Float32Array => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count }, () => random.normal() + shift).sort();
};
const index = (before: ArrayLike<number>, after: ArrayLike<number>): number => {
  const edges = binEdges(before);
  return stabilityIndex(binFractions(before, edges), binFractions(after, edges));
};

describe('stabilityIndex', () => {
  it('is 0 for the same values, and near 0 for other values of the same distribution', () => {
    expect(index(normals(5000, 1), normals(5000, 1))).to.equal(0);
    expect(index(normals(20_000, 1), normals(20_000, 2))).to.be.within(0, 0.005);
  });

  it('is above 0.25 if a column has shifted by one standard deviation, and grows with the shift', () => {
    const before = normals(20_000, 1);
    const [half, one] = [index(before, normals(20_000, 2, 0.5)), index(before, normals(20_000, 2, 1))];
    expect(half).to.be.within(0.1, one);
    expect(one).to.be.above(0.25);
  });

  it('is the sum of (q - p) ln(q / p), with an empty bin counted as 0.0001', () => {
    expect(stabilityIndex([0.5, 0.5], [0.25, 0.75])).to.be.closeTo(-0.25 * Math.log(0.5) + 0.25 * Math.log(1.5), 1e-12);
    expect(stabilityIndex([0.5, 0.5], [1, 0])).to.be.closeTo(0.5 * Math.log(2) + 0.4999 * Math.log(5000), 1e-9);
    expect(stabilityIndex([1, 0], [0.5, 0.5])).to.be.closeTo(0.5 * Math.log(2) + 0.4999 * Math.log(5000), 1e-9);
  });

  it('has ten bins of equal mass, and fewer if values repeat', () => {
    const values = normals(10_000, 3);
    const edges = binEdges(values);
    expect(edges).to.have.length(9);
    for (const fraction of binFractions(values, edges)) expect(fraction).to.be.closeTo(0.1, 0.001);
    const steps = Float32Array.from({ length: 900 }, (_, i) => 1 + Math.floor(i / 300));
    expect(binFractions(steps, binEdges(steps)).filter((fraction) => fraction > 0)).to.deep.equal([1 / 3, 1 / 3, 1 / 3]);
    const heaped = Float32Array.from({ length: 100 }, (_, i) => Math.max(0, i - 15));
    expect(binEdges(heaped)).to.have.length.below(MAX_BINS);
  });

  it('detects the smallest change of a constant column, up and down', () => {
    for (const value of [0, 1.5, -2]) {
      const constant = new Float32Array(100).fill(value);
      const edges = binEdges(constant);
      expect(edges).to.have.length(2);
      expect(edges.map(Math.fround)).to.deep.equal(edges);
      expect(binFractions(constant, edges), String(value)).to.deep.equal([0, 1, 0]);
      for (const other of [value - 1e-6, value + 1e-6]) expect(index(constant, new Float32Array(100).fill(other))).to.be.above(5);
    }
  });
});
