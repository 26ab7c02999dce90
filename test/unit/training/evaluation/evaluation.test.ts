import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { isOpportunity, type RowSet } from '../../../../training/data/RowSet.ts';
import { fitHeads } from '../../../../training/evaluation/fitHeads.ts';
import { crossCalibrated, gatherOutOfFold, type OutOfFold } from '../../../../training/evaluation/outOfFold.ts';
import type { PredictedRows } from '../../../../training/loop/predictRows.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';
import { randomRows } from '../../../support/randomRows.ts';

/** Predictions whose residual knows the label to the degree `insight`; the baseline knows nothing. */
function predict(rows: RowSet, members: readonly number[], insight: number, seed = 1): PredictedRows {
  const random = seededRandom(seed);
  const { draws } = rows;
  const flat = members.flatMap((row) => Array.from({ length: draws }, (_, draw) => isOpportunity(rows, row, draw)));
  return {
    index: Int32Array.from(members),
    draws,
    baseline: new Float32Array(flat.length).fill(-0.7),
    residual: Float32Array.from(flat, (label) => insight * (label - 1 / 3) + 0.3 * random.normal()),
    direction: Float32Array.from(flat, () => random.normal()),
  };
}
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
/** Each half has rows of all four buckets. */
const half = (rows: RowSet, part: 0 | 1): number[] => numbers(rows.count).filter((row) => Math.floor(row / 4) % 2 === part);
const gather = (rows: RowSet, insight: number): OutOfFold =>
  gatherOutOfFold(rows, [predict(rows, half(rows, 0), insight), predict(rows, half(rows, 1), insight, 2)]);

describe('gatherOutOfFold', () => {
  it('joins the folds entry by entry', () => {
    const rows = randomRows({ count: 8, draws: 2 });
    const out = gather(rows, 1);
    expect(out.count).to.equal(16);
    expect([...out.row.subarray(0, 4), ...out.row.subarray(8, 10)]).to.deep.equal([0, 0, 1, 1, 4, 4]);
    expect([...out.fold]).to.deep.equal([...new Array<number>(8).fill(0), ...new Array<number>(8).fill(1)]);
    expect([...out.label]).to.deep.equal([...out.row].map((row, at) => isOpportunity(rows, row, out.draw[at])));
  });
});

describe('crossCalibrated', () => {
  it('never calibrates a row by itself: a change in one fold moves the other only', () => {
    const rows = randomRows({ count: 1200 });
    const out = gather(rows, 1);
    const turned = { ...out, label: out.label.map((label, at) => (out.fold[at] === 0 ? 1 - label : label)) };
    const [before, after] = [crossCalibrated(out, 4), crossCalibrated(turned, 4)];
    out.fold.forEach((fold, at) => {
      if (fold === 0) expect(after[at]).to.equal(before[at]);
      else expect(after[at]).to.not.equal(before[at]);
    });
  });

  it('leaves logits as they are where nothing is left out', () => {
    const rows = randomRows({ count: 300 });
    const out = gatherOutOfFold(rows, [predict(rows, numbers(300), 1)]);
    expect([...crossCalibrated(out, 4)]).to.deep.equal([...out.logit].map(sigmoid));
  });
});

describe('fitHeads', () => {
  it('sets a threshold where the predictions reach the precision, and abstains where they do not', () => {
    const rows = randomRows({ count: 2400 });
    const sure = fitHeads(gather(rows, 3));
    const blind = fitHeads(gather(rows, 0));
    for (const head of [0, 1, 2, 3]) {
      // All rows stand at theta*, so the outer bands hold none.
      expect(sure[head]!.bands.decision.map((p) => p === null)).to.deep.equal([true, false, true]);
      expect(blind[head]!.bands.decision).to.deep.equal([null, null, null]);
      expect(sure[head]!.directionPassed).to.equal(false);
    }
  });
});
