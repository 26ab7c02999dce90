import { expect } from 'chai';
import { csvText } from '../../../src/console/csvText.ts';

describe('csvText', () => {
  it('quotes what would end a cell or a line, and leaves unknown values empty', () => {
    const rows = [['a,b', 'say "x"', 'two\nlines', 'r\r'], [1.5, true, null, undefined]] as const; // prettier-ignore
    expect(csvText(['one', 'two', 'three', 'four'], rows)).to.equal(
      'one,two,three,four\n"a,b","say ""x""","two\nlines","r\r"\n1.5,true,,\n',
    );
  });
});
