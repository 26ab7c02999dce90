import { expect } from 'chai';
import fc from 'fast-check';
import { findDuplicateKey } from '../../../src/http/findDuplicateKey.ts';
import { countKeyEnds, MAX_KEYS } from '../../../src/http/hasTooManyKeys.ts';

const isDuplicated = (text: string): boolean => findDuplicateKey(text, JSON.parse(text), countKeyEnds(text)) !== undefined;

/** A JSON text with what a slow reader knows of it: whether an object names one key twice. */
type Written = { readonly text: string; readonly duplicated: boolean };

const space = fc.constantFrom('', ' ', '\n\t', '\r ');
/** Few keys, so that they meet often; each may be written with an escape. */
const key = fc.constantFrom('a', 'b', '__proto__', ':', '":', 'x\\', '}', '');
const written = fc.tuple(key, fc.boolean()).map(([name, escaped]) => ({
  name,
  text: escaped ? `"${[...name].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"` : JSON.stringify(name),
}));

const { value } = fc.letrec<{ value: Written; leaf: Written; array: Written; object: Written }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('array'), tie('object')),
  leaf: fc.oneof(
    fc.constantFrom('1', 'null', '"a"', '":"', '"\\":"', '"\\\\"', '"{\\"a\\":1,\\"a\\":1}"').map((text) => ({ text, duplicated: false })),
    fc.string().map((text) => ({ text: JSON.stringify(text), duplicated: false })),
  ),
  array: fc.array(tie('value'), { maxLength: 4 }).map((items) => ({
    text: `[${items.map(({ text }) => text).join(',')}]`,
    duplicated: items.some(({ duplicated }) => duplicated),
  })),
  object: fc.array(fc.tuple(written, space, space, tie('value')), { maxLength: 4 }).map((members) => ({
    text: `{${members.map(([{ text }, before, after, child]) => `${after}${text}${before}:${after}${child.text}`).join(',')}}`,
    duplicated: new Set(members.map(([{ name }]) => name)).size < members.length || members.some(([, , , child]) => child.duplicated),
  })),
}));

describe('findDuplicateKey', () => {
  it('is exact at every depth, with escapes and white space', () => {
    const property = fc.property(value, ({ text, duplicated }) => {
      expect(isDuplicated(text), text).to.equal(duplicated);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('names the key', () => {
    const text = '{"a":1,"b":{"c":1,"\\u0063":2}}';
    expect(findDuplicateKey(text, JSON.parse(text), countKeyEnds(text))).to.equal('c');
  });

  it('scans where more key ends stand in strings than are counted', () => {
    const filler = JSON.stringify('":'.repeat(2 * MAX_KEYS));
    expect(isDuplicated(`{"a":${filler},"b":1}`)).to.equal(false);
    expect(isDuplicated(`{"a":${filler},"a":1}`)).to.equal(true);
    const single = Array.from({ length: MAX_KEYS }, (_, i) => `"k${i}":1`).join(',');
    expect(isDuplicated(`{${single},"k0":2}`)).to.equal(true);
    expect(isDuplicated(`{${single},"k":2}`)).to.equal(false);
    // One key twice and one more than are counted: both counts would be the same.
    expect(isDuplicated(`{${single},"k":2,"k0":2}`)).to.equal(true);
  });

  it('reads deep bodies without recursion', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    expect(isDuplicated(deep)).to.equal(false);
    expect(isDuplicated(`{"x":"\\":",${deep.slice(1)}`)).to.equal(false);
    expect(isDuplicated(`{"x":1,"x":1,${deep.slice(1)}`)).to.equal(true);
  });
});
