import { expect } from 'chai';
import { suitableCount } from '../../../src/console/ticks/suitableCount.ts';

describe('the number of ticks that suits a horizon, in the console', () => {
  it('is that of the first entry that reaches the horizon, and 500 where nothing is known', () => {
    const windowTicks = [
      { upToS: 30, ticks: 1000 },
      { upToS: null, ticks: 3000 },
    ];
    expect([1, 30_000, 30_001, 1e9].map((horizonMs) => suitableCount(windowTicks, horizonMs, 6000))).to.deep.equal([
      1000, 1000, 3000, 3000,
    ]);
    expect([suitableCount([], 1000, 9000), suitableCount(windowTicks, null, 9000)]).to.deep.equal([500, 500]);
    // Too few windows of 3000.
    expect(suitableCount(windowTicks, 60_000, 5999)).to.equal(500);
  });
});
