import { accessSync, closeSync, constants, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import * as path from 'node:path';
import Database from 'libsql';
import { systemClock, type Clock } from '../../core/Clock.ts';
import { makeFolder } from '../../core/makeFolder.ts';
import { syncFolder } from '../../core/writeDurably.ts';
import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { type AccountStore, MOST_RECORDS, notMigrated, STORE_FILE, type StoreAccess } from './AccountStore.ts';
import { copyUnwritable } from './copyUnwritable.ts';
import {
  checkSqliteFile,
  checkSqliteSchema,
  hasLog,
  migrateSqlite,
  storeRefused,
  readAppliedSteps,
  SCHEMA_VERSION,
} from './sqliteSchema.ts';
import { isBusy, SqliteDatabase } from './SqliteDatabase.ts';
import { sqliteAccounts } from './sqliteAccounts.ts';
import { sqliteDeliveries } from './sqliteDeliveries.ts';
import { sqliteMarkets } from './sqliteMarkets.ts';
import { sqliteMemories } from './sqliteMemories.ts';
import { sqliteRecords } from './sqliteRecords.ts';
import { sqliteSealed } from './sqliteSealed.ts';

/** One page of the smallest size. */
const SMALLEST_BYTES = 512;
/** Between two tries to begin the log. */
const STEP_MS = 10;
const RESTORE_OR_START =
  'Copy the file again, or restore a backup (tickmark restore). To start without accounts, move the file and those with its name and an ending to another folder';
const SET_OR_CREATE =
  'Set DATA_DIR (or MONGODB_URI) as the service has it. tickmark serve, accounts create, accounts import and restore create a store';

export type SqliteStoreOptions = StoreAccess & {
  /** How long a call waits while another process holds the file. */
  readonly waitMs?: number;
  readonly clock?: Clock;
  /** Rows of the track record that an account keeps. */
  readonly mostRecords?: number;
};

/**
 * Creates the folder and a store without accounts that only the owner can read. SQLite creates its side files with the mode of the main file. The
 * store appears complete, so that an empty file is never one that another process is creating: a copy of it has failed.
 */
function makeFile(folder: string, isExpected: boolean): string {
  const file = path.join(folder, STORE_FILE);
  if (!existsSync(file)) {
    if (hasLog(file)) throw storeRefused(file, 'is missing, and its write-ahead log is here', RESTORE_OR_START);
    if (isExpected) throw storeRefused(file, 'is missing', SET_OR_CREATE);
    makeFolder(folder, 0o700);
    createStore(file);
  }
  const found = statSync(file);
  if (!found.isFile()) throw new Error('it is not a file');
  // SQLite would take it for an empty store.
  if (found.size < SMALLEST_BYTES)
    throw storeRefused(file, `has only ${plural(found.size, 'byte')}: a copy of it was not completed`, RESTORE_OR_START);
  // Checks access without opening: closing a descriptor would release the locks of this process on the file.
  accessSync(file, constants.R_OK | constants.W_OK);
  return file;
}

function createStore(file: string): void {
  const unfinished = `${file}.${process.pid}`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  try {
    const database = new Database(unfinished);
    try {
      migrateSqlite(database);
    } finally {
      database.close();
    }
    linkSync(unfinished, file);
    syncFolder(path.dirname(file));
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Write-ahead log with a sync at every commit: an acknowledged sign-up survives a power failure at the cost of one fsync (a rollback
 * journal needs several), and readers in other processes never wait.
 */
function prepareForUse(
  database: Database.Database,
  file: string,
  { onMigration, waitMs }: Required<Pick<SqliteStoreOptions, 'waitMs'>> & Pick<StoreAccess, 'onMigration'>,
): void {
  checkSqliteFile(database, file);
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const steps = readAppliedSteps(database);
  if (steps < SCHEMA_VERSION) {
    if (onMigration === undefined)
      throw new ServiceError('store.refused', `The account store ${file} ${notMigrated(steps, SCHEMA_VERSION)}.`);
    migrateSqlite(database, (from) => onMigration({ from, to: SCHEMA_VERSION, copy: copyStore(file, from) }));
  }
  checkSqliteSchema(database, file);
  beginLog(database, waitMs);
}

/** While another process writes to a store that has no log yet, or begins its log, SQLite refuses at once in place of waiting for it. */
function beginLog(database: Database.Database, waitMs: number): void {
  for (let waitedMs = 0; ; waitedMs += STEP_MS) {
    try {
      database.prepare('PRAGMA journal_mode = WAL').all();
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= waitMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STEP_MS);
    }
  }
}

/** Copies the store next to it, as it is now, readable for its owner only. Throws ServiceError `store.refused`: the store is unchanged then. */
function copyStore(file: string, version: number): string {
  const copy = `${file}.schema-${version}`;
  const unfinished = `${copy}.${process.pid}`;
  try {
    rmSync(unfinished, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    // A second connection: the first one keeps others from writing.
    const reader = new Database(file, { readonly: true });
    try {
      reader.prepare('VACUUM INTO ?').run(unfinished);
    } finally {
      reader.close();
    }
    const written = openSync(unfinished, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(unfinished, copy);
    syncFolder(path.dirname(copy));
    return copy;
  } catch (error) {
    rmSync(unfinished, { force: true });
    const why = `has schema version ${version} and was not migrated, because its copy ${copy} cannot be written (${(error as Error).message})`;
    throw storeRefused(file, why, 'Free disk space, then start again', error);
  }
}

/**
 * A check that the file and its write-ahead log are still those that were opened. SQLite goes on with files that were deleted, moved or
 * replaced, and everything that it writes is lost. The file never shrinks; its log does.
 */
function watchFiles(file: string): () => void {
  const identityOf = (name: string): string | undefined => {
    const found = statSync(name, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  };
  const { size } = statSync(file);
  const opened = [file, `${file}-wal`]
    .map((name) => ({ name, identity: identityOf(name) }))
    .filter(({ identity }) => identity !== undefined);
  return () => {
    for (const { name, identity } of opened) {
      const now = identityOf(name);
      const isShort = now === identity && name === file && statSync(file).size < size;
      if (now === identity && !isShort) continue;
      const what = now === undefined ? 'was deleted or moved' : isShort ? 'was cut short' : 'was replaced';
      throw new Error(
        `${name} ${what} while the service uses it. Stop the service, put the file back or restore a backup (tickmark restore), and start it again.`,
      );
    }
  };
}

/** A store on an open database, which it owns. `mostRecords`: rows of the track record that an account keeps. */
export const sqliteStore = (database: SqliteDatabase, mostRecords = MOST_RECORDS): AccountStore => ({
  ...sqliteAccounts(database),
  ...sqliteRecords(database, mostRecords),
  ...sqliteSealed(database),
  ...sqliteMemories(database),
  ...sqliteMarkets(database),
  ...sqliteDeliveries(database),
  close: database.close,
});

/**
 * Opens the account store, one SQLite file in `folder`; creates both if they do not exist and are not expected. The file is checked before it is changed. Throws
 * ServiceError `store.refused` that says what is wrong and what to do.
 */
export function openSqliteStore(folder: string, options: SqliteStoreOptions = {}): AccountStore {
  const copy = options.readsOnly === true ? copyUnwritable(path.join(folder, STORE_FILE)) : undefined;
  if (copy === undefined) return open(folder, options);
  try {
    const store = open(copy.folder, options);
    const close = store.close.bind(store);
    store.close = () => close().finally(copy.remove);
    return store;
  } catch (error) {
    copy.remove();
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError('store.refused', error.message.replaceAll(copy.folder, folder), { cause: error.cause });
  }
}

function open(
  folder: string,
  { waitMs = 2000, clock = systemClock, mostRecords = MOST_RECORDS, onMigration, isExpected = false }: SqliteStoreOptions,
): AccountStore {
  let database: Database.Database | undefined;
  try {
    const file = makeFile(folder, isExpected);
    database = new Database(file);
    database.prepare(`PRAGMA busy_timeout = ${waitMs}`).all();
    prepareForUse(database, file, { onMigration, waitMs });
    // The first read creates the log.
    database.prepare('SELECT id FROM accounts LIMIT 1').get();
    return sqliteStore(new SqliteDatabase(database, { clock, waitMs, checkFiles: watchFiles(file) }), mostRecords);
  } catch (error) {
    database?.close();
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'store.refused',
      `The account store ${path.join(folder, STORE_FILE)} cannot be opened (${reason}). Make the folder and the file readable and writable for this user, stop other programs that use them, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}
