import { expect } from 'chai';
import fc from 'fast-check';
import { thinTicks } from '../../../src/console/ticks/stepWindow.ts';

describe('thinned ticks', () => {
  it('keep both ends, the lowest and the highest, in order, and are no more than asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 2, noNaN: true }), { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 4, max: 500 }),
        (prices, most) => {
          const all = Float64Array.from(prices);
          const kept = [...thinTicks(all, 0, all.length - 1, most)];
          expect(kept.length).to.be.at.most(most);
          expect([kept[0], kept.at(-1)]).to.deep.equal([0, all.length - 1]);
          expect(kept.every((at, i) => i === 0 || at > kept[i - 1])).to.equal(true);
          const ends = (values: readonly number[]): number[] => [Math.min(...values), Math.max(...values)];
          expect(ends(kept.map((at) => all[at]))).to.deep.equal(ends(prices));
        },
      ),
    );
  });

  it('are all where there is room, and none of nothing', () => {
    expect([...thinTicks(Float64Array.of(1, 2, 3, 4), 1, 3, 10)]).to.deep.equal([1, 2, 3]);
    expect([...thinTicks(Float64Array.of(1, 2), 1, 0, 10)]).to.deep.equal([]);
  });
});
