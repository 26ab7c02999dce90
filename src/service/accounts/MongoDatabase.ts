import {
  MongoServerError,
  type Collection,
  type Db,
  type Document,
  type Filter,
  type MongoClient,
  type OptionalUnlessRequiredId,
} from 'mongodb';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { within } from '../../core/within.ts';
import { type AccountDocument, ACCOUNTS, DELIVERIES, SEALED_FORECASTS, SERIES_MEMORY, TRACK_RECORD } from './mongoSchema.ts';

/** Error code for a duplicate value of a unique key. Check only the code: `keyPattern` is not always sent. */
export const DUPLICATE = 11000;

export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE;
}

/** Whether a document was inserted; false: another one has its `_id`, or a unique key of it. */
export async function insertNew<T extends Document>(collection: Collection<T>, document: OptionalUnlessRequiredId<T>): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return false;
  }
}

/** Of documents whose `_id` begins with their account, and a blank, which no part contains. Blank and exclamation mark are neighbours. */
export const ofAccount = (accountId: string) => ({ _id: { $gte: `${accountId} `, $lt: `${accountId}!` } });

/** All that an account has in other collections, except its events. */
const OWNED: readonly (readonly [collection: string, of: (accountId: string) => Document])[] = [
  ...[TRACK_RECORD, SEALED_FORECASTS, SERIES_MEMORY].map((name) => [name, ofAccount] as const),
  ...[DELIVERIES, 'market_states', 'market_forecasts'].map((name) => [name, (accountId: string) => ({ accountId })] as const),
];

/** A MongoDB database that is open and migrated; owns the client. It uses no transactions, because a single server has none. */
export class MongoDatabase {
  readonly db: Db;
  readonly #client: MongoClient;
  readonly #clock: Clock;
  readonly #answerMs: number;
  #isOpen = true;

  /** `answerMs`: maximum duration of any call, whatever the server does. */
  constructor(client: MongoClient, db: Db, { clock, answerMs }: { clock: Clock; answerMs: number }) {
    this.#client = client;
    this.db = db;
    this.#clock = clock;
    this.#answerMs = answerMs;
  }

  /** The same calls, within the time, and with ServiceErrors only. */
  answering<Parts extends object>(parts: Parts): Parts {
    const calls = Object.entries(parts as Record<string, (...args: unknown[]) => Promise<unknown>>);
    return Object.fromEntries(calls.map(([name, call]) => [name, (...args: unknown[]) => this.#answer(() => call(...args))])) as Parts;
  }

  /** The accounts are looked up after the write: whichever of a write and a deletion comes last, the rows of a deleted account go. */
  readonly keepOf = async <T>(rows: readonly { readonly accountId: string }[], write: () => Promise<T>): Promise<T> => {
    const written = await write();
    const ids = [...new Set(rows.map(({ accountId }) => accountId))];
    const found = this.db.collection<AccountDocument>(ACCOUNTS).find({ id: { $in: ids } }, { projection: { id: 1 } });
    const kept = ids.length === 0 ? [] : (await found.toArray()).map(({ id }) => id);
    for (const id of ids) if (!kept.includes(id)) await this.deleteOwned(id);
    return written;
  };

  readonly deleteOwned = async (accountId: string): Promise<void> => {
    for (const [name, of] of OWNED) await this.db.collection(name).deleteMany(of(accountId) as Filter<Document>);
  };

  readonly close = async (): Promise<void> => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#client.close();
  };

  async #answer<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#isOpen) throw new Error('The store is closed.');
      return await within(this.#clock, this.#answerMs, work(), () => {
        throw new Error(`No answer within ${this.#answerMs} ms.`);
      });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
    }
  }
}
