import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { explainFailure } from '../../../src/cli/explainFailure.ts';
import { findingsText } from '../../../src/cli/files/importFile.ts';
import { paintOn, unpainted } from '../../../src/cli/CliContext.ts';

const TERMINAL = { isTTY: true, hasColors: () => true };

describe('paintOn', () => {
  it('colours in a terminal that has colours, and only there', () => {
    expect(paintOn(TERMINAL)('bad', 'fails')).to.equal('\x1b[31mfails\x1b[39m');
    for (const stream of [{}, { isTTY: false, hasColors: () => true }, { isTTY: true, hasColors: () => false }])
      expect(paintOn(stream as typeof TERMINAL)('bad', 'fails')).to.equal('fails');
  });

  it('changes nothing but colours', () => {
    const notes = [
      { code: 'order.gap', severity: 'warning', count: 1, text: 'a gap', advice: [{ code: 'source', text: 'nothing' }] },
    ] as const;
    const painted = findingsText(notes, paintOn(TERMINAL));
    expect(painted).to.include('\x1b[33mwarns \x1b[39m');
    expect(stripVTControlCharacters(painted)).to.equal(findingsText(notes, unpainted)).and.to.equal(findingsText(notes));
  });

  it('puts no colour into JSON', () => {
    const options = { json: true, debug: false, paint: paintOn(TERMINAL) };
    expect(explainFailure(new Error('x'), options).text).to.not.include('\x1b');
    const told = explainFailure(new Error('x'), { ...options, json: false }).text;
    expect(stripVTControlCharacters(told))
      .to.match(/^tickmark: /)
      .and.not.equal(told);
  });
});
