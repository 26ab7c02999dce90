import { expect } from 'chai';
import fc from 'fast-check';
import { FairQueue, type QueuedItem } from '../../src/service/admission/FairQueue.ts';

const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });

function fill(given: readonly string[]): { queue: FairQueue<number>; all: QueuedItem<number>[] } {
  const queue = new FairQueue<number>();
  const all = given.map((owner, item) => ({ owner, item }));
  for (const entry of all) queue.push(entry);
  return { queue, all };
}

const drain = (queue: FairQueue<number>, most = Infinity): number[] => {
  const taken: number[] = [];
  for (let next; taken.length < most && (next = queue.take()) !== undefined;) taken.push(next);
  return taken;
};

describe('FairQueue', () => {
  it('returns every item once, and keeps the order within an owner', () => {
    fc.assert(
      fc.property(owners, (given) => {
        const { queue, all } = fill(given);
        const taken = drain(queue);
        expect(taken.toSorted((a, b) => a - b)).to.deep.equal(all.map(({ item }) => item));
        for (const owner of new Set(given)) {
          const own = taken.filter((item) => given[item] === owner);
          expect(own).to.deep.equal(own.toSorted((a, b) => a - b));
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
          const given = counts.flatMap((count, owner) => Array.from({ length: count }, () => `${owner}`));
          const got = new Map<string, number>();
          for (const item of drain(fill(given).queue, served)) got.set(given[item], (got.get(given[item]) ?? 0) + 1);
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
      fc.property(owners, fc.constantFrom('a', 'b', 'z'), (given, owner) => {
        const foreseen = fill(given).queue.countBefore(owner);
        const order = drain(fill([...given, owner]).queue);
        expect(order.indexOf(given.length)).to.be.at.most(foreseen);
        expect(foreseen).to.be.at.most(given.length);
      }),
    );
  });

  it('removes only what it is told to remove', () => {
    fc.assert(
      fc.property(owners, fc.array(fc.nat(59)), (given, removed) => {
        const { queue, all } = fill(given);
        const gone = new Set<number>();
        for (const at of removed) {
          const entry = all[at];
          if (entry === undefined) continue;
          expect(queue.remove(entry)).to.equal(!gone.has(at));
          gone.add(at);
        }
        expect(queue.size).to.equal(all.length - gone.size);
        expect(drain(queue).sort((a, b) => a - b)).to.deep.equal(all.map(({ item }) => item).filter((item) => !gone.has(item)));
      }),
    );
  });

  it('serves a single item next, whatever the number of items of another owner (row 31)', () => {
    const { queue } = fill(Array.from({ length: 1000 }, () => 'flood'));
    drain(queue, 8);
    queue.push({ owner: 'once', item: 5000 });
    expect(queue.countBefore('other')).to.equal(2);
    expect(drain(queue, 2)).to.include(5000);
  });
});
