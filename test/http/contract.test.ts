import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { playAll, withContractService, type ContractSet } from '../support/contractSet.ts';

const FILE = path.resolve(import.meta.dirname, '../golden/contract.json');

/** test/golden/makeContract.ts recorded the set before the API had any other form of ticks, key or horizon. */
describe('the recorded contract of POST /signup and POST /auth/ti-tick', () => {
  it('answers every recorded request with the recorded bytes', async function () {
    const { bases, exchanges } = JSON.parse(readFileSync(FILE, 'utf8')) as ContractSet;
    const requests = exchanges.map(({ request }) => request);
    const answers = await withContractService(this, (rig) => playAll(rig, requests, bases));
    for (const [i, { request, answer }] of exchanges.entries()) expect(answers[i], request.name).to.deep.equal(answer);
    expect(exchanges.filter(({ answer }) => answer.status < 300)).to.have.length.above(25);
    expect(exchanges.filter(({ answer }) => answer.status >= 400)).to.have.length.above(70);
  });
});
