import type { Collection, Db, Filter, FindOptions, MongoClient } from 'mongodb';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { Account, AccountChange, AccountPage, AccountStore, EventQuery } from './AccountStore.ts';
import type { MarketForecast } from '../../contract/markets.ts';
import type { MarketKey, MarketState } from '../markets/Market.ts';
import type { AccountMarkets, FeedCommit, Lease, MarketStore } from '../markets/MarketStore.ts';
import type { MemoryKey, MemoryRow, StoredMemory, WriteResult } from '../live/MemoryStore.ts';
import type { SealedBlock, SealedPage } from '../live/sealedChain.ts';
import type { RecordPage, RecordRow } from '../live/TrackRecord.ts';
import type { Claim, Delivery, Settled } from '../alerts/Webhook.ts';
import type { AuditEvent } from './AuditEvent.ts';
import * as deliveries from './mongoDeliveries.ts';
import { MongoMarkets } from './mongoMarkets.ts';
import * as memories from './mongoMemories.ts';
import * as sealed from './mongoSealed.ts';
import { addRecords, deleteRecords, importRecords, isDuplicate, listRecords, type RecordDocument } from './mongoRecords.ts';
import {
  ACCOUNTS,
  AUDIT_LOG,
  DELIVERIES,
  INSTALLATION,
  SEALED_FORECASTS,
  SERIES_MEMORY,
  TRACK_RECORD,
  toAccount,
  toAccountDocument,
  toEvent,
  toEventDocument,
  type AccountDocument,
  type EventDocument,
} from './mongoSchema.ts';

/** Maximum number of attempts of a change that conflicts with other writes. */
const MAX_TRIES = 100;

/**
 * Stores accounts in a MongoDB database that is open and migrated; owns the client. It uses no transactions, because a single server has
 * none. A change is a compare-and-set on one document; its event is written first, and deleted if the change did not happen.
 */
export class MongoStore implements AccountStore {
  readonly #client: MongoClient;
  readonly #accounts: Collection<AccountDocument>;
  readonly #events: Collection<EventDocument>;
  readonly #records: Collection<RecordDocument>;
  readonly #deliveries: Collection<deliveries.DeliveryDocument>;
  readonly #memories: Collection<memories.MemoryDocument>;
  readonly #sealed: Collection<sealed.SealedDocument>;
  readonly #markets: MongoMarkets;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #answerMs: number;
  readonly #mostRecords: number;
  /** By account: the last change of this process, pending or in flight. */
  readonly #pending = new Map<string, Promise<unknown>>();
  #isOpen = true;

  /** `answerMs`: maximum duration of any method, whatever the server does. `mostRecords`: rows of the track record of an account. */
  constructor(client: MongoClient, db: Db, { clock, answerMs, mostRecords }: { clock: Clock; answerMs: number; mostRecords: number }) {
    this.#client = client;
    this.#db = db;
    this.#clock = clock;
    this.#answerMs = answerMs;
    this.#mostRecords = mostRecords;
    this.#accounts = db.collection<AccountDocument>(ACCOUNTS);
    this.#events = db.collection<EventDocument>(AUDIT_LOG);
    this.#records = db.collection<RecordDocument>(TRACK_RECORD);
    this.#deliveries = db.collection<deliveries.DeliveryDocument>(DELIVERIES);
    this.#memories = db.collection<memories.MemoryDocument>(SERIES_MEMORY);
    this.#sealed = db.collection<sealed.SealedDocument>(SEALED_FORECASTS);
    this.#markets = new MongoMarkets(db, this.#accounts);
  }

