import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { comparePaired, type PairedRows } from '../../../../training/metrics/comparePaired.ts';
import { comparisonNotes, comparisonRows, markdownTable } from '../../../../training/metrics/formatComparison.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';
import { brier } from '../../../../training/metrics/probability.ts';

/** Two signals determine the label; the base has the first, the model has both, or noise of the same size if `gain` is 0. */
function rowsOf(seed: number, n: number, gain: number, rowsPerCluster = 20): PairedRows {
  const random = seededRandom(seed);
  const rows = {
    p: new Float64Array(n),
    pBase: new Float64Array(n),
    y: new Uint8Array(n),
    cluster: Int32Array.from({ length: n }, (_, i) => Math.floor(i / rowsPerCluster)),
    cell: Int32Array.from({ length: n }, (_, i) => (i * 5 < n * 4 ? Math.floor((i * 5) / n) : 4 + (i % 50))),
    day: Int32Array.from({ length: n }, (_, i) => Math.floor((i * 12) / n)),
    absMove: new Float64Array(n),
  };
  for (let i = 0; i < n; i++) {
    const [seen, hidden] = [random.normal(), random.normal()];
    rows.pBase[i] = sigmoid(-1.5 + 0.5 * seen);
    rows.p[i] = sigmoid(-1.5 + 0.5 * seen + gain * hidden);
    rows.y[i] = random.uniform() < rows.p[i] ? 1 : 0;
    rows.absMove[i] = rows.y[i] + random.uniform();
  }
  return rows;
}

describe('comparePaired', () => {
  it('finds a planted gain in every figure, with intervals that exclude 0', () => {
    const rows = rowsOf(1, 4000, 0.6);
    const table = comparePaired(rows, { random: seededRandom(1), draws: 60 });
    const { aucDifference, cellAucDifference, brierSkill: skill } = table.intervals;
    expect(aucDifference.estimate).to.be.closeTo(auc(rows.p, rows.y) - auc(rows.pBase, rows.y), 1e-12);
    expect(skill.estimate).to.be.closeTo(1 - brier(rows.p, rows.y) / brier(rows.pBase, rows.y), 1e-12);
    expect(cellAucDifference.estimate).to.be.closeTo(table.cellAuc.model - table.cellAuc.base, 1e-12);
    for (const interval of [aucDifference, cellAucDifference, skill]) {
      expect(interval.lower95).to.be.greaterThan(0);
      expect(interval.lower90OneSided).to.be.within(interval.lower95, interval.estimate);
      expect(interval.clusters).to.equal(200);
    }
    expect(table.dayIntervals?.aucDifference.clusters).to.equal(12);
    expect(table.logLoss.model).to.be.below(table.logLoss.base);
    expect(table.precision[2].model).to.be.above(table.precision[2].base);
    expect(table.topDecileMove.model).to.be.above(table.topDecileMove.base);
    expect(table.ece.model).to.be.closeTo(table.expectedEce, 0.02);
  });

  it('counts only cells of 300 rows with 40 of each class', () => {
    const table = comparePaired(rowsOf(2, 4000, 0.3), { random: seededRandom(1), draws: 5 });
    expect(table.cells.map((c) => [c.cell, c.n])).to.deep.equal([[0, 800], [1, 800], [2, 800], [3, 800]]); // prettier-ignore
    expect(table.cellsSeen).to.equal(54);
    const rare = rowsOf(2, 1200, 0.3);
    rare.cell.fill(0);
    rare.cell.fill(1, 600);
    for (const [positives, cells] of [
      [40, [0]],
      [39, []],
    ] as const) {
      // prettier-ignore
      rare.y.fill(0);
      rare.y.fill(1, 0, positives);
      expect(comparePaired(rare, { random: seededRandom(1), draws: 5 }).cells.map((c) => c.cell)).to.deep.equal(cells);
    }
  });

  it('shows no gain without one, and reports if the rows are too few', () => {
    const none = rowsOf(3, 1000, 0.4);
    const random = seededRandom(4);
    const placebo = { ...none, y: Uint8Array.from(none.y, () => (random.uniform() < 0.2 ? 1 : 0)) };
    const table = comparePaired(placebo, { random, draws: 60 });
    expect(table.intervals.aucDifference.lower95).to.be.below(0);
    expect(table.isUnderpowered).to.equal(true);
    const few = comparePaired(rowsOf(5, 4000, 0.4, 200), { random, draws: 30 });
    expect([few.clusters, few.isUnderpowered]).to.deep.equal([20, true]);
    expect(comparisonNotes(few).at(-1)).to.equal('Underpowered: fewer than 30 clusters.');
  });

  it('rejects columns of unequal length', () => {
    const rows = rowsOf(1, 100, 0.2);
    for (const short of [{ p: rows.p.slice(1) }, { cell: rows.cell.slice(1) }, { day: rows.cluster.slice(1) }]) {
      expect(() => comparePaired({ ...rows, ...short }, { random: seededRandom(1), draws: 2 })).to.throw(RangeError);
    }
  });

  it('prints a table of four columns', () => {
    const comparison = comparePaired(rowsOf(1, 2000, 0.6), { random: seededRandom(1), draws: 20 });
    const table = markdownTable(comparisonRows(comparison));
    for (const line of table) expect(line).to.match(/^\|([^|]*\|){4}$/);
    expect(table[2]).to.match(/^\| AUC, pooled \| 0\.\d{3} \(0\.\d{3} to 0\.\d{3}\) \| .* \| \+0\.\d{4} \(/);
    expect(comparisonNotes(comparison)[0]).to.match(/2000 origins, base rate 0\.\d{3}, 100 clusters/);
    expect(table.join('\n')).not.to.include('NaN');
  });
});
