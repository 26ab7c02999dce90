import { MongoServerError, type Collection, type Db, type MongoClient } from 'mongodb';
import { ServiceError } from '../core/ServiceError.ts';
import type { Account, AccountStore, StoredKey } from './AccountStore.ts';

/** An account's document; `_id` is the compared form of its e-mail, which makes it unique without an index of ours. */
export type AccountDocument = {
  readonly _id: string;
  readonly id: string;
  readonly email: string;
  readonly companyId: string | null;
  readonly passwordHash: string;
  readonly createdAtMs: number;
};
/** A key's document; `_id` is its digest. It counts only where its account is there. */
export type KeyDocument = Omit<StoredKey, 'digest'> & { readonly _id: string };

/** A value that is there already under a unique key: the only code to look at, `keyPattern` is not always sent. */
const DUPLICATE = 11000;

export const ACCOUNTS = 'accounts';
export const API_KEYS = 'api_keys';

function toAccount({ _id, ...account }: AccountDocument): Account {
  return { ...account, emailKey: _id };
}

function toKey({ _id, ...key }: KeyDocument): StoredKey {
  return { ...key, digest: _id };
}

/**
 * The accounts in a MongoDB database, opened and migrated; owns the client from then on. No transactions: a single server has none. The key is
 * written first and counts only with its account, whose insertion decides; a crash between both leaves a key that opens nothing.
 */
export class MongoStore implements AccountStore {
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #accounts: Collection<AccountDocument>;
  readonly #keys: Collection<KeyDocument>;
  #isOpen = true;

  constructor(client: MongoClient, db: Db) {
    this.#client = client;
    this.#db = db;
    this.#accounts = db.collection<AccountDocument>(ACCOUNTS);
    this.#keys = db.collection<KeyDocument>(API_KEYS);
  }

  createAccount({ emailKey, ...account }: Account, { digest, ...key }: StoredKey): Promise<'created' | 'email_taken'> {
    return this.#answer(async () => {
      // Most who come twice are told so before anything is written.
      if ((await this.#accounts.findOne({ _id: emailKey }, { projection: { _id: 1 } })) !== null) return 'email_taken';
      await this.#keys.insertOne({ _id: digest, ...key });
      try {
        await this.#accounts.insertOne({ _id: emailKey, ...account });
        return 'created';
      } catch (error) {
        // After any other failure the account may be there all the same: then it keeps its key.
        if (!(error instanceof MongoServerError) || error.code !== DUPLICATE) throw error;
        await this.#keys.deleteOne({ _id: digest });
        return 'email_taken';
      }
    });
  }

  findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    return this.#answer(async () => {
      const found = await this.#accounts.findOne({ _id: emailKey });
      return found === null ? undefined : toAccount(found);
    });
  }

  findAccount(id: string): Promise<Account | undefined> {
    return this.#answer(async () => {
      const found = await this.#accounts.findOne({ id });
      return found === null ? undefined : toAccount(found);
    });
  }

  findKeyByDigest(digest: string): Promise<StoredKey | undefined> {
    return this.#answer(async () => {
      const found = await this.#keys.findOne({ _id: digest });
      return found === null ? undefined : toKey(found);
    });
  }

  ping(): Promise<void> {
    return this.#answer(async () => void (await this.#db.command({ ping: 1 })));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#client.close();
  }

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#isOpen) throw new Error('The store is closed.');
      return await work();
    } catch (error) {
      throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
    }
  }
}
