import Database, { type Statement } from 'libsql';

/**
 * A second connection to the store, whose commits are not synced to the disk: that takes milliseconds of the thread that serves. What it wrote survives
 * the end of the process.
 */
export class RelaxedDatabase {
  readonly database: Database.Database;
  readonly #statements = new Map<string, Statement>();

  constructor(file: string) {
    this.database = new Database(file);
    this.database.exec('PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 0');
  }

  readonly prepared = (sql: string): Statement => {
    const kept = this.#statements.get(sql) ?? this.database.prepare(sql);
    this.#statements.set(sql, kept);
    return kept;
  };

  close(): void {
    this.database.close();
  }
}
