import { expect } from 'chai';
import { readLimits } from '../../../src/console/service/clientService.ts';

const read = (limit: string, policy: string): readonly string[] =>
  readLimits(new Headers({ RateLimit: limit, 'RateLimit-Policy': policy }));

describe('readLimits', () => {
  it('says what a limit leaves, and when all of it is there again', () => {
    expect(read('"forecasts";r=6000;t=60', '"forecasts";q=6000;w=60')).to.deep.equal(['Limit: 6,000 of 6,000 forecasts in 60 s are left.']);
    const [limit, policy] = ['"forecasts";r=3;t=42, "forecasts of this account";r=0;t=7', '"forecasts";q=20;w=60, "forecasts of this account";q=24;w=60']; // prettier-ignore
    expect(read(limit!, policy!)).to.deep.equal([
      'Limit: 3 of 20 forecasts in 60 s are left; all of them again in 42 s.',
      'Limit: 0 of 24 forecasts of this account in 60 s are left; all of them again in 7 s.',
    ]);
  });

  it('says nothing where the service has no limit or writes another form', () => {
    expect(readLimits(new Headers())).to.deep.equal([]);
    expect(read('5', '10;w=60')).to.deep.equal([]);
  });
});
