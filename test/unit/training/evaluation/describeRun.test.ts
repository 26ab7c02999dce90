import { expect } from 'chai';
import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { stabilityIndex } from '../../../../src/engine/features/stabilityIndex.ts';
import type { InputStatistics } from '../../../../src/engine/model/ModelManifest.ts';
import { allocateRows, type RowSet } from '../../../../training/data/RowSet.ts';
import { describeSeeds, inputDrift, inputsText } from '../../../../training/evaluation/describeRun.ts';
import { allRows } from '../../../../training/splits/planFolds.ts';
import { handRows } from '../../../support/handRows.ts';
import { randomRows } from '../../../support/randomRows.ts';

/** Sets one column of the default threshold of each row. */
function setColumn(rows: RowSet, column: number, valueOf: (row: number) => number): void {
  for (let row = 0; row < rows.count; row++) rows.context[row * rows.draws * CONTEXT_COLUMNS + column] = valueOf(row);
}

describe('inputsText', () => {
  it('has the fractions of the training rows between the edges of each column, at the default threshold', () => {
    const rows = randomRows({ count: 200, draws: 2 });
    setColumn(rows, 0, (row) => row % 100);
    setColumn(rows, 1, () => 5);
    const text = inputsText(rows);
    const { columns, ...rest } = JSON.parse(text) as InputStatistics;
    expect(rest).to.deep.equal({ format: 'tickmark-inputs/1', rows: 200 });
    expect(text.split('\n')).to.have.length(CONTEXT_COLUMNS + 3);
    expect(columns.map(({ name }) => name)).to.deep.equal(CONTEXT_COLUMN_NAMES);
    expect(columns[0]).to.deep.include({ edges: [10, 20, 30, 40, 50, 60, 70, 80, 90] });
    // An edge is in the bin below it.
    expect(columns[0]?.shares).to.deep.equal([0.11, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.09]);
    expect([columns[1]?.edges.length, columns[1]?.shares]).to.deep.equal([2, [0, 1, 0]]);
    for (const { shares } of columns) {
      expect(shares.reduce((sum, share) => sum + share, 0)).to.be.closeTo(1, 1e-5);
      for (const share of shares) expect(share).to.equal(Number(share.toFixed(6)));
    }
  });
});

describe('inputDrift', () => {
  it('gives mean, deviation and stability index of each column, the largest first', () => {
    const [before, after] = [randomRows({ count: 400, seed: 1 }), randomRows({ count: 300, seed: 1, draws: 2 })];
    for (let column = 0; column < CONTEXT_COLUMNS; column++) for (const rows of [before, after]) setColumn(rows, column, (row) => row % 10);
    setColumn(after, 3, (row) => (row % 10) + 2);
    setColumn(after, 7, (row) => (row % 10) + 5);
    const [first, second, ...others] = inputDrift(before, allRows(before), after, allRows(after));
    expect([first?.column, second?.column]).to.deep.equal([CONTEXT_COLUMN_NAMES[7], CONTEXT_COLUMN_NAMES[3]]);
    const deviation = Math.sqrt([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].reduce((sum, value) => sum + (value - 4.5) ** 2, 0) / 10);
    for (const [drift, mean] of [
      [first, 9.5],
      [second, 6.5],
      [others[0], 4.5],
    ] as const)
      // prettier-ignore
      for (const [value, expected] of [[drift?.trainMean, 4.5], [drift?.testMean, mean], [drift?.trainStd, deviation]] as const) // prettier-ignore
        expect(value).to.be.closeTo(expected, 1e-9);
    // The bins end at 1, 2, …, 9.
    const [train, test] = [[0.2, ...Array<number>(8).fill(0.1), 0], [0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5]]; // prettier-ignore
    expect(first?.psi).to.be.closeTo(stabilityIndex(train, test), 1e-9);
    for (const { psi } of others) expect(psi).to.be.closeTo(0, 1e-9);
  });

  it('samples 5000 of the rows evenly, and gives nothing without rows', () => {
    const [many, few] = [allocateRows(6000, 1), allocateRows(2, 1)];
    setColumn(many, 0, (row) => row);
    const [found] = inputDrift(many, allRows(many), many, allRows(many)).filter(({ column }) => column === CONTEXT_COLUMN_NAMES[0]);
    expect(found?.trainMean).to.be.closeTo(2999, 1e-6);
    for (const [train, test] of [[[], [1]], [[1], []]] as const) expect(inputDrift(few, Int32Array.from(train), few, Int32Array.from(test))).to.deep.equal([]); // prettier-ignore
  });
});

describe('describeSeeds', () => {
  it('gives mean and range over the seeds, and nothing for one', () => {
    const list = Array.from({ length: 1000 }, (_, i) => ({ move: i % 2 === 0 ? 2 : 0, ewma: 0.5 }));
    const { rows, scores } = handRows(list);
    /** Right for a fraction of the rows, wrong for the others: AUC is the fraction, about. */
    const right = (fraction: number) => ({ ...scores, candidate: Float64Array.from(list, (_, i) => ((i % 2 === 0) === i % 10 < fraction * 10 ? 0.6 : 0.4)) }); // prettier-ignore
    const [text, ...more] = describeSeeds(rows, [right(1), right(0.8), right(0.6)]);
    expect(more).to.deep.equal([]);
    expect(text).to.equal(
      'Over 3 seeds, mean and range against EWMA: AUC 0.3000 (0.1000 to 0.5000), mean of cells 0.3000 (0.1000 to 0.5000), Brier skill 0.2000 (0.0400 to 0.3600).',
    );
    expect(describeSeeds(rows, [scores])).to.deep.equal([]);
  });
});