  createAccount(account: Account, event?: AuditEvent): Promise<'created' | 'email_taken'> {
    return this.#answer(async () => {
      const holderOf = (): Promise<Pick<AccountDocument, 'id'> | null> =>
        this.#accounts.findOne({ _id: account.emailKey }, { projection: { id: 1 } });
      // Reports most duplicate sign-ups before anything is written.
      if ((await holderOf()) !== null) return 'email_taken';
      return this.#withEvent(event, async () => {
        try {
          await this.#accounts.insertOne(toAccountDocument(account, 0));
          return { result: 'created' as const, isDone: true };
        } catch (error) {
          if (!isDuplicate(error)) throw error;
          // The driver repeats a write whose acknowledgement was lost: then the existing account is this one.
          const isOurs = (await holderOf())?.id === account.id;
          return { result: isOurs ? ('created' as const) : ('email_taken' as const), isDone: isOurs };
        }
      });
    });
  }

  findAccount(id: string): Promise<Account | undefined> {
    return this.#find({ id });
  }

  findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    return this.#find({ _id: emailKey });
  }

  findAccountByDigest(digest: string): Promise<Account | undefined> {
    return this.#find({ 'keys.digest': digest }, { projection: { 'keys.use': 0 } });
  }

  findAccountByKeyId(keyId: string): Promise<Account | undefined> {
    return this.#find({ 'keys.id': keyId });
  }

  listAccounts({ limit, after, companyId }: AccountPage): Promise<readonly Account[]> {
    const filter: Filter<AccountDocument> = {
      ...(after === undefined ? {} : { _id: { $gt: after } }),
      ...(companyId === undefined ? {} : { companyId }),
    };
    return this.#answer(async () => (await this.#accounts.find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toAccount));
  }

  countAccounts(): Promise<number> {
    return this.#answer(() => this.#accounts.estimatedDocumentCount());
  }

  changeAccount(id: string, change: (account: Account) => AccountChange | undefined): Promise<Account | undefined> {
    const tryUntilWritten = async (): Promise<Account | undefined> => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const before = await this.#accounts.findOne({ id });
        if (before === null) return undefined;
        const account = toAccount(before);
        const changed = change(account);
        if (changed === undefined) return account;
        const after = toAccountDocument(changed.account, before.version + 1);
        const isWritten = await this.#withEvent(changed.event, async () => {
          const { matchedCount } = await this.#accounts.replaceOne({ _id: before._id, version: before.version }, after);
          return { result: matchedCount === 1, isDone: matchedCount === 1 };
        });
        if (isWritten) return toAccount(after);
      }
      throw new Error(`The account was changed concurrently ${MAX_TRIES} times in a row.`);
    };
    return this.#answer(() => this.#serially(id, tryUntilWritten));
  }

  deleteAccount(id: string, event: AuditEvent): Promise<boolean> {
    return this.#answer(() =>
      this.#withEvent(event, async () => {
        // First, so that no record stays if this process ends before the account is deleted.
        await this.#deleteRest(id);
        const { deletedCount } = await this.#accounts.deleteOne({ id });
        // Again: another process may have added some meanwhile.
        await this.#deleteRest(id);
        return { result: deletedCount === 1, isDone: deletedCount === 1 };
      }),
    );
  }

  appendEvent(event: AuditEvent): Promise<void> {
    return this.#answer(() => this.#keepEvent(event));
  }

  listEvents({ limit, accountId, sinceMs = 0, after }: EventQuery): Promise<readonly AuditEvent[]> {
    const filter: Filter<EventDocument> = {
      ...(accountId === undefined ? {} : { accountId }),
      atMs: { $gte: sinceMs },
      ...(after === undefined ? {} : { $or: [{ atMs: { $lt: after.atMs } }, { atMs: after.atMs, _id: { $gt: after.id } }] }),
    };
    return this.#answer(async () => (await this.#events.find(filter).sort({ atMs: -1, _id: 1 }).limit(limit).toArray()).map(toEvent));
  }

  pruneEvents(beforeMs: number): Promise<number> {
    return this.#answer(async () => (await this.#events.deleteMany({ atMs: { $lt: beforeMs } })).deletedCount);
  }

  addRecords(rows: readonly RecordRow[], batch: string): Promise<void> {
    return this.#answer(() => this.#keepOf(rows, () => addRecords(this.#records, rows, batch, this.#mostRecords)));
  }

  importRecords(rows: readonly RecordRow[]): Promise<void> {
    return this.#answer(() => this.#keepOf(rows, () => importRecords(this.#records, rows)));
  }

  listRecords(page: RecordPage): Promise<readonly RecordRow[]> {
    return this.#answer(() => listRecords(this.#records, page));
  }

  pruneRecords(beforeDay: string): Promise<number> {
    return this.#answer(async () => {
      const blocks = await this.#sealed.deleteMany({ atMs: { $lt: Date.parse(beforeDay) } });
      return blocks.deletedCount + (await this.#records.deleteMany({ day: { $lt: beforeDay } })).deletedCount;
    });
  }

  sealKey(candidate?: string): Promise<string | undefined> {
    return this.#answer(() => sealed.sealKey(this.#db.collection(INSTALLATION), candidate));
  }

  lastSealed(accountId: string): Promise<SealedBlock | undefined> {
    return this.#answer(() => sealed.lastSealed(this.#sealed, accountId));
  }

  listSealed(page: SealedPage): Promise<readonly SealedBlock[]> {
    return this.#answer(() => sealed.listSealed(this.#sealed, page));
  }

  addSealed(blocks: readonly SealedBlock[]): Promise<readonly boolean[]> {
    return this.#answer(async () => {
      let added: readonly boolean[] = [];
      await this.#keepOf(blocks, async () => void (added = await sealed.addSealed(this.#sealed, blocks)));
      return added;
    });
  }

  trimSealed(accountId: string, mostLines: number): Promise<void> {
    return this.#answer(() => sealed.trimSealed(this.#sealed, accountId, mostLines));
  }

  readMemory(key: MemoryKey, known = 0): Promise<StoredMemory | 'unchanged' | undefined> {
    return this.#answer(() => memories.readMemory(this.#memories, key, known));
  }

  writeMemory(row: MemoryRow, before: number, atMs: number): Promise<WriteResult> {
    return this.#answer(async () => {
      const write = (): Promise<WriteResult> => memories.writeMemory(this.#memories, row, before, atMs);
      if (before > 0) return write();
      let isWritten: WriteResult = false;
      await this.#keepOf([row], async () => void (isWritten = await write()));
      return isWritten;
    });
  }

  listMemories(accountId: string): Promise<readonly MemoryRow[]> {
    return this.#answer(() => memories.listMemories(this.#memories, accountId));
  }

  importMemories(rows: readonly MemoryRow[], atMs: number): Promise<void> {
    return this.#answer(() =>
      this.#keepOf(rows, async () => {
        for (const row of rows) await memories.writeMemory(this.#memories, row, 0, atMs);
      }),
    );
  }

  listMarkets(): Promise<readonly AccountMarkets[]> {
    return this.#answer(() => this.#markets.list());
  }

  marketStates(accountId: string): Promise<ReadonlyMap<string, MarketState>> {
    return this.#answer(() => this.#markets.states(accountId));
  }

  marketForecasts(key: MarketKey, after: number, limit: number): Promise<readonly MarketForecast[]> {
    return this.#answer(() => this.#markets.forecasts(key, after, limit));
  }

  pendingForecasts(key: MarketKey): ReturnType<MarketStore['pendingForecasts']> {
    return this.#answer(() => this.#markets.pending(key));
  }

  dropMarket(key: MarketKey): Promise<void> {
    return this.#answer(() => this.#markets.drop(key));
  }

  leases(): Promise<readonly Lease[]> {
    return this.#answer(() => this.#markets.leases());
  }

  claimFeed(feed: string, owner: string, seen: Lease | undefined): Promise<Lease | undefined> {
    return this.#answer(() => this.#markets.claim(feed, owner, seen));
  }

  beatFeeds(owner: string): Promise<void> {
    return this.#answer(() => this.#markets.beat(owner));
  }

  releaseFeeds(released: readonly Pick<Lease, 'feed' | 'owner'>[]): Promise<void> {
    return this.#answer(() => this.#markets.release(released));
  }

  commitFeeds(commit: FeedCommit): Promise<readonly string[]> {
    return this.#answer(async () => {
      const { lost, written } = await this.#markets.commit(commit);
      await this.#keepOf(written, async () => {});
      return lost;
    });
  }

  feedLog(name: string): ReturnType<MarketStore['feedLog']> {
    return this.#answer(() => this.#markets.log(name));
  }

  addDeliveries(added: readonly Delivery[]): Promise<void> {
    return this.#answer(() => this.#keepOf(added, () => deliveries.addDeliveries(this.#deliveries, added)));
  }

  claimDeliveries(claim: Claim): Promise<readonly Delivery[]> {
    return this.#answer(() => deliveries.claimDeliveries(this.#deliveries, claim));
  }

  settleDeliveries(settled: readonly Settled[]): Promise<void> {
    return this.#answer(() => deliveries.settleDeliveries(this.#deliveries, settled));
  }

  postponeDeliveries(ids: readonly string[], nextAtMs: number): Promise<void> {
    return this.#answer(() => deliveries.postponeDeliveries(this.#deliveries, ids, nextAtMs));
  }

  listFailed(webhookId: string): Promise<readonly Delivery[]> {
    return this.#answer(() => deliveries.listFailed(this.#deliveries, webhookId));
  }

  dropDeliveries(webhookId: string): Promise<void> {
    return this.#answer(async () => void (await this.#deliveries.deleteMany({ webhookId })));
  }

  ping(): Promise<void> {
    return this.#answer(async () => void (await this.#db.command({ ping: 1 })));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#client.close();
  }

  /** Runs changes of one account one after another in this process, so that conflicts come only from other processes. */
  async #serially<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#pending.get(id) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    this.#pending.set(id, settled);
    try {
      return await mine;
    } finally {
      if (this.#pending.get(id) === settled) this.#pending.delete(id);
    }
  }

  #find(filter: Filter<AccountDocument>, options: FindOptions = {}): Promise<Account | undefined> {
    return this.#answer(async () => {
      const found = await this.#accounts.findOne(filter, options);
      return found === null ? undefined : toAccount(found);
    });
  }

  async #keepEvent(event: AuditEvent): Promise<void> {
    try {
      await this.#events.insertOne(toEventDocument(event));
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  /** The accounts are looked up after the write: whichever of a write and a deletion comes last, the rows of a deleted account go. */
  async #keepOf(rows: readonly { readonly accountId: string }[], write: () => Promise<void>): Promise<void> {
    if (rows.length === 0) return;
    await write();
    const ids = [...new Set(rows.map(({ accountId }) => accountId))];
    const found = await this.#accounts
      .find({ id: { $in: ids } }, { projection: { id: 1 } })
      .map(({ id }) => id)
      .toArray();
    for (const id of ids) if (!found.includes(id)) await this.#deleteRest(id);
  }

  /** All that an account has in other collections, except its events. */
  async #deleteRest(accountId: string): Promise<void> {
    await deleteRecords(this.#records, accountId);
    await this.#sealed.deleteMany(sealed.ofAccount(accountId));
    await this.#deliveries.deleteMany({ accountId });
    await memories.deleteMemories(this.#memories, accountId);
    await this.#markets.drop({ accountId });
  }

  /** After a failure, the change may have been made nevertheless: then its event stays. */
  async #withEvent<T>(event: AuditEvent | undefined, change: () => Promise<{ result: T; isDone: boolean }>): Promise<T> {
    if (event !== undefined) await this.#keepEvent(event);
    const { result, isDone } = await change();
    if (event !== undefined && !isDone) await this.#events.deleteOne({ _id: event.id });
    return result;
  }

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    let cancel = (): void => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(this.#answerMs, () => reject(new Error(`No answer within ${this.#answerMs} ms.`)));
    });
    try {
      if (!this.#isOpen) throw new Error('The store is closed.');
      const answer = work();
      // A result after the deadline is ignored.
      answer.catch(() => {});
      return await Promise.race([answer, late]);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
    } finally {
      cancel();
    }
  }
}
