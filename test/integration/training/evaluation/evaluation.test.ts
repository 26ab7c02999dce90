import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { isOpportunity, type RowSet } from '../../../../training/data/RowSet.ts';
import { fitHeads } from '../../../../training/evaluation/fitHeads.ts';
import { gatherOutOfFold, selectOutOfFold, type OutOfFold } from '../../../../training/evaluation/outOfFold.ts';
import { scaleResiduals } from '../../../../training/evaluation/residuals.ts';
import { labelsOf } from '../../../../training/evaluation/Scores.ts';
import { scoresOutOfFold } from '../../../../training/evaluation/scoresOutOfFold.ts';
import { predictRows, type PredictedRows } from '../../../../training/loop/predictRows.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';

/** Predictions whose residual depends on the label by the factor `insight`; the baseline is uninformative. */
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

describe('scaleResiduals', () => {
  it('multiplies the residual of each head by its factor', async () => {
    await openRuntime('cpu');
    const rows = randomRows({ count: 40 });
    const [spec, weights] = [SMALL_SPEC, randomWeights(SMALL_SPEC, 1)];
    const factors = [0, 0.5, 1, 1.2];
    const index = Int32Array.from(numbers(40));
    const [before, after] = [weights, scaleResiduals(weights, factors)].map((of) => predictRows(spec, of, rows, index, 1).residual);
    before!.forEach((residual, row) => expect(after![row]).to.be.closeTo(factors[rows.head[row]] * residual, 1e-6));
    expect(Math.abs(before![1])).to.be.above(1e-4);
  });
});

describe('fitHeads', () => {
  it('sets a threshold if the predictions reach the precision, and abstains if they do not', () => {
    const rows = randomRows({ count: 2400 });
    const sure = fitHeads(rows, gather(rows, 3));
    const blind = fitHeads(rows, gather(rows, 0));
    for (const head of [0, 1, 2, 3]) {
      expect(sure[head].cut).to.be.within(0.1, 1);
      expect(blind[head].cut).to.equal(null);
      expect(sure[head].directionPassed).to.equal(false);
    }
  });

  it('requires the precision in each left-out group, not only in all of them together', () => {
    const rows = randomRows({ count: 4800 });
    const out = gather(rows, 6);
    // In the second fold the predictions are uninformative, and as many rows are marked.
    const logit = out.logit.map((of, at) => (out.fold[at] === 0 ? of : out.logit[out.count - 1 - at]));
    const blindFold = { ...out, logit, label: out.label.map((label, at) => (out.fold[at] === 0 ? label : Number(at % 3 === 0))) };
    const together = { ...blindFold, fold: new Uint8Array(out.count) };
    for (const head of [0, 1, 2, 3]) {
      expect(fitHeads(rows, together)[head].cut).to.be.a('number');
      const apart = fitHeads(rows, blindFold)[head].cut;
      expect(apart === null || apart! > fitHeads(rows, together)[head].cut!).to.equal(true);
    }
  });

  it('requires more than the distinction between an active and a calm market', () => {
    const rows = randomRows({ count: 2400 });
    const out = gather(rows, 0);
    const random = seededRandom(9);
    const isLively = (at: number): boolean => rows.instrument[out.row[at]] === 0;
    // The predictions only depend on the market.
    const label = Uint8Array.from(numbers(out.count), (at) => (random.uniform() < (isLively(at) ? 0.6 : 0.1) ? 1 : 0));
    const logit = Float64Array.from(numbers(out.count), (at) => (isLively(at) ? 0.4 : -2) + 0.01 * random.normal());
    const heads = fitHeads(rows, { ...out, label, logit });
    const pooled = numbers(out.count).filter(isLively);
    expect(pooled.reduce((sum, at) => sum + label[at], 0) / pooled.length).to.be.above(0.55);
    for (const { cut } of heads) expect(cut).to.equal(null);
  });
});

describe('scoresOutOfFold', () => {
  it('marks by thresholds of the other folds, and never if there are none', () => {
    const rows = randomRows({ count: 2400 });
    const { marked, row } = scoresOutOfFold(rows, gather(rows, 3));
    const labels = labelsOf(rows, row);
    const marks = numbers(row.length).filter((at) => marked![at] === 1);
    expect(marks.length).to.be.above(300);
    expect(marks.filter((at) => labels[at] === 1).length / marks.length).to.be.above(1.4 / 3);
    expect(scoresOutOfFold(rows, gatherOutOfFold(rows, [predict(rows, numbers(2400), 3)])).marked).to.equal(null);
  });

  it('never marks a fold by thresholds that were chosen on it', () => {
    const rows = randomRows({ count: 2400 });
    const out = gather(rows, 3);
    const turned = { ...out, label: out.label.map((label, at) => (out.fold[at] === 0 ? 1 - label : label)) };
    const [before, after] = [out, turned].map((of) => scoresOutOfFold(rows, of));
    const ofFirst = numbers(before!.row.length).filter((at) => out.fold[out.row.indexOf(before!.row[at])] === 0);
    expect(ofFirst.length).to.equal(1200);
    for (const at of ofFirst) expect(after!.marked![at]).to.equal(before!.marked![at]);
    expect(after!.marked).not.to.deep.equal(before!.marked);
  });

  it('scores further rows with parameters that were fitted on other rows', () => {
    const rows = randomRows({ count: 2400 });
    const all = gather(rows, 3);
    const isEven = (at: number): boolean => Math.floor(all.row[at] / 8) % 2 === 0;
    const [fitted, further] = [selectOutOfFold(all, isEven), selectOutOfFold(all, (at) => !isEven(at))];
    expect([fitted.count, further.count]).to.deep.equal([1200, 1200]);
    const scores = scoresOutOfFold(rows, further, { fitted });
    const turned = { ...further, label: further.label.map((label) => 1 - label) };
    expect(scoresOutOfFold(rows, turned, { fitted })).to.deep.equal(scores);
    expect(scores.marked!.some((mark) => mark === 1)).to.equal(true);
    expect([...scores.row].every((row) => Math.floor(row / 8) % 2 === 1)).to.equal(true);
  });

  it('equals the baseline bit for bit if a head is zeroed', () => {
    const rows = randomRows({ count: 1200 });
    const { candidate, ewma, row } = scoresOutOfFold(rows, gather(rows, 1), { zeroed: new Set([2]) });
    row.forEach((of, at) => expect(candidate[at] === ewma[at]).to.equal(rows.head[of] === 2));
  });
});
