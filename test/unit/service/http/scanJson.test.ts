import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_DEPTH, MAX_KEYS, parseJsonBody, scanJson } from '../../../../src/service/http/parseJsonBody.ts';

const faultOf = (text: string): string | undefined => {
  const scan = scanJson(text);
  return 'fault' in scan ? scan.fault : undefined;
};
const duplicateOf = (text: string): string | undefined => {
  const scan = scanJson(text);
  return 'fault' in scan ? undefined : scan.duplicate;
};

/** A JSON text, and whether a slow reference parser finds a key twice in one object. */
type Written = { readonly text: string; readonly duplicated: boolean };

const space = fc.constantFrom('', ' ', '\n\t', '\r ');
/** Few keys, so that duplicates are frequent; each may be written with an escape. */
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

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
const members = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}" :1`).join(',');

describe('scanJson', () => {
  it('finds equal keys of one object at every depth, with escapes and white space', () => {
    const property = fc.property(value, ({ text, duplicated }) => {
      expect(duplicateOf(text) !== undefined, text).to.equal(duplicated);
    });
    fc.assert(property, { numRuns: 1000 });
  });

  it('returns the first key that occurs twice', () => {
    expect(duplicateOf('{"a":1,"b":{"c":1,"\\u0063":2}}')).to.equal('c');
    expect(duplicateOf(`{${members(MAX_KEYS - 1)},"k0":2}`)).to.equal('k0');
  });

  it('accepts the maximum nesting and refuses one level more, of arrays, objects and both', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(faultOf(nested(MAX_DEPTH, open, close))).to.equal(undefined);
      expect(faultOf(nested(MAX_DEPTH + 1, open, close))).to.equal('too_deep');
    }
    expect(faultOf(nested(33, '[{"a":', '}]'))).to.equal('too_deep');
    expect(faultOf(nested(100_000, '{"a":', '}'))).to.equal('too_deep');
  });

  it('accepts the maximum number of keys and refuses one more, in one object and in several', () => {
    expect(faultOf(`{${members(MAX_KEYS)}}`)).to.equal(undefined);
    expect(faultOf(`{${members(MAX_KEYS + 1)}}`)).to.equal('too_many_keys');
    expect(faultOf(`[{${members(MAX_KEYS / 2)}},{${members(MAX_KEYS / 2 + 1)}}]`)).to.equal('too_many_keys');
    expect(faultOf(`{${'"":1,'.repeat(MAX_KEYS)}"":1}`)).to.equal('too_many_keys');
  });

  it('ignores the content of strings and closed brackets', () => {
    const filler = JSON.stringify('":'.repeat(2 * MAX_KEYS));
    expect(scanJson(`{"a":${filler},"b":1}`)).to.deep.equal({ duplicate: undefined });
    expect(duplicateOf(`{"a":${filler},"a":1}`)).to.equal('a');
    expect(faultOf(JSON.stringify({ a: '[{"\\'.repeat(500), b: '['.repeat(500), c: Array(MAX_KEYS).fill('09:32:00') }))).to.equal(
      undefined,
    );
    expect(faultOf(`[${'[],{},'.repeat(500)}1]`)).to.equal(undefined);
  });

  it('terminates on texts that are not JSON', () => {
    for (const text of ['"'.repeat(1001) + '['.repeat(99), '"[\\', ']'.repeat(1000) + '['.repeat(500), '', '"a', '"\\u00":1', '}"a":1'])
      expect(scanJson(text)).to.be.an('object');
  });

  it('leaves out a byte order mark before the text', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{"a":"\ufeff"}'))).to.deep.equal({ a: '\ufeff' });
  });
});
