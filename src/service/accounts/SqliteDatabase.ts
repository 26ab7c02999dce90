import Database, { type Statement } from 'libsql';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';

/** Prepares a statement, or returns the one that was prepared before. */
export type Prepare = (sql: string) => Statement;
type Work<T> = (prepare: Prepare) => T;

/** Delay before a write retries while another process is writing the file. */
const RETRY_MS = 5;

/** Another process holds the file. */
export function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');
}

/** Places for values, one for each column. */
export const marks = (columns: readonly string[]): string => columns.map(() => '?').join(', ');

class Connection {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database.Database) {
    this.database = database;
  }

  readonly prepare: Prepare = (sql) => {
    const kept = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, kept);
    return kept;
  };

  /** Atomic: all of `work` or nothing. */
  transact<T>(work: Work<T>): T {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const result = work(this.prepare);
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** The calls of a store on a SQLite database that is open, checked and migrated; owns the database. All throw only ServiceErrors. */
export class SqliteDatabase {
  readonly #synced: Connection;
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #checkFiles: () => void;
  #relaxed: Connection | undefined;
  #isOpen = true;

  /**
   * `waitMs`: how long a call waits for another process, without blocking the thread. `checkFiles` throws if the files are no longer those that were
   * opened: what is written to deleted files is lost.
   */
  constructor(
    database: Database.Database,
    { clock, waitMs, checkFiles = () => {} }: { clock: Clock; waitMs: number; checkFiles?: () => void },
  ) {
    this.#synced = new Connection(database);
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#checkFiles = checkFiles;
    // Overwrites deleted content in the file.
    database.prepare('PRAGMA secure_delete = ON').all();
    // The store waits without blocking the thread instead.
    database.prepare('PRAGMA busy_timeout = 0').all();
  }

  readonly read = <T>(work: Work<T>): Promise<T> =>
    this.#retry(() => {
      this.#checkFiles();
      return work(this.#synced.prepare);
    });

  /** Atomic, and on the disk. */
  readonly write = <T>(work: Work<T>): Promise<T> => this.read(() => this.#synced.transact(work));

  /** One statement, or several that need no transaction, on the connection whose commits are not synced. */
  readonly relaxed = <T>(work: Work<T>): Promise<T> => this.#retry(() => work(this.#second().prepare));

  readonly writeRelaxed = <T>(work: Work<T>): Promise<T> => this.#retry(() => this.#second().transact(work));

  /** Writes the write-ahead log back into the file. Old pages of the log still contain content that was deleted since. */
  readonly emptyLog = (): void => {
    try {
      this.#synced.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch {
      // Nothing is lost: another process is reading the log, and the next opening reads it too.
    }
  };

  readonly close = async (): Promise<void> => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#relaxed?.database.close();
    // Moves everything into the one file, which can then be copied alone.
    this.emptyLog();
    this.#synced.database.close();
  };

  /**
   * A second connection, whose commits are not synced to the disk: that takes milliseconds of the thread that serves. What it wrote survives the end of
   * the process. Opened by the first call: most commands never need it.
   */
  #second(): Connection {
    if (this.#relaxed !== undefined) return this.#relaxed;
    this.#checkFiles();
    const [{ file } = { file: '' }] = this.#synced.database.prepare('PRAGMA database_list').all() as { file: string }[];
    const database = new Database(file);
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0');
    return (this.#relaxed = new Connection(database));
  }

  /**
   * Runs `work` and retries while another process holds the file. The busy handler of SQLite would block the thread, and with it every
   * forecast.
   */
  async #retry<T>(work: () => T): Promise<T> {
    const endMs = this.#clock.monotonicMs() + this.#waitMs;
    for (;;) {
      try {
        if (!this.#isOpen) throw new Error('The store is closed.');
        return work();
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        if (!isBusy(error) || this.#clock.monotonicMs() >= endMs)
          throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
      }
      await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve, true));
    }
  }
}
