import { MongoClient } from 'mongodb';
import { systemClock, type Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { migrateMongo } from './migrateMongo.ts';
import { MongoStore } from './MongoStore.ts';

export type MongoStoreOptions = {
  /** How long a call may take, waiting for a server and for a connection included. */
  readonly answerMs?: number;
  readonly poolSize?: number;
  readonly clock?: Clock;
};

/** The store, and the open client with the name of its database, for limits that are counted there too. */
export type OpenMongo = { readonly store: MongoStore; readonly client: MongoClient; readonly database: string };

const DEFAULT_DATABASE = 'tickmark';

/**
 * Opens the accounts in the database that the URI names (default `tickmark`) and brings its schema up to date. Credentials, TLS and replica set are
 * the URI's. Throws ServiceError `store.unavailable` or `store.refused`; neither message nor cause holds the URI, which may hold a password.
 */
export async function openMongo(
  uri: string,
  { answerMs = 2500, poolSize = 20, clock = systemClock }: MongoStoreOptions = {},
): Promise<OpenMongo> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(uri, {
      appName: 'tickmark',
      maxPoolSize: poolSize,
      waitQueueTimeoutMS: answerMs,
      serverSelectionTimeoutMS: answerMs,
      connectTimeoutMS: answerMs,
      socketTimeoutMS: answerMs,
      retryWrites: true,
      retryReads: true,
      // What was acknowledged is on the disk of most members.
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: answerMs },
    });
    await client.connect();
    const database = databaseOf(uri);
    const db = client.db(database);
    await migrateMongo(db);
    return { store: new MongoStore(client, db, { clock, answerMs }), client, database };
  } catch (error) {
    await client?.close().catch(() => {});
    if (error instanceof ServiceError) throw error;
    const cause = new Error(withoutSecrets(String(error), uri));
    throw new ServiceError('store.unavailable', `The MongoDB of MONGODB_URI cannot be opened: ${cause.message}`, { cause });
  }
}

/** The database that a URI names. The driver takes `test` where none is named, which nobody means. */
export function databaseOf(uri: string): string {
  return /^[^/]+:\/\/[^/]*\/([^?/]+)/.exec(uri)?.[1] ?? DEFAULT_DATABASE;
}

/** The driver quotes a connection string that it cannot read. */
function withoutSecrets(text: string, uri: string): string {
  const credentials = /^[^/]+:\/\/([^/@]+)@/.exec(uri)?.[1] ?? '';
  const password = credentials.split(':').slice(1).join(':');
  return [uri, credentials, password].filter((secret) => secret !== '').reduce((safe, secret) => safe.replaceAll(secret, '…'), text);
}
