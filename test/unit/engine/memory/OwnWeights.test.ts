import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { afterOutcome, learnedPart } from '../../../../src/engine/scoring/LearnedWeights.ts';
import {
  loadWeights,
  OWN_NAMES,
  ownInputs,
  type OwnWeights,
  saveWeights,
  startingWeights,
} from '../../../../src/engine/memory/OwnWeights.ts';
import { ByteReader, ByteWriter } from '../../../../src/engine/memory/bytes.ts';

const COUNT = OWN_NAMES.length;
const HORIZON_MS = 300_000;
const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
const square = ({ covariance }: OwnWeights): number[][] =>
  OWN_NAMES.map((_, row) =>
    OWN_NAMES.map((__, column) => {
      const [high, low] = [Math.max(row, column), Math.min(row, column)];
      return covariance[(high * (high + 1)) / 2 + low];
    }),
  );

/** By Gauss and Jordan. */
function inverse(matrix: readonly (readonly number[])[]): number[][] {
  const rows = matrix.map((row, at) => [...row, ...row.map((_, column) => (column === at ? 1 : 0))]);
  for (let at = 0; at < rows.length; at++) {
    const pivot = rows[at].map((value) => value / rows[at][at]);
    rows.forEach((row, other) => (rows[other] = other === at ? pivot : row.map((value, column) => value - row[at] * pivot[column])));
  }
  return rows.map((row) => row.slice(matrix.length));
}

/** Past of a market whose true weights are `truth`. */
function past(seed: number, count: number, truth: readonly number[]) {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const logOdds = -1.5 + (random.uniform() - 0.5) * 2;
    const clock = Array.from({ length: COUNT - 4 }, () => (random.uniform() - 0.5) * 2);
    const inputs = ownInputs(logOdds, 20, clock, i * HORIZON_MS);
    const logit = logOdds + inputs.reduce((sum, input, at) => sum + input * truth[at], 0);
    return { question: { logOdds, inputs }, outcome: random.uniform() < sigmoid(logit) ? (1 as const) : (0 as const) };
  });
}

