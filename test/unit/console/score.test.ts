import { expect } from 'chai';
import { scoreOf, type Scored, WindowLog } from '../../../src/console/score/Score.ts';

const window = (
  marked: boolean,
  happened: boolean,
  probability: number | null = 0.5,
  baselineProbability: number | null = 0.25,
): Scored & { originUs: number } => ({
  originUs: 0,
  marked,
  happened,
  probability,
  baselineProbability,
});

describe('the running score', () => {
  it('counts hits among the marks and the fraction of all windows that moved', () => {
    const score = scoreOf([window(true, true), window(true, false), window(false, true), window(false, false), window(true, true)], 1);
    expect(score).to.deep.include({ windows: 5, marks: 3, hits: 2, moves: 3, precision: 2 / 3, baseRate: 0.6 });
  });

  it('compares the probabilities with what the windows before each one have taught the baselines, in order of time', () => {
    const { skill } = scoreOf(
      [
        { ...window(false, false, 0.2, 0.4), originUs: 10e6 },
        { ...window(true, true, 0.9, 0.6), originUs: 0 },
        { ...window(false, true, null, 0.5), originUs: 20e6 },
      ],
      1000,
    );
    expect(skill?.baseline.windows).to.equal(2);
    expect(skill?.baseline.model).to.be.closeTo((0.01 + 0.04) / 2, 1e-12);
    const rate = 1 / (1 + Math.exp(1.5));
    expect(skill?.base_rate.rival).to.be.closeTo(((1 - rate) ** 2 + ((1 + 2 * rate) / 3) ** 2) / 2, 1e-12);
  });

  it('has no share of nothing', () => {
    expect(scoreOf([], 1)).to.deep.include({ precision: null, baseRate: null, skill: null });
  });
});

describe('WindowLog', () => {
  const S = 1_000_000;

  it('counts no stretch of time twice, and the same window once', () => {
    const log = new WindowLog();
    expect(log.add('q', 0, 10_000, window(true, true))).to.equal(true);
    expect(log.add('q', 10.9 * S, 10_000, window(true, true))).to.equal(false);
    expect(log.add('q', 11 * S, 10_000, window(true, false))).to.equal(true);
    expect(log.add('q', 11 * S, 10_000, window(true, false))).to.equal(true);
    expect(log.windows).to.have.length(2);
  });

  it('starts again with another question', () => {
    const log = new WindowLog();
    log.add('q', 0, 10_000, window(true, true));
    log.turnTo('other');
    expect(log.windows).to.have.length(0);
  });
});
