import { expect } from 'chai';
import { coveringCount, suitableCount } from '../../../src/console/ticks/suitableCount.ts';

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

  it('is higher where the last ticks are so dense that the window would be too short a time for the horizon', () => {
    /** A hundred ticks a second. */
    const dense = Float64Array.from({ length: 9000 }, (_, i) => i * 1e4);
    const of = (horizonMs: number | null): number => coveringCount(500, dense, horizonMs);
    // 500 ticks are 5 s: enough for 50 s, at a tenth of the horizon.
    expect([of(50_000), of(60_000), of(300_000), of(1_800_000), of(null)]).to.deep.equal([501, 601, 3000, 3000, 500]);
    expect(coveringCount(1000, dense, 50_000)).to.equal(1000);
  });
});
