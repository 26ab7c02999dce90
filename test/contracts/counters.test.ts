import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { MemoryCounter } from '../../src/service/accounts/limits/MemoryCounter.ts';
import { MongoCounter, sweepCounts } from '../../src/service/accounts/limits/MongoCounter.ts';
import { StoreOutage } from '../../src/service/accounts/StoreOutage.ts';
import type { Counter, LimitPolicy } from '../../src/service/accounts/limits/RateLimit.ts';
import { openMongo, type MongoConnection } from '../../src/service/accounts/openMongo.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { PATIENT_MS } from '../support/openNamedStore.ts';
import { until } from '../support/until.ts';

/** Windows that do not end during a test. */
const POLICY: LimitPolicy = { name: 'forecasts', quota: 3, windowSeconds: 3600 };
const WHOLE_WINDOW = [3_000_000, 3_600_000] as const;

/** Runs `work` in a process whose wall clock is set ahead. */
async function withWallClockAhead<T>(byMs: number, work: () => Promise<T>): Promise<T> {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[]) => Reflect.construct(target, given.length === 0 ? [RealDate.now() + byMs] : given) as object,
    get: (target, name) => (name === 'now' ? () => RealDate.now() + byMs : Reflect.get(target, name)),
  });
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
  }
}

function describeCounter(name: string, counterOf: (policy: LimitPolicy) => Counter, endWindows: () => unknown): void {
  it(`${name}: counts up and down, each subject separately`, async () => {
    const counter = counterOf(POLICY);
    const countOf = async (subject: string, by = 1): Promise<number> => (await counter.add(subject, by)).count;
    expect([await countOf('a'), await countOf('a'), await countOf('b'), await countOf('a', -1), await countOf('a')]).to.deep.equal([
      1, 2, 1, 1, 2,
    ]);
    expect((await counter.add('a', 1)).resetMs).to.be.within(...WHOLE_WINDOW);
  });

  it(`${name}: counts all of 40 simultaneous calls`, async () => {
    const counter = counterOf(POLICY);
    const counts = await Promise.all(Array.from({ length: 40 }, () => counter.add('crowd', 1)));
    expect(counts.map(({ count }) => count).sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  it(`${name}: keeps its windows if the wall clock of a process is wrong by two hours`, async () => {
    const counter = counterOf({ ...POLICY, name: 'off' });
    await counter.add('a', 1);
    for (const [i, byMs] of [7_200_000, -7_200_000].entries()) {
      const { count, resetMs } = await withWallClockAhead(byMs, () => counter.add('a', 1));
      expect(count, `${byMs} ms`).to.equal(i + 2);
      expect(resetMs, `${byMs} ms`).to.be.within(...WHOLE_WINDOW);
    }
  });

  it(`${name}: starts again after the end of the window`, async () => {
    const counter = counterOf({ ...POLICY, name: 'short' });
    await counter.add('a', 1);
    await counter.add('a', 1);
    await endWindows();
    expect((await counter.add('a', 1)).count).to.equal(1);
  });
}

describe('counters of limits', () => {
  const clock = new FakeClock();
  describeCounter(
    'in memory',
    (policy) => new MemoryCounter(policy, clock),
    () => clock.advance(3_600_000),
  );

  describe('in MongoDB', () => {
    let place: StoreLocation | undefined;
    let open: MongoConnection;
    const never: Counter = { add: () => Promise.reject(new Error('unexpected fallback')) };
    /** Its clock stands still: the counter waits for each answer, however long it takes. */
    const counterOf = (policy: LimitPolicy, { client, database } = open): Counter =>
      new MongoCounter(policy, { client, database, clock: new FakeClock(), fallback: never, outage: new StoreOutage(new FakeClock()) });
    const limitsOf = (): Collection => open.client.db(open.database).collection('limits');
    /** Only the clock of the server ends a window: its end is moved into the past. */
    const endWindows = () => limitsOf().updateMany({}, { $set: { expire: new Date(0) } });

    before(async function () {
      place = await makeStoreLocation('mongodb', this);
      open = await openMongo(place.place, { answerMs: PATIENT_MS });
    });
    after(async () => {
      await open?.store.close();
      await place?.dispose();
    });

    describeCounter('in MongoDB', counterOf, endWindows);

    it('counts simultaneous first calls of a window, and starts again', async () => {
      const counter = counterOf({ ...POLICY, name: 'ended' });
      for (let round = 0; round < 3; round++) {
        const counts = await Promise.all(Array.from({ length: 10 }, () => counter.add('crowd', 1)));
        expect(counts.map(({ count }) => count).sort((a, b) => a - b)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        const last = await counter.add('crowd', -1);
        expect(last.count).to.equal(9);
        await endWindows();
        expect((await counter.add('given back late', -1)).count).to.equal(0);
      }
    });

    it('removes expired windows by the clock of the server, not by its own', async () => {
      const ahead = new FakeClock(Date.now() + 86_400_000);
      await counterOf({ ...POLICY, name: 'live' }).add('swept', 1);
      const limits = limitsOf();
      await limits.insertMany([
        { key: 'swept:over', points: 1, expire: new Date(Date.now() - 1000) },
        { key: 'swept:unfinished', points: 1 },
      ]);
      const stop = sweepCounts(open.client, open.database, ahead);
      ahead.advance(600_000);
      await until(async () => (await limits.countDocuments({ key: { $regex: '^swept:' } })) === 0);
      stop();
      expect((await counterOf({ ...POLICY, name: 'live' }).add('swept', 1)).count).to.equal(2);
    });

    it('has one count for two processes, and separate counts for different limits', async () => {
      const other = await openMongo((place as StoreLocation).place, { answerMs: PATIENT_MS });
      try {
        const there = counterOf(POLICY, other);
        await counterOf(POLICY).add('both', 1);
        expect((await there.add('both', 1)).count).to.equal(2);
        expect((await counterOf({ ...POLICY, name: 'logins' }).add('both', 1)).count).to.equal(1);
      } finally {
        await other.store.close();
      }
    });
  });
});
