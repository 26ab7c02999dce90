import { type AnyBulkWriteOperation, Binary, type Db } from 'mongodb';
import type { ForecastRow, MarketKey, MarketState } from '../markets/Market.ts';
import type { FeedCommit, Lease, MarketStore } from '../markets/MarketStore.ts';
import type { MongoDatabase } from './MongoDatabase.ts';
import { type AccountDocument, ACCOUNTS } from './mongoSchema.ts';
import { isDuplicate } from './mongoRecords.ts';

/** `_id`: account, market and, of a forecast, its number. */
type StateDocument = MarketKey & { readonly _id: string; readonly state: MarketState };
type MarketForecastDocument = ForecastRow & { readonly _id: string; readonly n: number; readonly change: number };
type LeaseDocument = Omit<Lease, 'feed'> & { readonly _id: string };
type LogDocument = { readonly _id: string; readonly name: string; readonly first: number; readonly bytes: Binary };

const statesOf = (db: Db) => db.collection<StateDocument>('market_states');
const forecastsOf = (db: Db) => db.collection<MarketForecastDocument>('market_forecasts');
const leasesOf = (db: Db) => db.collection<LeaseDocument>('feed_leases');
const logsOf = (db: Db) => db.collection<LogDocument>('feed_logs');

/** What the service learns of watched markets. */
export function mongoMarkets({ db, keepOf }: MongoDatabase): MarketStore {
  const [stored, forecasts, leases] = [statesOf(db), forecastsOf(db), leasesOf(db)];
  return {
    listMarkets: async () => {
      const watching = { 'markets.id': { $gt: '' }, disabledAtMs: null };
      const found = db.collection<AccountDocument>(ACCOUNTS).find(watching, { projection: { id: 1, markets: 1 } });
      return (await found.toArray()).map(({ id, markets = [] }) => ({ accountId: id, markets }));
    },
    marketStates: async (accountId) => {
      const found = await stored.find({ accountId }).toArray();
      return new Map(found.map(({ id, state }) => [id, state]));
    },
    marketForecasts: async ({ accountId, id }, after, limit) => {
      const found = forecasts.find({ accountId, id, change: { $gt: after } }).sort({ change: 1 });
      return (await found.limit(limit).toArray()).map(({ forecast }) => forecast);
    },
    pendingForecasts: async ({ accountId, id }) => {
      const [last] = await forecasts.find({ accountId, id }).sort({ change: -1 }).limit(1).toArray();
      const [newest] = await forecasts.find({ accountId, id }).sort({ n: -1 }).limit(1).toArray();
      const found = forecasts.find({ accountId, id, pending: { $ne: null } }).sort({ n: 1 });
      const rows = (await found.toArray()).map(({ forecast, pending }) => ({ accountId, id, forecast, pending }));
      return { rows, n: newest?.n ?? -1, change: last?.change ?? 0 };
    },
    dropMarket: async (key) => {
      await stored.deleteMany(key);
      await forecasts.deleteMany(key);
    },
    leases: async () => (await leases.find().toArray()).map(({ _id, owner, token, beat }) => ({ feed: _id, owner, token, beat })),
    claimFeed: async (feed, owner, seen) => {
      const token = (seen?.token ?? 0) + 1;
      if (seen === undefined) {
        try {
          await leases.insertOne({ _id: feed, owner, token, beat: 0 });
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          return undefined;
        }
      } else {
        const as = { _id: feed, owner: seen.owner, token: seen.token, beat: seen.beat };
        if ((await leases.updateOne(as, { $set: { owner, token, beat: 0 } })).matchedCount === 0) return undefined;
      }
      return { feed, owner, token, beat: 0 };
    },
    beatFeeds: async (owner) => void (await leases.updateMany({ owner }, { $inc: { beat: 1 } })),
    releaseFeeds: async (released) => {
      for (const { feed, owner } of released) await leases.deleteOne({ _id: feed, owner });
    },
    commitFeeds: async (asked) => {
      const { lost, written } = await commit(db, asked);
      return keepOf(written, async () => lost);
    },
    feedLog: async (name) => {
      const found = await logsOf(db).find({ name }).sort({ first: 1 }).toArray();
      return found.map(({ first, bytes }) => ({ first, bytes: bytes.value() }));
    },
  };
}

/** The accounts of what is written. Without a transaction: a lease that is lost meanwhile is found by the next commit. */
async function commit(db: Db, { feeds }: FeedCommit): Promise<{ readonly lost: string[]; readonly written: readonly MarketKey[] }> {
  const held = await leasesOf(db)
    .find({ _id: { $in: feeds.map(({ lease }) => lease.feed) } })
    .toArray();
  const isHeld = ({ feed, owner, token }: Pick<Lease, 'feed' | 'owner' | 'token'>): boolean =>
    held.some((one) => one._id === feed && one.owner === owner && one.token === token);
  const good = feeds.filter(({ lease }) => isHeld(lease));
  const forecasts: AnyBulkWriteOperation<MarketForecastDocument>[] = [];
  const states: AnyBulkWriteOperation<StateDocument>[] = [];
  const rows: AnyBulkWriteOperation<LogDocument>[] = [];
  for (const { logs, ...written } of good) {
    for (const row of written.forecasts) {
      const { accountId, id, forecast } = row;
      const { n, change } = forecast;
      const replacement = { ...row, n, change };
      forecasts.push({ replaceOne: { filter: { _id: `${accountId} ${id} ${n}` }, replacement, upsert: true } });
    }
    for (const { accountId, id, state, keepFrom } of written.states) {
      const replacement = { accountId, id, state };
      states.push({ replaceOne: { filter: { _id: `${accountId} ${id}` }, replacement, upsert: true } });
      if (keepFrom > 0) forecasts.push({ deleteMany: { filter: { accountId, id, n: { $lt: keepFrom } } } });
    }
    for (const { name, first, bytes, keepFrom } of logs) {
      const replacement = { name, first, bytes: new Binary(bytes) };
      rows.push({ replaceOne: { filter: { _id: `${name} ${first}` }, replacement, upsert: true } });
      rows.push({ deleteMany: { filter: { name, first: { $lt: keepFrom } } } });
    }
  }
  // First the ticks: forecasts are made of them.
  if (rows.length > 0) await logsOf(db).bulkWrite(rows);
  if (forecasts.length > 0) await forecastsOf(db).bulkWrite(forecasts);
  if (states.length > 0) await statesOf(db).bulkWrite(states);
  return {
    lost: feeds.filter((one) => !good.includes(one)).map(({ lease }) => lease.feed),
    written: good.flatMap(({ states: some, forecasts: made }) => [...some, ...made]),
  };
}
