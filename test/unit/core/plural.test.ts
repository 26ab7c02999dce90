import { expect } from 'chai';
import { plural } from '../../../src/core/plural.ts';

describe('plural', () => {
  it('counts one, none and many, with commas between thousands', () => {
    expect([0, 1, 2, 12_345].map((count) => plural(count, 'tick'))).to.deep.equal(['0 ticks', '1 tick', '2 ticks', '12,345 ticks']);
    expect(plural(2, 'row is', 'rows are')).to.equal('2 rows are');
  });
});
