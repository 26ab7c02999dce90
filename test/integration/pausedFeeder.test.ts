import { expect } from 'chai';
import { type Db, MongoClient } from 'mongodb';
import { MARKET_EXAMPLE, MARKET_FORECASTS_EXAMPLE } from '../../src/contract/markets.ts';
import { databaseOf } from '../../src/service/accounts/mongoAddress.ts';
import type { MongoDatabase } from '../../src/service/accounts/MongoDatabase.ts';
import { mongoMarkets } from '../../src/service/accounts/mongoMarkets.ts';
import type { ForecastRow, MarketState } from '../../src/service/markets/Market.ts';
import type { FeedCommit, Lease, MarketStore } from '../../src/service/markets/MarketStore.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';

const FEED = 'binance BTC/USDT trades';
const KEY = { accountId: 'a', id: 'm' };
const [SAMPLE] = MARKET_FORECASTS_EXAMPLE.forecasts;
const { state, reason, since, last_tick, price, ticks, spread_bps, forecasts } = MARKET_EXAMPLE;
const STATE: MarketState = { state, reason, since, last_tick, price, ticks, spread_bps, forecasts, tallies: {} };
const PENDING = { originUs: 1, entry: null, baselineProbability: 0.1, medianGapS: 1, costBps: null, isOwn: true };

const row = (n: number, change: number, probability: number, isPending = true): ForecastRow => ({
  ...{ ...KEY, forecast: { ...SAMPLE, n, change, probability }, pending: isPending ? PENDING : null },
});

/** The database, whose every operation waits for `gate` first. */
const gated = (db: Db, gate: () => Promise<void>): Db =>
  new Proxy(db, {
    get: (_, name) => {
      if (name !== 'collection') return Reflect.get(db, name) as unknown;
      return (collection: string) =>
        new Proxy(db.collection(collection), {
          get: (target, method) => {
            if (method === 'find')
              return (...args: []) => {
                const cursor = target.find(...args);
                const toArray = cursor.toArray.bind(cursor);
                cursor.toArray = async () => {
                  await gate();
                  return toArray();
                };
                return cursor;
              };
            return async (...args: unknown[]) => {
              await gate();
              return (Reflect.get(target, method) as (...all: unknown[]) => unknown).apply(target, args);
            };
          },
        });
    },
  });

describe('a process that feeds a market in MongoDB, and stands still within a commit', () => {
  let place: StoreLocation;
  let client: MongoClient;
  let db: Db;
  before(async function () {
    place = await makeStoreLocation('mongodb', this);
    client = await new MongoClient(place.place).connect();
    db = client.db(databaseOf(place.place));
    // Of a market that its account does not watch, nothing is kept.
    await db.collection('accounts').insertOne({ id: 'a', markets: [{ id: 'm' }] });
  });
  after(async () => {
    await client?.close();
    await place?.dispose();
  });

  const storeOf = (of: Db, mostForecasts?: number): MarketStore => mongoMarkets({ db: of } as MongoDatabase, mostForecasts);
  const commit = (store: MarketStore, lease: Lease, rest: Partial<FeedCommit['feeds'][number]>) =>
    store.commitFeeds({ feeds: [{ lease, logs: [], states: [], forecasts: [], ...rest }] });

  /** Stops the first feeder before its operation `at`, and lets another one take over, and go on with what it finds. Undefined: there is none. */
  async function takeOver(at: number) {
    for (const name of ['feed_leases', 'feed_logs', 'market_forecasts', 'market_states']) await db.collection(name).deleteMany({});
    let [operations, wake, stopped] = [0, (): void => {}, (): void => {}];
    const isStopped = new Promise<boolean>((resolve) => (stopped = () => resolve(true)));
    const first = storeOf(
      gated(db, async () => {
        if (operations++ !== at) return;
        stopped();
        await new Promise<void>((resolve) => (wake = resolve));
      }),
    );
    const second = storeOf(db);
    const held = (await second.claimFeed(FEED, 'first', undefined))!;
    await commit(second, held, { forecasts: [row(0, 1, 0.1)] });
    const written = commit(first, held, {
      forecasts: [row(0, 2, 0.1, false), row(1, 3, 0.2)],
      states: [{ ...KEY, state: { ...STATE, price: 1 }, keepFrom: 0 }],
      logs: [{ name: FEED, first: 0, bytes: Uint8Array.of(1), keepFrom: 0 }],
    });
    if (!(await Promise.race([isStopped, written.then(() => false)]))) return undefined;
    const lease = (await second.claimFeed(FEED, 'second', held))!;
    const found = await second.pendingForecasts(KEY);
    const log = await second.feedLog(FEED);
    // It makes the next forecast, gets the outcome of those that wait, and begins another series.
    const rows = [...found.rows.map(({ forecast }, i) => row(forecast.n, found.change + 1 + i, 0.3, false))];
    const next = row(found.n + 1, found.change + 9, 0.4);
    const after = { name: FEED, first: log.length, bytes: Uint8Array.of(2), keepFrom: log.length };
    const states = [{ ...KEY, state: { ...STATE, price: 2 }, keepFrom: 0 }];
    expect(await commit(second, lease, { forecasts: [...rows, next], states, logs: [after] })).to.deep.equal([]);
    const stored = async (): Promise<unknown> => {
      const all = await second.marketForecasts(KEY, 0, 100);
      return [all.map(({ n, change, probability }) => [n, change, probability]), (await second.marketStates('a')).get('m')?.price];
    };
    const before = await stored();
    wake();
    const lost = (await written).length > 0;
    return { lost, found: found.rows.map(({ forecast }) => forecast.n), n: found.n, before, after: await stored() };
  }

  it('loses all of it, or the next one goes on with all of it; what it does when it goes on changes nothing', async () => {
    const ends = new Set<boolean>();
    let at = 0;
    for (let end = await takeOver(at); end !== undefined; end = await takeOver(++at)) {
      const { lost, found, n, before, after } = end;
      expect(after, `stopped before operation ${at}`).to.deep.equal(before);
      // Forecast 1 is told by the first feeder, or does not exist for the second.
      if (!lost) expect([found, n], `stopped before operation ${at}`).to.deep.equal([[1], 1]);
      ends.add(lost);
    }
    expect([at > 3, [...ends]]).to.deep.equal([true, [true, false]]);
  });

  it('writes more forecasts than a document can hold, and counts on where a lease was given back', async () => {
    await takeOver(-1);
    const store = storeOf(db, 3);
    const [seen] = await store.leases();
    const lease = (await store.claimFeed(FEED, 'b', seen))!;
    const many = Array.from({ length: 8 }, (_, i) => row(i, i + 1, 0.5));
    expect(await commit(store, lease, { forecasts: many, states: [{ ...KEY, state: STATE, keepFrom: 0 }] })).to.deep.equal([]);
    expect((await store.pendingForecasts(KEY)).rows).to.have.length(8);
    await store.releaseFeeds([lease]);
    expect(await store.leases()).to.deep.equal([]);
    const again = (await store.claimFeed(FEED, 'c', undefined))!;
    expect(again.token).to.be.above(lease.token);
    await commit(store, again, { forecasts: [row(0, 9, 0.6)] });
    expect((await store.marketForecasts(KEY, 8, 10)).map(({ n }) => n)).to.deep.equal([0]);
  });
});
