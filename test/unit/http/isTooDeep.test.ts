import { expect } from 'chai';
import { isTooDeep, MAX_DEPTH } from '../../../src/http/isTooDeep.ts';

describe('isTooDeep', () => {
  const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

  it('takes the limit and refuses one level more, of arrays, objects and both', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(isTooDeep(nested(MAX_DEPTH, open, close))).to.equal(false);
      expect(isTooDeep(nested(MAX_DEPTH + 1, open, close))).to.equal(true);
    }
    expect(isTooDeep(nested(33, '[{"a":', '}]'))).to.equal(true);
  });

  it('counts neither brackets in strings nor closed ones', () => {
    expect(isTooDeep(JSON.stringify({ a: '[{"\\'.repeat(500), b: '['.repeat(500) }))).to.equal(false);
    expect(isTooDeep(`[${'[],{},'.repeat(500)}1]`)).to.equal(false);
  });

  it('ends on texts that are not JSON', () => {
    for (const text of ['"'.repeat(1001) + '['.repeat(99), '"[\\', ']'.repeat(1000) + '['.repeat(500), ''])
      expect(isTooDeep(text)).to.be.a('boolean');
  });
});
