import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { compareAsServed } from '../../../../training/evaluation/compareAsServed.ts';
import { previousProbabilities, readOutOfFold, writeOutOfFold, type OutOfFold } from '../../../../training/evaluation/outOfFold.ts';
import { headsBelowBaseline } from '../../../../training/evaluation/residuals.ts';
import { scoresOutOfFold } from '../../../../training/evaluation/scoresOutOfFold.ts';
import { entriesOf, type Scores } from '../../../../training/evaluation/Scores.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';
import { randomRows } from '../../../support/randomRows.ts';

const rows = randomRows({ count: 900 });
const sources = [0, 1, 2].map((seed) => sourceOfSeries(`s${seed}`, syntheticTicks({ seed, count: 300 }), `s${seed}`));

/** Probabilities that depend on the outcome by the factor `insight`. */
function scores(insight: number, index: number[]): Scores {
  const random = seededRandom(1);
  const p = (skill: number): Float64Array =>
    Float64Array.from(index, (row) => sigmoid(skill * (isOpportunity(rows, row) - 1 / 3) + 0.5 * random.normal() - 0.7));
  return {
    row: Int32Array.from(index),
    candidate: p(insight),
    ewma: p(0.2),
    baseRate: null,
    served: null,
    servedMarked: null,
    directionLogit: new Float64Array(index.length),
    marked: null,
  };
}
const all = Array.from({ length: 900 }, (_, row) => row);

describe('out-of-fold predictions', () => {
  it('are matched by series, horizon, origin and window', () => {
    const kept = scores(1, all.slice(0, 600));
    const text = writeOutOfFold(rows, kept, sources, ['a', 'b']);
    const found = readOutOfFold(text, rows, Int32Array.from(all), sources);
    expect(found.subarray(0, 600)).to.deep.equal(Float64Array.from(Float32Array.from(kept.candidate)));
    expect(found.subarray(600).every(Number.isNaN)).to.equal(true);
    expect(
      readOutOfFold(text, { ...rows, horizonS: rows.horizonS.map((s) => s + 5) }, Int32Array.from(all), sources).every(Number.isNaN),
    ).to.equal(true);
    // The same origin with a longer window has another threshold, so another outcome.
    const longer = { ...rows, thetaDefault: rows.thetaDefault.map((theta, row) => (row < 100 ? theta * 1.001 : theta)) };
    const windows = readOutOfFold(text, longer, Int32Array.from(all), sources);
    expect([windows.subarray(0, 100).every(Number.isNaN), windows.subarray(100)]).to.deep.equal([true, found.subarray(100)]);
    // Written before windows were told apart.
    expect(readOutOfFold(text.replaceAll('thetaDefault', 'other'), rows, Int32Array.from(all), sources).every(Number.isNaN)).to.equal(true);
  });

  it('allow the comparison of a new base with the previous one on common origins', () => {
    const outOfFold = writeOutOfFold(rows, scores(0.5, all.slice(0, 600)), sources, ['a']);
    const { served, notes } = previousProbabilities(rows, scores(2, all), sources, { id: 'base-1', outOfFold, memory: undefined });
    const known = { ...scores(2, all), baseRate: new Float64Array(900).fill(0.3), served };
    const compared = compareAsServed(rows, known, known, entriesOf(known), seededRandom(1));
    expect(compared.served!.n).to.equal(600);
    expect(compared.served!.intervals.aucDifference.estimate).to.be.above(0.1);
    expect(notes).to.deep.equal(['Compared with base-1 on 600 of 900 origins whose windows both predicted out of fold.']);
  });

  it('report that the previous base has none', () => {
    const none = { id: 'base-1', outOfFold: undefined, memory: undefined };
    const { served, notes } = previousProbabilities(rows, scores(2, all), sources, none);
    expect(served).to.equal(null);
    expect(notes[0]).to.include('base-1 has no out-of-fold predictions');
    expect(previousProbabilities(rows, scores(2, all), sources, null)).to.deep.equal({ served: null, notes: [] });
  });
});

describe('heads that do not beat the baseline', () => {
  const out: OutOfFold = {
    count: 900,
    row: Int32Array.from(all),
    draw: new Uint8Array(900),
    fold: Uint8Array.from(all, (row) => row % 2),
    head: Uint8Array.from(rows.head),
    baselineLogit: new Float64Array(900).fill(-0.7),
    // Heads 0 and 1 have skill, 2 has negative skill, 3 has no rows.
    logit: Float64Array.from(all, (row) => -0.7 + [1.5, 1, -1, 0][rows.head[row]] * (isOpportunity(rows, row) - 1 / 3)),
    directionLogit: new Float64Array(900),
    label: Uint8Array.from(all, (row) => isOpportunity(rows, row)),
    logThetaRatio: new Float64Array(900),
  };
  out.head.forEach((head, at) => (out.head[at] = head === 3 ? 0 : head));

  it('are found', () => {
    expect([...headsBelowBaseline(rows, scoresOutOfFold(rows, out))]).to.deep.equal([2, 3]);
  });
});
