import { MongoClient } from 'mongodb';
import { ServiceError } from '../core/ServiceError.ts';
import type { AccountStore } from './AccountStore.ts';
import { ACCOUNTS, API_KEYS, MongoStore } from './MongoStore.ts';

export type MongoStoreOptions = {
  /** How long a call waits for a server that can answer, and for a free connection. */
  readonly waitMs?: number;
  /** How long one operation may take on the server. */
  readonly operationMs?: number;
  readonly poolSize?: number;
};

const DEFAULT_DATABASE = 'tickmark';

/**
 * Opens the accounts in the database that the URI names (default `tickmark`) and makes the indexes that are missing, one by one. Credentials, TLS and
 * replica set are the URI's. Throws ServiceError `store.unavailable`; neither its message nor its cause holds the URI, which may hold a password.
 */
export async function openMongoStore(
  uri: string,
  { waitMs = 2000, operationMs = 5000, poolSize = 20 }: MongoStoreOptions = {},
): Promise<AccountStore> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri, {
      appName: 'tickmark',
      maxPoolSize: poolSize,
      waitQueueTimeoutMS: waitMs,
      serverSelectionTimeoutMS: waitMs,
      connectTimeoutMS: waitMs,
      socketTimeoutMS: operationMs,
      retryWrites: true,
      retryReads: true,
      // What was acknowledged is on the disk of most members.
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: operationMs },
    });
    await client.connect();
    const db = client.db(databaseOf(uri));
    await db.collection(ACCOUNTS).createIndex({ id: 1 }, { name: 'account_id' });
    await db.collection(API_KEYS).createIndex({ accountId: 1 }, { name: 'key_account_id' });
    return new MongoStore(client, db);
  } catch (error) {
    await client?.close().catch(() => {});
    const cause = new Error(withoutSecrets(String(error), uri));
    throw new ServiceError('store.unavailable', `The MongoDB of MONGODB_URI cannot be opened: ${cause.message}`, { cause });
  }
}

/** The driver takes `test` where none is named, which nobody means. */
function databaseOf(uri: string): string {
  return /^[^/]+:\/\/[^/]*\/([^?/]+)/.exec(uri)?.[1] ?? DEFAULT_DATABASE;
}

/** The driver quotes a connection string that it cannot read. */
function withoutSecrets(text: string, uri: string): string {
  const credentials = /^[^/]+:\/\/([^/@]+)@/.exec(uri)?.[1] ?? '';
  const password = credentials.split(':').slice(1).join(':');
  return [uri, credentials, password].filter((secret) => secret !== '').reduce((safe, secret) => safe.replaceAll(secret, '…'), text);
}
