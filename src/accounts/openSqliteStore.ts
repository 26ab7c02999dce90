import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import * as path from 'node:path';
import Database from 'libsql';
import { systemClock, type Clock } from '../core/Clock.ts';
import { makeFolder } from '../core/makeFolder.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { type AccountStore, MOST_RECORDS } from './AccountStore.ts';
import { checkSqliteFile, checkSqliteSchema, migrateSqlite, readAppliedSteps, SCHEMA_VERSION } from './sqliteSchema.ts';
import { SqliteStore } from './SqliteStore.ts';

const FILE_NAME = 'tickmark.sqlite';

export type SqliteStoreOptions = {
  /** How long a call waits while another process holds the file. */
  readonly waitMs?: number;
  readonly clock?: Clock;
  /** Rows of the track record that an account keeps. */
  readonly mostRecords?: number;
};

/** Creates the folder and an empty file that only the owner can read. SQLite creates its side files with the mode of the main file. */
function makeFile(folder: string): string {
  const file = path.join(folder, FILE_NAME);
  makeFolder(folder, 0o700);
  // 'a' keeps a file that another process has just created.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  if (!statSync(file).isFile()) throw new Error('it is not a file');
  // Checks access without opening: closing a descriptor would release the locks of this process on the file.
  accessSync(file, constants.R_OK | constants.W_OK);
  return file;
}

/**
 * Write-ahead log with a sync at every commit: an acknowledged sign-up survives a power failure at the cost of one fsync (a rollback
 * journal needs several), and readers in other processes never wait.
 */
function prepareForUse(database: Database.Database, file: string): void {
  checkSqliteFile(database, file);
  database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  if (readAppliedSteps(database) < SCHEMA_VERSION) migrateSqlite(database);
  checkSqliteSchema(database, file);
  database.prepare('PRAGMA journal_mode = WAL').all();
}

/**
 * Opens the account store, one SQLite file in `folder`; creates both if they do not exist. The file is checked before it is changed. Throws
 * ServiceError `store.refused` that says what is wrong and what to do.
 */
export function openSqliteStore(
  folder: string,
  { waitMs = 2000, clock = systemClock, mostRecords = MOST_RECORDS }: SqliteStoreOptions = {},
): AccountStore {
  let database: Database.Database | undefined;
  try {
    const file = makeFile(folder);
    database = new Database(file);
    database.prepare(`PRAGMA busy_timeout = ${waitMs}`).all();
    prepareForUse(database, file);
    return new SqliteStore(database, { clock, waitMs, mostRecords });
  } catch (error) {
    database?.close();
    if (error instanceof ServiceError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ServiceError(
      'store.refused',
      `The account store ${path.join(folder, FILE_NAME)} cannot be opened (${reason}). Make the folder and the file readable and writable for this user, stop other programs that use them, or set DATA_DIR to another folder.`,
      { cause: error },
    );
  }
}
