import { expect } from 'chai';
import { reportText } from '../../../bench/tables.ts';

describe('reportText', () => {
  it('formats the tables of a bench for a terminal and for a page', () => {
    const tables = [{ title: 'Rates', head: ['side', '1', '8'], lines: [['one process', '600', '1500']] }];
    const report = { about: ['## Sides', '', 'Today.'], tables };
    expect(reportText(report, true)).to.equal(
      '## Sides\n\nToday.\n\n### Rates\n\n| side | 1 | 8 |\n| --- | --- | --- |\n| one process | 600 | 1500 |',
    );
    expect(reportText(report, false)).to.include('side         1    8\n-----------  ---  ----\none process  600  1500');
  });
});
