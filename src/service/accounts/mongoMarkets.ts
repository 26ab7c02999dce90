import { randomUUID } from 'node:crypto';
import { type AnyBulkWriteOperation, Binary, type Db, MongoBulkWriteError } from 'mongodb';
import type { ForecastRow, MarketKey, MarketState } from '../markets/Market.ts';
import type { FeedCommit, Lease, LogRows, MarketRows, MarketStore } from '../markets/MarketStore.ts';
import { DUPLICATE, insertNew, type MongoDatabase } from './MongoDatabase.ts';
import { type AccountDocument, ACCOUNTS } from './mongoSchema.ts';

/** `stamp`: number of the commit of the feed that wrote it; absent: an earlier release did. */
type Stamped = { readonly _id: string; readonly stamp?: number };
/** `_id`: account, market and, of a forecast, its number. */
type StateDocument = Stamped & MarketKey & { readonly state: MarketState };
type MarketForecastDocument = Stamped & ForecastRow & { readonly n: number; readonly change: number };
type LogDocument = Stamped & { readonly name: string; readonly first: number; readonly bytes: Binary };
type Written = MarketRows & {
  readonly logs: readonly (Omit<LogRows, 'bytes'> & { readonly bytes: Binary })[];
};
/** `owner`: empty of a lease that was given back. `commits` counts those of the feed; `commit` is the last one, by an id of the call. */
type LeaseDocument = Omit<Lease, 'feed'> & {
  readonly _id: string;
  readonly commits?: number;
  readonly commit?: Written & { readonly id: string };
};

/** Forecasts of one commit: a document has at most 16 MiB. */
const MOST_FORECASTS = 500;
const NO_ONE = '';

const statesOf = (db: Db) => db.collection<StateDocument>('market_states');
const forecastsOf = (db: Db) => db.collection<MarketForecastDocument>('market_forecasts');
const leasesOf = (db: Db) => db.collection<LeaseDocument>('feed_leases');
const logsOf = (db: Db) => db.collection<LogDocument>('feed_logs');

/** What the service learns of watched markets. `mostForecasts`: of one commit. */
export function mongoMarkets({ db, keepOf }: MongoDatabase, mostForecasts = MOST_FORECASTS): MarketStore {
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
    dropMarket: (key) => dropMarket(db, key),
    leases: async () => {
      const found = await leases.find({ owner: { $ne: NO_ONE } }, { projection: { owner: 1, token: 1, beat: 1 } }).toArray();
      return found.map(({ _id, owner, token, beat }) => ({ feed: _id, owner, token, beat }));
    },
    claimFeed: async (feed, owner, seen) => {
      const first = { owner, token: 1, beat: 0 };
      if (seen === undefined && (await insertNew(leases, { _id: feed, ...first }))) return { feed, ...first };
      const as = seen === undefined ? { owner: NO_ONE } : { owner: seen.owner, token: seen.token, beat: seen.beat };
      const change = { $set: { owner, beat: 0 }, $inc: { token: 1 } };
      const taken = await leases.findOneAndUpdate({ _id: feed, ...as }, change, { returnDocument: 'after' });
      if (taken === null) return undefined;
      // The owner before may have ended within its last commit.
      await writeWatched(db, [taken]);
      return { feed, owner, token: taken.token, beat: 0 };
    },
    beatFeeds: async (owner) => void (await leases.updateMany({ owner }, { $inc: { beat: 1 } })),
    releaseFeeds: async (released) => {
      for (const { feed, owner } of released)
        await leases.updateOne({ _id: feed, owner }, { $set: { owner: NO_ONE }, $unset: { commit: '' } });
    },
    importMarkets: (rows) =>
      // Whatever a feed writes later replaces it. The account gets its markets after it.
      keepOf([...rows.states, ...rows.forecasts], () => writeOut(db, [{ commit: { id: '', logs: [], ...rows }, commits: 0 }])),
    commitFeeds: (asked) => commit(db, asked, mostForecasts),
    feedLog: async (name) => {
      const found = await logsOf(db).find({ name }).sort({ first: 1 }).toArray();
      return found.map(({ first, bytes }) => ({ first, bytes: bytes.value() }));
    },
  };
}

async function dropMarket(db: Db, { accountId, id }: MarketKey): Promise<void> {
  await statesOf(db).deleteMany({ accountId, id });
  await forecastsOf(db).deleteMany({ accountId, id });
}

/**
 * Resolves to the feeds whose lease is lost. Without a transaction: the document of the lease takes a commit only with the lease, in one statement. From there it
 * is written out, and once more by the next owner; nothing replaces what a later commit of the feed has written.
 */
