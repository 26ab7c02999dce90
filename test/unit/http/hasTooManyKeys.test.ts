import { expect } from 'chai';
import { countKeyEnds, hasTooManyKeys, MAX_KEYS } from '../../../src/http/hasTooManyKeys.ts';

describe('hasTooManyKeys', () => {
  const isRefused = (text: string): boolean => hasTooManyKeys(text, countKeyEnds(text));
  const members = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}" :1`).join(',');

  it('takes the limit and refuses one key more, in one object and in several', () => {
    expect(isRefused(`{${members(MAX_KEYS)}}`)).to.equal(false);
    expect(isRefused(`{${members(MAX_KEYS + 1)}}`)).to.equal(true);
    expect(isRefused(`[{${members(MAX_KEYS / 2)}},{${members(MAX_KEYS / 2 + 1)}}]`)).to.equal(true);
  });

  it('refuses the shortest members that a text can have', () => {
    expect(isRefused(`{${'"":1,'.repeat(MAX_KEYS)}"":1}`)).to.equal(true);
  });

  it('counts no colons in strings', () => {
    expect(isRefused(JSON.stringify({ a: '":"\\":'.repeat(MAX_KEYS), b: Array(MAX_KEYS).fill('09:32:00') }))).to.equal(false);
  });
});
