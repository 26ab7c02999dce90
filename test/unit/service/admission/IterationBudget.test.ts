import { expect } from 'chai';
import { IterationBudget } from '../../../../src/service/admission/IterationBudget.ts';

const KIB = 1024;

describe('IterationBudget', () => {
  it('handles a bounded number of bytes in an iteration, and the rest in order of arrival', async () => {
    const budget = new IterationBudget();
    let iteration = 0;
    const next = (): unknown => ++iteration < 20 && setImmediate(next);
    setImmediate(next);
    const sizes = [100, 100, 100, 300, 1, 1, 200].map((kib) => kib * KIB);
    const at: number[] = [];
    await Promise.all(
      sizes.map(async (bytes, i) => {
        const wait = budget.take('a', bytes);
        if (wait !== undefined) await wait;
        at[i] = iteration;
      }),
    );
    // What comes after 300 KiB does not overtake it, however small.
    const first = at[2];
    expect(at).to.deep.equal([0, 0, first, first, first + 1, first + 1, first + 1]);
    expect(budget.take('a', 1), 'an idle worker').to.equal(undefined);
  });

  it('serves the accounts in turn, and counts what a message turned out to need', async () => {
    const budget = new IterationBudget();
    budget.spend(256 * KIB);
    const order: string[] = [];
    await Promise.all(
      ['a', 'a', 'a', 'b'].map(async (owner, i) => {
        await budget.take(owner, 256 * KIB);
        order.push(`${owner}${i}`);
      }),
    );
    expect(order).to.deep.equal(['a0', 'b3', 'a1', 'a2']);
  });
});
