import { expect } from 'chai';
import { addBins, binOf } from '../../../../src/engine/live/bins.ts';
import { conclude, EMPTY_TALLY, mergeTallies, type Tally } from '../../../../src/engine/live/score.ts';
import { overlapInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';
import { summarizeRecord, unscoredOf } from '../../../../src/service/live/summarizeRecord.ts';

const ONE: Tally = {
  ...{ forecasts: 11, outcomes: 8, unscored: 1, marks: 5, hits: 4, moved: 6 },
  ...{ brierSum: 1.5, baselineBrierSum: 2.25, squaredDifferenceSum: 0.5, markOverlapSum: 6 },
  bins: [{ tenth: 3, outcomes: 8, moved: 6, probabilitySum: 2.5 }],
  coverage: [{ level: 0.9, outcomes: 8, covered: 7, overlapSum: 10 }],
  baseRateSums: { outcomes: 8, brierSum: 2.5, forecastBrierSum: 1.5, squaredDifferenceSum: 0.5 },
};
const OTHER: Tally = {
  ...{ forecasts: 100, outcomes: 80, unscored: 7, marks: 3, hits: 2, moved: 34 },
  ...{ brierSum: 10, baselineBrierSum: 12, squaredDifferenceSum: 4, markOverlapSum: 3 },
};
/** Its forecast is counted elsewhere. */
const TOUCHED: Tally = {
  ...EMPTY_TALLY,
  touchSums: { outcomes: 2, levels: 3, reached: 1, brierSum: 0.5, forecastBrierSum: 0.25, squaredDifferenceSum: 0.125 },
};

describe('summarizeRecord', () => {
  it('adds tallies up as mergeTallies does, and concludes from the sum', () => {
    const sum = mergeTallies(ONE, OTHER);
    const { touches, ...summary } = summarizeRecord([ONE, OTHER, TOUCHED, TOUCHED]);
    expect(touches).to.deep.include({ outcomes: 4, levels: 6, reached: 2, forecastBrier: 0.125, brier: 0.25, difference: 0.125 });
    expect(touches!.interval[0]).to.be.closeTo(0.125 - (2.5758 * 0.5) / 4, 1e-9);
    expect(summary).to.deep.equal({
      ...{ forecasts: 111, outcomes: 88, unscored: 23, marks: 8, hits: 6, moved: 40 },
      ...{ precision: 6 / 8, precisionInterval: overlapInterval(6, 8, 9), baseRate: 40 / 88, bins: sum.bins, coverage: sum.coverage },
      ...conclude(sum),
    });
    const { brier, against } = conclude(sum);
    expect([brier, against.baseline?.difference, against.base_rate?.difference]).to.deep.equal([11.5 / 88, 2.75 / 88, 1 / 8]);
  });

  it('has no precision without a mark and no base rate without an outcome', () => {
    expect(summarizeRecord([])).to.deep.equal({
      ...{ forecasts: 0, outcomes: 0, unscored: 0, marks: 0, hits: 0, moved: 0 },
      ...{ precision: null, precisionInterval: null, baseRate: null, bins: [], coverage: [], touches: null, conclusion: 'too_few' },
      ...{ brier: null, rival: null, against: { baseline: null, base_rate: null } },
    });
    expect(summarizeRecord([{ ...EMPTY_TALLY, forecasts: 2, outcomes: 1 }])).to.include({ precision: null, baseRate: 0 });
  });

  it('counts no outcome twice whose forecast is in a deleted row', () => {
    for (const [forecasts, outcomes, unscored] of [
      [5, 3, 2],
      [3, 3, 0],
      [2, 3, 0],
    ] as const)
      // prettier-ignore
      expect(unscoredOf({ ...EMPTY_TALLY, forecasts, outcomes })).to.equal(unscored);
  });
});

describe('bins of the probability', () => {
  it('are tenths, and 1 is in the last', () => {
    for (const [probability, tenth] of [
      [0, 0],
      [0.0999, 0],
      [0.1, 1],
      [0.55, 5],
      [0.9, 9],
      [0.9999, 9],
      [1, 9],
    ] as const)
      // prettier-ignore
      for (const moved of [false, true])
        expect(binOf(probability, moved)).to.deep.equal({ tenth, outcomes: 1, moved: moved ? 1 : 0, probabilitySum: probability });
  });

  it('add up in order, without those that have no outcome', () => {
    const [low, high] = [binOf(0.15, true), binOf(0.95, false)];
    expect(addBins([high], [low], [{ ...low, moved: 0, probabilitySum: 0.11 }])).to.deep.equal([
      { tenth: 1, outcomes: 2, moved: 1, probabilitySum: 0.15 + 0.11 },
      high,
    ]);
    expect(addBins()).to.deep.equal([]);
  });
});
