import { expect } from 'chai';
import fc from 'fast-check';
import { FairQueue, type QueuedItem } from '../../src/service/admission/FairQueue.ts';

const entries = fc.array(fc.record({ owner: fc.constantFrom('a', 'b', 'c', 'd'), group: fc.constantFrom('x', 'y') }), { maxLength: 60 });

function fill(given: readonly { owner: string; group: string }[]): { queue: FairQueue<number>; all: QueuedItem<number>[] } {
  const queue = new FairQueue<number>();
  const all = given.map((entry, item) => ({ ...entry, item }));
  for (const entry of all) queue.push(entry);
  return { queue, all };
}

function drain(queue: FairQueue<number>, limit: number): QueuedItem<number>[][] {
  const batches: QueuedItem<number>[][] = [];
  while (queue.size > 0) batches.push(queue.take(limit));
  return batches;
}

describe('FairQueue', () => {
  it('returns every item once, in batches of one group that are never empty and never too large', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 10 }), (given, limit) => {
        const { queue, all } = fill(given);
        const batches = drain(queue, limit);
        for (const batch of batches) {
          expect(batch.length).to.be.within(1, limit);
          expect(new Set(batch.map(({ group }) => group)).size).to.equal(1);
        }
        expect(
          batches
            .flat()
            .map(({ item }) => item)
            .sort((a, b) => a - b),
        ).to.deep.equal(all.map(({ item }) => item));
      }),
    );
  });

  it('keeps the order within an owner', () => {
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 10 }), (given, limit) => {
        const { queue } = fill(given);
        const lastOf = new Map<string, number>();
        for (const { owner, item } of drain(queue, limit).flat()) {
          expect(item).to.be.above(lastOf.get(owner) ?? -1);
          lastOf.set(owner, item);
        }
      }),
    );
  });

  it('serves waiting owners equally, to within one item', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        (counts, served) => {
          const { queue } = fill(
            counts.flatMap((count, owner) => Array.from({ length: count }, () => ({ owner: `${owner}`, group: 'x' }))),
          );
          const got = new Map<string, number>();
          for (const { owner } of queue.take(served)) got.set(owner, (got.get(owner) ?? 0) + 1);
          for (const [i, count] of counts.entries())
            for (const [j, other] of counts.entries()) {
              const [mine, theirs] = [got.get(`${i}`) ?? 0, got.get(`${j}`) ?? 0];
              // An owner that got at least two items less had no more items.
              if (mine < theirs - 1) expect(mine).to.equal(count);
              if (theirs < mine - 1) expect(theirs).to.equal(other);
            }
        },
      ),
    );
  });

  it('returns how many items come before another item of an owner', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), fc.constantFrom('a', 'b', 'z'), (owners, owner) => {
        const given = owners.map((each) => ({ owner: each, group: 'x' }));
        const foreseen = fill(given).queue.countBefore(owner);
        const { queue } = fill([...given, { owner, group: 'x' }]);
        const order = queue.take(1000).map(({ item }) => item);
        expect(order.indexOf(given.length)).to.be.at.most(foreseen);
        expect(foreseen).to.be.at.most(given.length);
      }),
    );
  });

  it('removes only what it is told to remove', () => {
    fc.assert(
      fc.property(entries, fc.array(fc.nat(59)), (given, removed) => {
        const { queue, all } = fill(given);
        const gone = new Set<number>();
        for (const at of removed) {
          const entry = all[at];
          if (entry === undefined) continue;
          expect(queue.remove(entry)).to.equal(!gone.has(at));
          gone.add(at);
        }
        expect(queue.size).to.equal(all.length - gone.size);
        const left = drain(queue, 7)
          .flat()
          .map(({ item }) => item);
        expect(left.sort((a, b) => a - b)).to.deep.equal(all.map(({ item }) => item).filter((item) => !gone.has(item)));
      }),
    );
  });

  it('serves a single item in the next batch, whatever the number of items of another owner (row 31)', () => {
    const { queue } = fill(Array.from({ length: 1000 }, () => ({ owner: 'flood', group: 'x' })));
    queue.take(8);
    queue.push({ owner: 'once', group: 'x', item: 5000 });
    expect(queue.countBefore('other')).to.equal(2);
    expect(queue.take(8).map(({ item }) => item)).to.include(5000);
  });
});
