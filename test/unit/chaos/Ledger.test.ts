import { expect } from 'chai';
import { Ledger } from '../../chaos/Ledger.ts';

describe('the ledger of the chaos run', () => {
  it('counts answers, checks and what broke a promise', () => {
    const said: string[] = [];
    const ledger = new Ledger(({ promise, fault }, count) => said.push(`${promise} ${count}: ${fault}`));
    for (const outcome of ['200', '200', '503', 'closed', 'left']) ledger.count('forecast', outcome);
    ledger.check('right');
    ledger.check('live', 'late');
    ledger.check('live', 'later');
    expect(ledger.answers).to.equal(3);
    expect(ledger.brokenPromises).to.deep.equal(['live']);
    expect(said).to.deep.equal(['live 1: late', 'live 2: later']);
    const text = ledger.lines().join('\n');
    expect(text).to.match(/forecast +200: 2, 503: 1, closed: 1, left: 1/);
    expect(text).to.match(/held +right +1 checks, 0 broken/);
    expect(text).to.match(/BROKEN +live +2 checks, 2 broken/);
    expect(text).to.match(/untested +memory/);
  });
});
