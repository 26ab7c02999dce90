import { expect } from 'chai';
import { FieldScanner } from '../../../../src/ticks/import/FieldScanner.ts';

const COMMA = 44;

/** Position of the line feed, the fields before it, and whether the line is odd. */
function scanned(text: string, separator = COMMA, from = 0): { end: number; fields: string[]; isOdd: boolean } {
  const bytes = new TextEncoder().encode(text);
  const scanner = new FieldScanner(separator);
  const end = scanner.scan(bytes, from, bytes.length);
  const fields = Array.from({ length: scanner.fields }, (_, i) =>
    new TextDecoder().decode(bytes.subarray(scanner.starts[i], scanner.ends[i])),
  );
  return { end, fields, isOdd: scanner.isOdd };
}

describe('FieldScanner', () => {
  it('finds the fields of one line, whatever ends it, and of the next from where that begins', () => {
    expect(scanned('a,bc,\r\nd,e\n')).to.deep.equal({ end: 6, fields: ['a', 'bc', ''], isOdd: false });
    expect(scanned('a,bc,\r\nd,é\n', COMMA, 7)).to.deep.equal({ end: 11, fields: ['d', 'é'], isOdd: false });
    expect(scanned('\n')).to.deep.equal({ end: 0, fields: [''], isOdd: false });
  });

  it('takes blanks that stand in a row as one separator', () => {
    expect(scanned(' a  b   c\n', 32).fields).to.deep.equal(['a', 'b', 'c']);
    expect(scanned('a b,c\n').fields).to.deep.equal(['a b', 'c']);
  });

  it('says that a line is not there in full', () => {
    expect(scanned('a,b').end).to.equal(-1);
  });

  it('marks lines with a quote or a NUL byte, and no line after them', () => {
    expect(scanned('"a",b\n').isOdd).to.equal(true);
    expect(scanned('a,\0\n').isOdd).to.equal(true);
    const scanner = new FieldScanner(COMMA);
    const bytes = new TextEncoder().encode('"a"\nb,c\n');
    const after = scanner.scan(bytes, 0, bytes.length) + 1;
    scanner.scan(bytes, after, bytes.length);
    expect(scanner.isOdd).to.equal(false);
  });

  it('looks at no more fields than it has room for', () => {
    const { end, fields } = scanned(`${'1,'.repeat(600)}2\n`);
    expect([end, fields.length]).to.deep.equal([1201, 512]);
  });
});
