import { expect } from 'chai';
import fc from 'fast-check';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { LiveBudget } from '../../../../src/service/http/live/LiveBudget.ts';

const MOST_MB = 10;
const BYTES = 1_000_000;

describe('LiveBudget', () => {
  it('gives one account half, leaves something for another, and has all again when they have closed', () => {
    const budget = new LiveBudget(MOST_MB);
    const takeAll = (account: string): (() => void)[] => {
      const given: (() => void)[] = [];
      for (;;)
        try {
          given.push(budget.take(account, BYTES / 10));
        } catch (error) {
          expect(error).to.be.instanceOf(ServiceError).with.property('code', 'limit.exceeded');
          expect(error)
            .to.have.property('message')
            .that.matches(/^The open series of the account may need \d+\.\d MB/u);
          return given;
        }
    };
    const [one, two] = [takeAll('one'), takeAll('two')];
    expect([one.length, two.length]).to.deep.equal([50, 25]);
    for (const free of [...one, ...two]) free();
    expect(takeAll('three')).to.have.length(50);
  });

  it('never gives more than there is, in any order of opening and closing', () => {
    const step = fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.integer({ min: 1, max: 3 * BYTES }),
      closes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const budget = new LiveBudget(MOST_MB);
        const open: { readonly account: string; readonly bytes: number; readonly free: () => void }[] = [];
        for (const { account, bytes, closes } of steps) {
          if (closes) open.shift()?.free();
          const total = open.reduce((sum, one) => sum + one.bytes, 0);
          const held = open.reduce((sum, one) => sum + (one.account === account ? one.bytes : 0), 0);
          let free: (() => void) | undefined;
          try {
            free = budget.take(account, bytes);
          } catch {
            expect(held + bytes + total, 'a refused series').to.be.above(MOST_MB * BYTES);
          }
          if (free !== undefined) open.push({ account, bytes, free });
          expect(open.reduce((sum, one) => sum + one.bytes, 0)).to.be.at.most(MOST_MB * BYTES);
        }
      }),
    );
  });
});
