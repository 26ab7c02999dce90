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

  it('says what to do in this case, not in any case of the code', () => {
    const remedyOf = (cause?: unknown, remedy?: string): string => {
      const error = new ServiceError('file.unwritable', 'x cannot be written.', { cause, ...(remedy === undefined ? {} : { remedy }) });
      return /What to do: (.*)/.exec(explainFailure(error, PLAIN).text)?.[1] ?? '';
    };
    expect(remedyOf(Object.assign(new Error('EEXIST'), { code: 'EEXIST' }))).to.match(/^Choose another name/);
    expect(remedyOf(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }))).to.match(/^Free space/);
    expect(remedyOf(Object.assign(new Error('EACCES'), { code: 'EACCES' }))).to.include('write access');
    expect(remedyOf()).to.equal('Check the path, the permissions and the free space.');
    expect(remedyOf(Object.assign(new Error('EEXIST'), { code: 'EEXIST' }), 'Replace it.')).to.equal('Replace it.');
  });

  it('tells wrong usage from a failure', () => {
    expect(explainFailure(new ServiceError('command.invalid', 'no'), PLAIN).isUsage).to.equal(true);
    expect(explainFailure(new ServiceError('file.unreadable', 'no'), PLAIN).isUsage).to.equal(false);
  });
});
