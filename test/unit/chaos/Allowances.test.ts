import { expect } from 'chai';
import { Allowances } from '../../chaos/Allowances.ts';

describe('what faults allow', () => {
  it('is counted for the time that a request and a fault have in common', () => {
    const allowances = new Allowances();
    allowances.begin(['delay'], 1000)(3000);
    expect(allowances.overlapMs('delay', 0, 900)).to.equal(0);
    expect(allowances.overlapMs('delay', 500, 1500)).to.equal(500);
    expect(allowances.overlapMs('delay', 0, 9000)).to.equal(2000);
    expect(allowances.overlapMs('cut', 0, 9000)).to.equal(0);
  });

  it('is counted once where two faults allow it', () => {
    const allowances = new Allowances();
    allowances.begin(['delay'], 2000)(4000);
    allowances.begin(['delay', 'cut'], 1000)(3000);
    expect(allowances.overlapMs('delay', 0, 9000)).to.equal(3000);
    expect(allowances.overlapMs('delay', 2500, 3500)).to.equal(1000);
  });

  it('lasts until the fault ends, and two seconds longer', () => {
    const allowances = new Allowances();
    const end = allowances.begin(['cut'], 0);
    expect(allowances.overlapMs('cut', 5e8, 6e8)).to.equal(1e8);
    const fromMs = performance.now();
    end();
    expect(allowances.overlapMs('cut', 0, 6e8)).to.be.within(fromMs + 2000, performance.now() + 2000);
  });
});
