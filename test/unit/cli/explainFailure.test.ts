import { expect } from 'chai';
import { explainFailure } from '../../../src/cli/explainFailure.ts';
import { fieldProblem, invalidRequest, ServiceError } from '../../../src/core/ServiceError.ts';

const PLAIN = { json: false, debug: false };

describe('explainFailure', () => {
  it('lists broken rules with their hints, the first five of many', () => {
    const problems = Array.from({ length: 7 }, (_, i) => fieldProblem(`/Price/${i}`, 'price.not_positive', `Price ${i} is -1.`));
    const { text } = explainFailure(invalidRequest(problems), PLAIN);
    expect(text).to.include('/Price/0: Price 0 is -1. Send a price above 0');
    expect(text).to.include('/Price/4').and.not.include('/Price/5');
    expect(text).to.include('2 more');
  });

  it('asks for --debug where the fault is the program, and shows causes then', () => {
    const fault = new Error('broken', { cause: new Error('the root of it') });
    expect(explainFailure(fault, PLAIN).text).to.include('broken').and.include('--debug').and.not.include('the root of it');
    expect(explainFailure(fault, { json: false, debug: true }).text).to.include('because of Error: the root of it');
    expect(explainFailure('not even an Error', PLAIN).text).to.include('not even an Error');
  });

  it('tells wrong usage from a failure', () => {
    expect(explainFailure(new ServiceError('command.invalid', 'no'), PLAIN).isUsage).to.equal(true);
    expect(explainFailure(new ServiceError('file.unreadable', 'no'), PLAIN).isUsage).to.equal(false);
  });
});
