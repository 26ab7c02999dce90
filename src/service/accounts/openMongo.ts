import { MongoClient, type MongoClientOptions } from 'mongodb';
import { systemClock, type Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { type AccountStore, MOST_RECORDS, type StoreAccess } from './AccountStore.ts';
import { databaseOf } from './mongoAddress.ts';
import { migrateMongo } from './mongoSchema.ts';
import { mongoAccounts } from './mongoAccounts.ts';
import { MongoDatabase } from './MongoDatabase.ts';
import { mongoDeliveries } from './mongoDeliveries.ts';
import { mongoMarkets } from './mongoMarkets.ts';
import { mongoMemories } from './mongoMemories.ts';
import { mongoRecords } from './mongoRecords.ts';
import { mongoSealed } from './mongoSealed.ts';

export type MongoStoreOptions = Pick<StoreAccess, 'onMigration'> & {
  /** Maximum duration of a call, including the wait for a server and a connection. */
  readonly answerMs?: number;
  readonly poolSize?: number;
  readonly clock?: Clock;
  /** Rows of the track record that an account keeps. */
  readonly mostRecords?: number;
};

/** The store, and the open client with its database name, for limits that are also counted there. */
export type MongoConnection = { readonly store: AccountStore; readonly client: MongoClient; readonly database: string };

/**
 * How often the driver checks the server, and how old its last check must be for a failed call to make it check at once. If all
 * connections have just ended, such a check of driver 7.9 writes to a dead one and waits for ever. The second value is above the first,
 * so that the last check is that old only after the process stood still.
 */
const HEARTBEAT = { heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 1000 } as const;

/**
 * Opens the accounts in the database of the URI (default `tickmark`) and migrates its schema. Credentials, TLS and replica set come from
 * the URI. Throws ServiceError `settings.invalid`, `store.unavailable` or `store.refused`; neither message nor cause contains the URI, which may contain a
 * password.
 */
export async function openMongo(
  uri: string,
  { answerMs = 2500, poolSize = 20, clock = systemClock, mostRecords = MOST_RECORDS, onMigration }: MongoStoreOptions = {},
): Promise<MongoConnection> {
  let client: MongoClient | undefined;
  try {
    client = clientOf(uri, {
      appName: 'tickmark',
      maxPoolSize: poolSize,
      waitQueueTimeoutMS: answerMs,
      serverSelectionTimeoutMS: answerMs,
      connectTimeoutMS: answerMs,
      socketTimeoutMS: answerMs,
      ...HEARTBEAT,
      retryWrites: true,
      retryReads: true,
      // Acknowledged writes are on the disks of a majority of the members.
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: answerMs },
    });
    await client.connect();
    const database = databaseOf(uri);
    const db = client.db(database);
    await migrateMongo(db, onMigration);
    const mongo = new MongoDatabase(client, db, { clock, answerMs });
    const parts = {
      ...{ ...mongoAccounts(mongo), ...mongoRecords(mongo, mostRecords), ...mongoSealed(mongo) },
      ...{ ...mongoMemories(mongo), ...mongoMarkets(mongo), ...mongoDeliveries(mongo) },
    };
    return { store: { ...mongo.answering(parts), close: mongo.close }, client, database };
  } catch (error) {
    await client?.close().catch(() => {});
    if (error instanceof ServiceError) throw error;
    const cause = new Error(withoutSecrets(String(error), uri));
    throw new ServiceError('store.unavailable', `The MongoDB of MONGODB_URI cannot be opened: ${cause.message}`, { cause });
  }
}

function clientOf(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    const cause = new Error(withoutSecrets(String(error), uri));
    const rule = 'must be a URI of MongoDB, such as mongodb://127.0.0.1:27017/tickmark';
    throw new ServiceError('settings.invalid', `MONGODB_URI ${rule}: ${cause.message}`, { cause });
  }
}

/** The driver quotes a connection string that it cannot parse. */
function withoutSecrets(text: string, uri: string): string {
  const credentials = /^[^/]+:\/\/([^/@]+)@/.exec(uri)?.[1] ?? '';
  const password = credentials.split(':').slice(1).join(':');
  return [uri, credentials, password].filter((secret) => secret !== '').reduce((safe, secret) => safe.replaceAll(secret, '…'), text);
}