async function commit(db: Db, { feeds }: FeedCommit, mostForecasts: number): Promise<string[]> {
  const lost = new Set<string>();
  for (let from = 0, hasMore = true; hasMore; from += mostForecasts) {
    const to = from + mostForecasts;
    hasMore = feeds.some(({ forecasts }) => forecasts.length > to);
    const id = randomUUID();
    const some = feeds
      .filter(({ lease, forecasts }) => !lost.has(lease.feed) && (from === 0 || forecasts.length > from))
      .map(({ lease, logs, states, forecasts }) => ({
        lease,
        commit: {
          ...{ id, forecasts: forecasts.slice(from, to), states: forecasts.length > to ? [] : states },
          logs: from > 0 ? [] : logs.map(({ name, first, bytes, keepFrom }) => ({ name, first, bytes: new Binary(bytes), keepFrom })),
        },
      }));
    const accept = some.map(({ lease: { feed, owner, token }, commit: one }) => ({
      updateOne: { filter: { _id: feed, owner, token }, update: { $set: { commit: one }, $inc: { commits: 1 } } },
    }));
    await leasesOf(db).bulkWrite(accept);
    const ofCall = { _id: { $in: some.map(({ lease }) => lease.feed) }, 'commit.id': id };
    const counts = new Map(
      (
        await leasesOf(db)
          .find(ofCall, { projection: { commits: 1 } })
          .toArray()
      ).map((one) => [one._id, one.commits]),
    );
    for (const { lease } of some) if (!counts.has(lease.feed)) lost.add(lease.feed);
    const accepted = some.filter(({ lease }) => counts.has(lease.feed));
    await writeWatched(
      db,
      accepted.map(({ lease, commit: one }) => ({ commit: one, commits: counts.get(lease.feed) })),
    );
  }
  return [...lost];
}

/** Writes the last commits of leases into the collections, also once more, and late. */
async function writeOut(db: Db, accepted: readonly Pick<LeaseDocument, 'commit' | 'commits'>[]): Promise<void> {
  const forecasts: AnyBulkWriteOperation<MarketForecastDocument>[] = [];
  const states: AnyBulkWriteOperation<StateDocument>[] = [];
  const rows: AnyBulkWriteOperation<LogDocument>[] = [];
  for (const { commit: one, commits: stamp = 0 } of accepted) {
    const unlessLater = (_id: string) => ({ filter: { _id, stamp: { $not: { $gt: stamp } } }, upsert: true });
    for (const row of one?.forecasts ?? []) {
      const { accountId, id, forecast } = row;
      const { n, change } = forecast;
      forecasts.push({ replaceOne: { ...unlessLater(`${accountId} ${id} ${n}`), replacement: { ...row, n, change, stamp } } });
    }
    for (const { accountId, id, state, keepFrom } of one?.states ?? []) {
      states.push({ replaceOne: { ...unlessLater(`${accountId} ${id}`), replacement: { accountId, id, state, stamp } } });
      if (keepFrom > 0) forecasts.push({ deleteMany: { filter: { accountId, id, n: { $lt: keepFrom } } } });
    }
    for (const { name, first, bytes, keepFrom } of one?.logs ?? []) {
      rows.push({ replaceOne: { ...unlessLater(`${name} ${first}`), replacement: { name, first, bytes, stamp } } });
      rows.push({ deleteMany: { filter: { name, first: { $lt: keepFrom } } } });
    }
  }
  // First the ticks: forecasts are made of them.
  if (rows.length > 0) await unlessNewer(logsOf(db).bulkWrite(rows, { ordered: false }));
  if (forecasts.length > 0) await unlessNewer(forecastsOf(db).bulkWrite(forecasts, { ordered: false }));
  if (states.length > 0) await unlessNewer(statesOf(db).bulkWrite(states, { ordered: false }));
}

/** The markets are looked up after the write: whichever of a write and a removal comes last, the rows of a market that was removed, alone or with its account, go. */
async function writeWatched(db: Db, accepted: Parameters<typeof writeOut>[1]): Promise<void> {
  await writeOut(db, accepted);
  const written = accepted.flatMap(({ commit: one }): MarketKey[] => [...(one?.states ?? []), ...(one?.forecasts ?? [])]);
  const nameOf = ({ accountId, id }: MarketKey): string => `${accountId} ${id}`;
  const keys = new Map(written.map((row) => [nameOf(row), row]));
  if (keys.size === 0) return;
  const accounts = [...new Set(written.map(({ accountId }) => accountId))];
  const found = db.collection<AccountDocument>(ACCOUNTS).find({ id: { $in: accounts } }, { projection: { id: 1, 'markets.id': 1 } });
  for (const { id: accountId, markets = [] } of await found.toArray()) for (const { id } of markets) keys.delete(nameOf({ accountId, id }));
  for (const key of keys.values()) await dropMarket(db, key);
}

/** What a later commit has written is not replaced: its id is there then. */
async function unlessNewer(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    const errors = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
    if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE)) throw error;
  }
}
