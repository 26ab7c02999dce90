import { type AnyBulkWriteOperation, Binary, type Collection, type Db } from 'mongodb';
import type { MarketForecast } from '../../contract/markets.ts';
import type { ForecastRow, MarketKey, MarketState } from '../markets/Market.ts';
import type { AccountMarkets, FeedCommit, Lease } from '../markets/MarketStore.ts';
import type { AccountDocument } from './mongoSchema.ts';
import { isDuplicate } from './mongoRecords.ts';

/** `_id`: account, market and, of a forecast, its number. */
type StateDocument = MarketKey & { readonly _id: string; readonly state: MarketState };
export type MarketForecastDocument = ForecastRow & { readonly _id: string; readonly n: number; readonly change: number };
type LeaseDocument = Omit<Lease, 'feed'> & { readonly _id: string };
type LogDocument = { readonly _id: string; readonly name: string; readonly first: number; readonly bytes: Binary };

/** What the service learns of watched markets. */
export class MongoMarkets {
  readonly #accounts: Collection<AccountDocument>;
  readonly #states: Collection<StateDocument>;
  readonly #forecasts: Collection<MarketForecastDocument>;
  readonly #leases: Collection<LeaseDocument>;
  readonly #logs: Collection<LogDocument>;

  constructor(db: Db, accounts: Collection<AccountDocument>) {
    this.#accounts = accounts;
    this.#states = db.collection('market_states');
    this.#forecasts = db.collection('market_forecasts');
    this.#leases = db.collection('feed_leases');
    this.#logs = db.collection('feed_logs');
  }

  async list(): Promise<AccountMarkets[]> {
    const some = this.#accounts.find({ 'markets.id': { $gt: '' }, disabledAtMs: null }, { projection: { id: 1, markets: 1 } });
    return (await some.toArray()).map(({ id, markets = [] }) => ({ accountId: id, markets }));
  }

  async states(accountId: string): Promise<Map<string, MarketState>> {
    const found = await this.#states.find({ accountId }).toArray();
    return new Map(found.map(({ id, state }) => [id, state]));
  }

  async forecasts({ accountId, id }: MarketKey, after: number, limit: number): Promise<MarketForecast[]> {
    const found = this.#forecasts.find({ accountId, id, change: { $gt: after } }).sort({ change: 1 });
    return (await found.limit(limit).toArray()).map(({ forecast }) => forecast);
  }

  async pending({ accountId, id }: MarketKey): Promise<{ rows: ForecastRow[]; n: number; change: number }> {
    const [last] = await this.#forecasts.find({ accountId, id }).sort({ change: -1 }).limit(1).toArray();
    const [newest] = await this.#forecasts.find({ accountId, id }).sort({ n: -1 }).limit(1).toArray();
    const found = await this.#forecasts
      .find({ accountId, id, pending: { $ne: null } })
      .sort({ n: 1 })
      .toArray();
    const rows = found.map(({ forecast, pending }) => ({ accountId, id, forecast, pending }));
    return { rows, n: newest?.n ?? -1, change: last?.change ?? 0 };
  }

  async drop(of: MarketKey | Pick<MarketKey, 'accountId'>): Promise<void> {
    await this.#states.deleteMany(of);
    await this.#forecasts.deleteMany(of);
  }

  async leases(): Promise<Lease[]> {
    return (await this.#leases.find().toArray()).map(({ _id, owner, token, beat }) => ({ feed: _id, owner, token, beat }));
  }

  async claim(feed: string, owner: string, seen: Lease | undefined): Promise<Lease | undefined> {
    const token = (seen?.token ?? 0) + 1;
    if (seen === undefined) {
      try {
        await this.#leases.insertOne({ _id: feed, owner, token, beat: 0 });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return undefined;
      }
    } else {
      const as = { _id: feed, owner: seen.owner, token: seen.token, beat: seen.beat };
      if ((await this.#leases.updateOne(as, { $set: { owner, token, beat: 0 } })).matchedCount === 0) return undefined;
    }
    return { feed, owner, token, beat: 0 };
  }

  async beat(owner: string): Promise<void> {
    await this.#leases.updateMany({ owner }, { $inc: { beat: 1 } });
  }

  async release(leases: readonly Pick<Lease, 'feed' | 'owner'>[]): Promise<void> {
    for (const { feed, owner } of leases) await this.#leases.deleteOne({ _id: feed, owner });
  }

  /** The accounts of what is written. Without a transaction: a lease that is lost meanwhile is found by the next commit. */
  async commit({ feeds }: FeedCommit): Promise<{ readonly lost: string[]; readonly written: readonly MarketKey[] }> {
    const held = await this.#leases.find({ _id: { $in: feeds.map(({ lease }) => lease.feed) } }).toArray();
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
    if (rows.length > 0) await this.#logs.bulkWrite(rows);
    if (forecasts.length > 0) await this.#forecasts.bulkWrite(forecasts);
    if (states.length > 0) await this.#states.bulkWrite(states);
    return {
      lost: feeds.filter((one) => !good.includes(one)).map(({ lease }) => lease.feed),
      written: good.flatMap(({ states: some, forecasts: made }) => [...some, ...made]),
    };
  }

  async log(name: string): Promise<{ first: number; bytes: Uint8Array }[]> {
    const found = await this.#logs.find({ name }).sort({ first: 1 }).toArray();
    return found.map(({ first, bytes }) => ({ first, bytes: bytes.value() }));
  }
}
