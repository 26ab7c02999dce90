import { expect } from 'chai';
import { MemoryCounter } from '../../src/accounts/limits/MemoryCounter.ts';
import { MongoCounter } from '../../src/accounts/limits/MongoCounter.ts';
import type { Counter, LimitPolicy } from '../../src/accounts/limits/RateLimit.ts';
import { openMongo, type OpenMongo } from '../../src/accounts/openMongo.ts';
import { systemClock } from '../../src/core/Clock.ts';
import { makeStorePlace, type StorePlace } from '../support/eachStore.ts';

const POLICY: LimitPolicy = { name: 'forecasts', quota: 3, windowSeconds: 60 };

function describeCounter(name: string, counterOf: (policy: LimitPolicy) => Counter): void {
  it(`${name}: counts up and down, each subject for itself`, async () => {
    const counter = counterOf(POLICY);
    const countOf = async (subject: string, by: 1 | -1 = 1): Promise<number> => (await counter.add(subject, by)).count;
    expect([await countOf('a'), await countOf('a'), await countOf('b'), await countOf('a', -1), await countOf('a')]).to.deep.equal([
      1, 2, 1, 1, 2,
    ]);
    expect((await counter.add('a', 1)).resetMs).to.be.within(50_000, 60_000);
  });

  it(`${name}: loses none of 40 that come at once`, async () => {
    const counter = counterOf(POLICY);
    const counts = await Promise.all(Array.from({ length: 40 }, () => counter.add('crowd', 1)));
    expect(counts.map(({ count }) => count).sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  it(`${name}: begins anew when the window is over`, async () => {
    const counter = counterOf({ ...POLICY, name: 'short', windowSeconds: 0.2 });
    await counter.add('a', 1);
    await counter.add('a', 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await counter.add('a', 1)).count).to.equal(1);
  });
}

describe('counters of limits', () => {
  describeCounter('in memory', (policy) => new MemoryCounter(policy));

  describe('in MongoDB', () => {
    let place: StorePlace | undefined;
    let open: OpenMongo;
    const never: Counter = { add: () => Promise.reject(new Error('MongoDB was not asked')) };
    const counterOf = (policy: LimitPolicy): Counter => new MongoCounter(policy, { ...open, clock: systemClock, fallback: never });

    before(async function () {
      place = await makeStorePlace('mongodb', this);
      open = await openMongo(place.place);
    });
    after(async () => {
      await open?.store.close();
      await place?.dispose();
    });

    describeCounter('in MongoDB', counterOf);

    it('is one count for two processes, and another for another limit', async () => {
      const other = await openMongo((place as StorePlace).place);
      try {
        const there = new MongoCounter(POLICY, { ...other, clock: systemClock, fallback: never });
        await counterOf(POLICY).add('both', 1);
        expect((await there.add('both', 1)).count).to.equal(2);
        expect((await counterOf({ ...POLICY, name: 'logins' }).add('both', 1)).count).to.equal(1);
      } finally {
        await other.store.close();
      }
    });
  });
});
