import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Context } from 'mocha';
import { MongoClient } from 'mongodb';
import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { mongoProgram, startMongoServer, type MongoServer } from './mongoServer.ts';
import { openNamedStore, type StoreKind } from './openNamedStore.ts';

/** A new, empty location for a store. */
export type StoreLocation = {
  readonly kind: StoreKind;
  /** A folder, or the URI of a database. */
  readonly place: string;
  /** Settings of `tickmark` for this location. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything that is stored there, as text. */
  dump(): Promise<string>;
  dispose(): Promise<void>;
};

export const STORE_KINDS: readonly StoreKind[] = ['sqlite', 'mongodb'];

/** Building the test server takes a minute, or several on a slow machine. */
const BUILD_MS = 1_900_000;

let shared: Promise<string> | undefined;

/** MONGODB_URI, else one server for all tests of this run. */
function sharedMongo(): Promise<string> {
  shared ??= (async () => {
    const given = process.env['MONGODB_URI'] ?? '';
    if (given !== '') return given;
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-mongo-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return (await startMongoServer(folder)).uri;
  })();
  return shared;
}

/** Skips the test with the reason if there is no MongoDB; fails it if REQUIRE_MONGODB is set. */
async function orSkip<T>(test: Context, work: () => Promise<T>): Promise<T> {
  test.timeout(BUILD_MS);
  try {
    return await work();
  } catch (error) {
    if (process.env['REQUIRE_MONGODB'] === '1') throw error;
    process.stdout.write(`    skipped: no MongoDB available (${(error as Error).message})\n`);
    test.skip();
  }
}

let databases = 0;

/** Call it in a hook or a test, with its `this`. */
export async function makeStoreLocation(kind: StoreKind, test: Context): Promise<StoreLocation> {
  if (kind === 'sqlite') {
    const place = mkdtempSync(path.join(tmpdir(), 'tickmark-store-'));
    const { readdirSync, readFileSync } = await import('node:fs');
    return {
      kind,
      place,
      env: { DATA_DIR: place },
      dump: async () =>
        readdirSync(place)
          .filter((name) => name.startsWith('tickmark.sqlite'))
          .map((name) => readFileSync(path.join(place, name), 'latin1'))
          .join('\n'),
      dispose: async () => rmSync(place, { recursive: true, force: true }),
    };
  }
  const uri = await orSkip(test, sharedMongo);
  const name = `tickmark_test_${process.pid}_${++databases}`;
  const place = new URL(uri);
  place.pathname = `/${name}`;
  const withDatabase = async <T>(work: (client: MongoClient) => Promise<T>): Promise<T> => {
    const client = await new MongoClient(uri).connect();
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-data-'));
  return {
    kind,
    place: place.href,
    // Where all processes stand still for longer than the usual limit, a connection is not made in time.
    env: { DATA_DIR: folder, MONGODB_URI: place.href, STORE_TIMEOUT_MS: '60000' },
    dump: () =>
      withDatabase(async (client) => {
        const collections = await client.db(name).listCollections().toArray();
        const all = await Promise.all(collections.map((collection) => client.db(name).collection(collection.name).find().toArray()));
        return JSON.stringify(all);
      }),
    dispose: async () => {
      rmSync(folder, { recursive: true, force: true });
      await withDatabase((client) => client.db(name).dropDatabase());
    },
  };
}

export type StoreSuite = {
  readonly kind: StoreKind;
  /** Opens the store of the present test, as another process would; closed after the test. */
  open(options?: { mostRecords?: number }): Promise<AccountStore>;
  location(): StoreLocation;
};

/** A suite for each kind of store. Each of its tests has an empty one. */
export function describeEachStore(title: string, suite: (stores: StoreSuite) => void): void {
  for (const kind of STORE_KINDS)
    describe(`${title} in ${kind}`, () => {
      let place: StoreLocation | undefined;
      const opened: AccountStore[] = [];
      beforeEach(async function () {
        place = await makeStoreLocation(kind, this);
      });
      const open = async (options?: { mostRecords?: number }): Promise<AccountStore> => {
        const store = await openNamedStore(kind, place!.place, options);
        opened.push(store);
        return store;
      };
      suite({ kind, open, location: () => place! });
      // After what the suite ends.
      afterEach(async () => {
        for (const store of opened.splice(0)) await store.close();
        await place?.dispose();
        place = undefined;
      });
    });
}

/** A server that the test may kill. */
export async function ownMongoServer(folder: string, test: Context): Promise<MongoServer> {
  await orSkip(test, mongoProgram);
  return startMongoServer(folder);
}
