import { expect } from 'chai';
import fc from 'fast-check';
import { quantile, selectKth } from '../../../../src/engine/features/selectKth.ts';

const values = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 })), {
  minLength: 1,
  maxLength: 300,
});

describe('selectKth', () => {
  it('finds the k-th smallest value, with no smaller value after it', () => {
    fc.assert(
      fc.property(values, fc.nat(), (list, at) => {
        const k = at % list.length;
        const work = Float64Array.from(list);
        expect(selectKth(work, list.length, k)).to.equal(Float64Array.from(list).sort()[k]);
        for (let i = k; i < work.length; i++) expect(work[i] >= work[k]).to.equal(true);
      }),
    );
  });

  it('reads only the first `count` values', () => {
    expect(selectKth(Float64Array.of(3, 2, 9, -1, -2), 3, 0)).to.equal(2);
  });
});

describe('quantile', () => {
  it('interpolates between the two neighbours', () => {
    expect(quantile(Float64Array.of(4, 1, 3, 2), 4, 0.5)).to.equal(2.5);
    expect(quantile(Float64Array.of(5), 1, 0.75)).to.equal(5);
    expect(quantile(Float64Array.of(0, 10, 20, 30, 40), 5, 0.75)).to.equal(30);
  });
});
