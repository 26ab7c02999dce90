import { expect } from 'chai';
import * as fc from 'fast-check';
import { parsePriceBytes } from '../../src/ticks/parsePriceBytes.ts';

function parsed(text: string): number {
  const bytes = Buffer.from(`,${text},`, 'utf8');
  return parsePriceBytes(bytes, 1, bytes.length - 1);
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$/;

describe('parsePriceBytes, compared with Number', () => {
  it('returns the nearest double of every number in fixed notation', () => {
    const fixed = fc.tuple(fc.stringMatching(/^\d{1,20}$/), fc.stringMatching(/^(\.\d{0,30})?$/)).map(([whole, rest]) => whole + rest);
    fc.assert(
      fc.property(fixed, (text) => {
        expect(parsed(text), text).to.equal(Number(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('reads back every double as JavaScript prints it', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parsed(String(value))).to.equal(value);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts a text only if it is a decimal number', () => {
    const near = fc.oneof(
      fc.stringMatching(/^[0-9.eE+-]{0,8}$/),
      fc.string({ maxLength: 6 }),
      fc.constantFrom('Infinity', '0x1', '1_0', ' 1', '.', '-', 'e5', ''),
    );
    fc.assert(
      fc.property(near, (text) => {
        expect(parsed(text), JSON.stringify(text)).to.deep.equal(DECIMAL.test(text) ? Number(text) : NaN);
      }),
      { numRuns: 1000 },
    );
  });
});
