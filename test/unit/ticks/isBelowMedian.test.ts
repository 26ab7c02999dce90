import { expect } from 'chai';
import fc from 'fast-check';
import { isBelowMedian, medianSpreadBps } from '../../../src/ticks/tickColumns.ts';

describe('isBelowMedian', () => {
  it('compares a move with the median of the spreads that are known', () => {
    const spread = fc.oneof(fc.constant(NaN), fc.integer({ min: -2, max: 6 }));
    fc.assert(
      fc.property(fc.array(spread, { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (list, half) => {
        const spreads = Float64Array.from(list);
        const median = medianSpreadBps(spreads);
        expect(isBelowMedian(half / 2, spreads)).to.equal(median !== undefined && half / 2 < median);
      }),
    );
  });
});
