import { expect } from 'chai';
import { scoreOf, type Scored, WindowLog } from '../../../src/console/score/Score.ts';

const window = (
  marked: boolean,
  happened: boolean,
  probability: number | null = 0.5,
  baselineProbability: number | null = 0.25,
): Scored => ({
  marked,
  happened,
  probability,
  baselineProbability,
});

describe('the running score', () => {
  it('counts hits among the marks and the fraction of all windows that moved', () => {
    const score = scoreOf([window(true, true), window(true, false), window(false, true), window(false, false), window(true, true)]);
    expect(score).to.deep.include({ windows: 5, marks: 3, hits: 2, moves: 3, precision: 2 / 3, baseRate: 0.6 });
  });

  it('takes the Brier score and that of the baseline over the same windows', () => {
    const { brier, baselineBrier } = scoreOf([
      window(true, true, 0.9, 0.6),
      window(false, false, 0.2, 0.4),
      window(false, true, null, 0.5),
    ]);
    expect(brier).to.be.closeTo((0.01 + 0.04) / 2, 1e-12);
    expect(baselineBrier).to.be.closeTo((0.16 + 0.16) / 2, 1e-12);
  });

  it('has no share of nothing', () => {
    expect(scoreOf([])).to.deep.include({ precision: null, baseRate: null, brier: null });
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
