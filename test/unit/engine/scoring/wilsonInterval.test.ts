import { expect } from 'chai';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';

describe('wilsonInterval', () => {
  it('ends at the fractions from which successes/trials is z of their standard errors away', () => {
    for (const [hits, trials, z] of [
      [3, 10, undefined],
      [30, 100, 1.2815515655446004],
      [99, 100, 1.2815515655446004],
      [1, 20, undefined],
    ] as const) {
      for (const q of wilsonInterval(hits, trials, z))
        expect(Math.abs(hits / trials - q) / Math.sqrt((q * (1 - q)) / trials)).to.be.closeTo(z ?? 1.6448536269514722, 1e-8);
    }
    expect(wilsonInterval(0, 10)[0]).to.be.closeTo(0, 1e-15);
    expect(wilsonInterval(0, 0)).to.deep.equal([0, 1]);
  });
});