describe('the weights of a series', () => {
  it('are the posterior of a Bayesian logistic regression: the inverse covariance grows by p (1 - p) z z', () => {
    let weights = startingWeights(HORIZON_MS, false);
    let [covariance, means] = [square(weights), [...weights.means]];
    for (const { question, outcome } of past(1, 200, [1, 0.5, 1, 0, -1, 0.5, 0.5, 0])) {
      const { logOdds, inputs } = question;
      const p = sigmoid(logOdds + inputs.reduce((sum, input, at) => sum + input * means[at], 0));
      const information = inverse(covariance).map((row, at) => row.map((value, of) => value + p * (1 - p) * inputs[at] * inputs[of]));
      covariance = inverse(information);
      means = means.map((mean, at) => mean + inputs.reduce((sum, input, of) => sum + covariance[at][of] * input * (outcome - p), 0));
      weights = afterOutcome(weights, question, outcome);
      weights.means.forEach((mean, at) => expect(mean).to.be.closeTo(means[at], 1e-9));
    }
    square(weights).forEach((row, at) => row.forEach((value, of) => expect(value).to.be.closeTo(covariance[at][of], 1e-9)));
    expect(weights.outcomes).to.equal(200);
  });

  it('come near to those of the market, in steps that shrink', () => {
    const truth = [0.5, 0.2, 0.8, -0.3, 0.4, 0.2, 0.3, -0.3];
    let weights = startingWeights(HORIZON_MS, false);
    const startVariance = square(weights).map((row, at) => row[at]);
    const first = afterOutcome(weights, past(2, 1, truth)[0].question, 1);
    for (const { question, outcome } of past(2, 20_000, truth)) weights = afterOutcome(weights, question, outcome);
    const next = afterOutcome(weights, past(2, 1, truth)[0].question, 1);
    weights.means.slice(1).forEach((mean, at) => expect(mean).to.be.closeTo(truth[at + 1], 0.12));
    square(weights).forEach((row, at) => expect(row[at]).to.be.below(startVariance[at]));
    const moved = (from: OwnWeights, to: OwnWeights): number => Math.hypot(...to.means.map((mean, at) => mean - from.means[at]));
    expect(moved(weights, next)).to.be.below(moved(startingWeights(HORIZON_MS, false), first) / 10);
  });

  it('never let the probability fall with the log-odds of the version, whatever was learned', () => {
    const number = fc.double({ min: -1e3, max: 1e3, noNaN: true });
    const logOdds = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(number, { minLength: COUNT, maxLength: COUNT }),
        logOdds,
        logOdds,
        fc.integer({ min: 1, max: 20 }),
        (means, a, b, days) => {
          const weights = { ...startingWeights(HORIZON_MS, false), means };
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          const total = (at: number): number => at + learnedPart(weights, ownInputs(at, days, [0.5, -0.5, 1, -1], HORIZON_MS));
          expect(total(high)).to.be.at.least(total(low) - 1e-9);
        },
      ),
    );
  });

  it('begin between those of 60 s and 30 min, with a small effect after one day', () => {
    const at = (horizonMs: number): readonly number[] => startingWeights(horizonMs, false).means;
    expect(at(5000)).to.deep.equal(at(60_000));
    expect(at(7_200_000)).to.deep.equal(at(1_800_000));
    at(60_000).forEach((short, of) =>
      expect(at(329_000)[of]).to.be.within(Math.min(short, at(1_800_000)[of]), Math.max(short, at(1_800_000)[of])),
    );
    const [young, old] = [1, 20].map((days) => ownInputs(-1, days, [1, 1, 1, 1], HORIZON_MS)) as [number[], number[]];
    young.forEach((input, of) => expect(input / old[of]).to.be.closeTo(1 / 400, 1e-12));
  });

  it('know the time of day in the middle of the horizon by two waves, which grow with the days as the constant does', () => {
    const waves = (hour: number, days = 20): number[] => ownInputs(-1, days, [0, 0, 0, 0], (24 * 19_000 + hour) * 3_600_000).slice(6);
    for (const [hour, [six, zero]] of [
      [0, [0, 0.3]],
      [6, [0.3, 0]],
      [12, [0, -0.3]],
      [18, [-0.3, 0]],
    ] as [number, [number, number]][]) {
      expect(waves(hour)[0], `${hour} h`).to.be.closeTo(six, 1e-12);
      expect(waves(hour)[1], `${hour} h`).to.be.closeTo(zero, 1e-12);
    }
    for (let hour = 0; hour < 24; hour += 0.25) {
      const angle = (hour / 12) * Math.PI;
      expect(waves(hour)[0]).to.be.closeTo(0.3 * Math.sin(angle), 0.02);
      expect(waves(hour, 10)[1]).to.be.closeTo(0.075 * Math.cos(angle), 0.005);
    }
  });

  it('are the same after they were stored, and refused if no outcomes can have taught them', () => {
    let weights = startingWeights(HORIZON_MS, false);
    for (const { question, outcome } of past(3, 50, [0, 0, 0, 0, 0, 0, 0, 0])) weights = afterOutcome(weights, question, outcome);
    const out = new ByteWriter(1000);
    saveWeights(out, weights);
    const start = startingWeights(HORIZON_MS, false);
    expect(loadWeights(new ByteReader(out.take()), start, 50)).to.deep.equal(weights);
    const wrong = [
      { ...weights, outcomes: 51 },
      { ...weights, means: weights.means.map(() => Infinity) },
      { ...weights, covariance: weights.covariance.map(() => NaN) },
      { ...weights, covariance: weights.covariance.map((value) => -value) },
      { ...weights, covariance: start.covariance.map((value) => (value === 0 ? 0.05 : 0.01)) },
      { ...weights, covariance: start.covariance.map((value) => 1.01 * value) },
    ];
    for (const one of wrong) {
      const bytes = new ByteWriter(1000);
      saveWeights(bytes, one);
      expect(() => loadWeights(new ByteReader(bytes.take()), start, 50)).to.throw(RangeError);
    }
  });
});
