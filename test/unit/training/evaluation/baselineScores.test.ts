import { expect } from 'chai';
import { ewmaProbabilities, leaveOneGroupOutFolds, walkForwardFolds } from '../../../../training/evaluation/baselineScores.ts';
import { randomRows } from '../../../support/randomRows.ts';

/** 600 rows of three instruments, a minute apart. */
const rows = randomRows({ count: 600 });
rows.originUs.forEach((_, row) => (rows.originUs[row] = row * 60e6));
const groupOf = (instrument: number): string => (instrument === 2 ? 'b' : 'a');

describe('folds of the baseline', () => {
  it('leave one group of instruments out, and are none for a single group', () => {
    const folds = leaveOneGroupOutFolds(rows, groupOf);
    expect(folds).to.have.length(2);
    const members = (isOfB: boolean): number[] => [...Array(600).keys()].filter((row) => (rows.instrument[row] === 2) === isOfB);
    expect(folds.map(({ train, test }) => [[...train], [...test]])).to.deep.equal([[members(true), members(false)], [members(false), members(true)]]); // prettier-ignore
    expect(leaveOneGroupOutFolds(rows, () => 'one')).to.deep.equal([]);
  });

  it('predict five blocks of each group in time from the rows before them', () => {
    const folds = walkForwardFolds(rows, groupOf);
    expect(folds).to.have.length(5);
    const tested = folds.flatMap(({ test }) => [...test]);
    expect(new Set(tested).size).to.equal(tested.length);
    expect(tested.length).to.be.closeTo(0.7 * 600, 4);
    for (const { train, test } of folds)
      for (const group of ['a', 'b']) {
        const times = (index: Int32Array): number[] => [...index].filter((row) => groupOf(rows.instrument[row]) === group).map((row) => rows.originUs[row]); // prettier-ignore
        expect(Math.max(...times(train))).to.be.lessThan(Math.min(...times(test)));
        expect(times(test).length).to.be.closeTo(0.14 * (group === 'a' ? 400 : 200), 3);
      }
  });
});

describe('ewmaProbabilities', () => {
  it('predicts the rows of each fold from its training rows, and no others', () => {
    const [first, second] = leaveOneGroupOutFolds(rows, groupOf);
    const both = ewmaProbabilities(rows, [first!, second!]);
    const one = ewmaProbabilities(rows, [first!]);
    const empty = ewmaProbabilities(rows, [{ train: Int32Array.of(), test: Int32Array.of(0, 1) }]);
    for (let row = 0; row < 600; row++) {
      expect(both[row]).to.be.within(0, 1);
      expect(empty[row]).to.be.NaN;
      if (rows.instrument[row] === 2) expect(one[row]).to.be.NaN;
      else expect(one[row]).to.equal(both[row]);
    }
    // A third of the rows are opportunities, whatever their volatility.
    expect(both.reduce((sum, p) => sum + p, 0) / 600).to.be.within(0.25, 0.42);
  });
});
