import type { Collection, Filter, FindOptions } from 'mongodb';
import type { Account, AccountParts } from './AccountStore.ts';
import type { AuditEvent } from './AuditEvent.ts';
import { insertNew, type MongoDatabase } from './MongoDatabase.ts';
import {
  type AccountDocument,
  ACCOUNTS,
  AUDIT_LOG,
  type EventDocument,
  toAccount,
  toAccountDocument,
  toEvent,
  toEventDocument,
} from './mongoSchema.ts';

/** Maximum number of attempts of a change that conflicts with other writes. */
const MAX_TRIES = 100;

/** The audit log. */
class Events {
  readonly #events: Collection<EventDocument>;

  constructor(events: Collection<EventDocument>) {
    this.#events = events;
  }

  readonly keep = async (event: AuditEvent): Promise<void> => void (await insertNew(this.#events, toEventDocument(event)));

  /** A change with its event, which is written first, and deleted if the change did not happen. After a failure it stays: the change may have been made. */
  async with<T>(event: AuditEvent | undefined, change: () => Promise<{ result: T; isDone: boolean }>): Promise<T> {
    if (event !== undefined) await this.keep(event);
    const { result, isDone } = await change();
    if (event !== undefined && !isDone) await this.#events.deleteOne({ _id: event.id });
    return result;
  }
}

/** Runs calls of one name one after another in this process, so that conflicts come only from other processes. */
function serially(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  /** By name: the last call, pending or in flight. */
  const pending = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = pending.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => {});
    pending.set(name, settled);
    try {
      return await mine;
    } finally {
      if (pending.get(name) === settled) pending.delete(name);
    }
  };
}

/** Accounts with their keys, and the audit log. A change is a compare-and-set on one document. */
export function mongoAccounts({ db, deleteOwned }: MongoDatabase): AccountParts {
  const accounts = db.collection<AccountDocument>(ACCOUNTS);
  const log = db.collection<EventDocument>(AUDIT_LOG);
  const events = new Events(log);
  const oneByOne = serially();
  const find = async (filter: Filter<AccountDocument>, options: FindOptions = {}): Promise<Account | undefined> => {
    const found = await accounts.findOne(filter, options);
    return found === null ? undefined : toAccount(found);
  };
  return {
    createAccount: async (account, event) => {
      const holderOf = (): Promise<Pick<AccountDocument, 'id'> | null> =>
        accounts.findOne({ _id: account.emailKey }, { projection: { id: 1 } });
      // Reports most duplicate sign-ups before anything is written.
      if ((await holderOf()) !== null) return 'email_taken';
      return events.with(event, async () => {
        // The driver repeats a write whose acknowledgement was lost: then the existing account is this one.
        const isDone = (await insertNew(accounts, toAccountDocument(account, 0))) || (await holderOf())?.id === account.id;
        return { result: isDone ? ('created' as const) : ('email_taken' as const), isDone };
      });
    },
    findAccount: (id) => find({ id }),
    findAccountByEmailKey: (emailKey) => find({ _id: emailKey }),
    findAccountByDigest: (digest) => find({ 'keys.digest': digest }, { projection: { 'keys.use': 0 } }),
    findAccountByKeyId: (keyId) => find({ 'keys.id': keyId }),
    listAccounts: async ({ limit, after, companyId }) => {
      const filter: Filter<AccountDocument> = { ...(after && { _id: { $gt: after } }), ...(companyId !== undefined && { companyId }) };
      return (await accounts.find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toAccount);
    },
    countAccounts: () => accounts.estimatedDocumentCount(),
    changeAccount: (id, change) =>
      oneByOne(id, async () => {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          const before = await accounts.findOne({ id });
          if (before === null) return undefined;
          const account = toAccount(before);
          const changed = change(account);
          if (changed === undefined) return account;
          const after = toAccountDocument(changed.account, before.version + 1);
          const isWritten = await events.with(changed.event, async () => {
            const { matchedCount } = await accounts.replaceOne({ _id: before._id, version: before.version }, after);
            return { result: matchedCount === 1, isDone: matchedCount === 1 };
          });
          if (isWritten) return toAccount(after);
        }
        throw new Error(`The account was changed concurrently ${MAX_TRIES} times in a row.`);
      }),
    deleteAccount: (id, event) =>
      events.with(event, async () => {
        // First, so that no record stays if this process ends before the account is deleted.
        await deleteOwned(id);
        const { deletedCount } = await accounts.deleteOne({ id });
        // Again: another process may have added some meanwhile.
        await deleteOwned(id);
        return { result: deletedCount === 1, isDone: deletedCount === 1 };
      }),
    appendEvent: events.keep,
    listEvents: async ({ limit, accountId, sinceMs = 0, after }) => {
      const filter: Filter<EventDocument> = {
        atMs: { $gte: sinceMs },
        ...(accountId !== undefined && { accountId }),
        ...(after && { $or: [{ atMs: { $lt: after.atMs } }, { atMs: after.atMs, _id: { $gt: after.id } }] }),
      };
      return (await log.find(filter).sort({ atMs: -1, _id: 1 }).limit(limit).toArray()).map(toEvent);
    },
    pruneEvents: async (beforeMs) => (await log.deleteMany({ atMs: { $lt: beforeMs } })).deletedCount,
    ping: async () => void (await db.command({ ping: 1 })),
  };
}
