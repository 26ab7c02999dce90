import { expect } from 'chai';
import fc from 'fast-check';
import { roundTo } from '../../../src/core/roundTo.ts';

describe('roundTo', () => {
  const digits = fc.integer({ min: 1, max: 12 });
  const expectSame = (value: number, count: number): void => {
    expect(Object.is(roundTo(value, count), Number(value.toPrecision(count))), `${value} to ${count}`).to.equal(true);
  };

  it('gives what toPrecision gives, for any number', () => {
    fc.assert(fc.property(fc.double(), digits, expectSame), { numRuns: 5000 });
    fc.assert(fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), digits, expectSame), { numRuns: 5000 });
  });

  it('gives it for decimals, for halves of the last digit, and around powers of ten', () => {
    const decimal = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: -12, max: 12 }));
    fc.assert(
      fc.property(decimal, digits, ([whole, power], count) => {
        const value = Number(`${whole}e${power}`);
        const half = Number(`${whole}5e${power - 1}`);
        for (const each of [value, half, value + Number.EPSILON * value, 10 ** power, 10 ** power - 10 ** (power - 8)])
          expectSame(each, count);
      }),
      { numRuns: 5000 },
    );
  });
});
