import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { BOOST, type BoostedTrees, boostTrees, type BoostOptions, sumOfLeaves } from '../../../../training/context/boostTrees.ts';
import { auc } from '../../../../training/metrics/auc.ts';

const COUNT = 4000;
const OPTIONS: BoostOptions = { ...BOOST, rounds: 60, learningRate: 0.2, leastRows: 50, columnFraction: 1, seed: 1 };

/** Four columns of normal values; the label is 1 where the first two have the same sign. */
function interaction(seed: number): { columns: Float32Array[]; label: Uint8Array } {
  const random = seededRandom(seed);
  const columns = Array.from({ length: 4 }, () => Float32Array.from({ length: COUNT }, () => random.normal()));
  return { columns, label: Uint8Array.from({ length: COUNT }, (_, i) => (columns[0][i] > 0 === columns[1][i] > 0 ? 1 : 0)) };
}

const predict = (trees: BoostedTrees, columns: readonly Float32Array[]): Float64Array =>
  Float64Array.from({ length: columns[0].length }, (_, i) =>
    sumOfLeaves(
      trees,
      Float32Array.from(columns, (values) => values[i]),
    ),
  );

describe('boosted trees', () => {
  const zeros = new Float64Array(COUNT);

  it('learn an interaction of two columns, of which neither tells anything alone', () => {
    const { columns, label } = interaction(1);
    const other = interaction(2);
    expect(auc(predict(boostTrees(columns, label, zeros, OPTIONS), other.columns), other.label)).to.be.above(0.97);
  });

  it('are the same for the same rows and seed, and differ for another seed', () => {
    const { columns, label } = interaction(1);
    const fit = (seed: number): BoostedTrees => boostTrees(columns, label, zeros, { ...OPTIONS, rounds: 5, columnFraction: 0.5, seed });
    expect(fit(3)).to.deep.equal(fit(3));
    expect(fit(4)).not.to.deep.equal(fit(3));
  });

  it('have no split where all columns are constant, and then approach the mean of the labels', () => {
    const label = Uint8Array.from({ length: COUNT }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const columns = [new Float32Array(COUNT).fill(2)];
    const trees = boostTrees(columns, label, zeros, OPTIONS);
    expect(trees.nodes.every(({ column }) => column === -1)).to.equal(true);
    expect(predict(trees, columns)[0]).to.be.closeTo(Math.log(1 / 3), 0.05);
  });

  it('learn only what the start does not explain', () => {
    const { columns, label } = interaction(1);
    const trees = boostTrees(
      columns,
      label,
      Float64Array.from(label, (of) => (of === 1 ? 12 : -12)),
      OPTIONS,
    );
    expect(Math.max(...predict(trees, columns).map(Math.abs))).to.be.below(0.01);
  });

  it('have at most the allowed leaves in each tree, none with fewer rows than allowed', () => {
    const { columns, label } = interaction(1);
    const rounds = 12;
    const trees = boostTrees(columns, label, zeros, { ...OPTIONS, rounds, rowFraction: 1, leastRows: 300 });
    expect(trees.roots).to.have.length(rounds);
    const bounds = [...trees.roots, trees.nodes.length];
    for (let tree = 0; tree < rounds; tree++) {
      const leaves = trees.nodes.slice(bounds[tree], bounds[tree + 1]).filter(({ column }) => column === -1);
      expect(leaves.length).to.be.within(1, BOOST.leaves);
    }
    const rowsOf = new Map<object, number>();
    for (let i = 0; i < COUNT; i++) {
      let node = trees.nodes[trees.roots[0]];
      while (node.column >= 0) node = trees.nodes[columns[node.column][i] <= node.threshold ? node.left : node.right];
      rowsOf.set(node, (rowsOf.get(node) ?? 0) + 1);
    }
    expect(Math.min(...rowsOf.values())).to.be.at.least(300);
  });
});
