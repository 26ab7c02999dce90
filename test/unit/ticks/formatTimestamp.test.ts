import { expect } from 'chai';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';

describe('formatTimestamp', () => {
  const us = Date.UTC(2024, 1, 29, 9, 5, 3, 478) * 1000 + 999;

  it('writes milliseconds, cut and not rounded', () => {
    expect(formatTimestamp(us)).to.equal('2024-02-29 09:05:03.478');
  });

  it('writes 0 to 6 digits', () => {
    expect(formatTimestamp(us, 0)).to.equal('2024-02-29 09:05:03');
    expect(formatTimestamp(us, 1)).to.equal('2024-02-29 09:05:03.4');
    expect(formatTimestamp(us, 6)).to.equal('2024-02-29 09:05:03.478999');
    expect(formatTimestamp(0, 6)).to.equal('1970-01-01 00:00:00.000000');
  });

  it('refuses an invalid time and an invalid number of digits', () => {
    for (const bad of [-1, 0.5, NaN, Infinity, Date.UTC(2200, 0, 1) * 1000]) expect(() => formatTimestamp(bad)).to.throw(RangeError);
    for (const digits of [-1, 7, 1.5]) expect(() => formatTimestamp(us, digits)).to.throw(RangeError);
  });
});
