import { statSync } from 'node:fs';
import Database from 'libsql';
import { ServiceError } from '../../core/ServiceError.ts';
import { BASE_RATE_COLUMN, BINS_COLUMN, COVERAGE_COLUMN, TOUCH_COLUMN } from './sqliteRecords.ts';

/** Marks the file as an account store of tickmark: 'TKM1'. */
export const APPLICATION_ID = 0x544b4d31;

/**
 * Step i migrates schema version i to i + 1. Never change a released step: add one. A step only adds, so that the release before works on
 * (docs/adr/0048-a-release-and-the-one-before-share-a-store.md). A table that refers to accounts deletes its rows with them (ON DELETE
 * CASCADE), because programs that do not know the table delete accounts too.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE accounts (
     id TEXT NOT NULL PRIMARY KEY,
     email TEXT NOT NULL,
     email_key TEXT NOT NULL,
     company_id TEXT,
     password_hash TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX accounts_by_email_key ON accounts (email_key);
   CREATE TABLE api_keys (
     id TEXT NOT NULL PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     digest TEXT NOT NULL,
     prefix TEXT NOT NULL,
     name TEXT,
     created_at_ms INTEGER NOT NULL,
     expires_at_ms INTEGER,
     revoked_at_ms INTEGER
   ) STRICT;
   CREATE UNIQUE INDEX api_keys_by_digest ON api_keys (digest);
   CREATE INDEX api_keys_by_account ON api_keys (account_id);`,
  `ALTER TABLE accounts ADD COLUMN disabled_at_ms INTEGER;
   CREATE INDEX accounts_by_company ON accounts (company_id);
   ALTER TABLE api_keys ADD COLUMN grace_until_ms INTEGER;
   ALTER TABLE api_keys ADD COLUMN last_used_at_ms INTEGER;
   CREATE TABLE audit_log (
     id TEXT NOT NULL PRIMARY KEY,
     at_ms INTEGER NOT NULL,
     action TEXT NOT NULL,
     actor TEXT NOT NULL,
     account_id TEXT NOT NULL,
     key_id TEXT,
     request_id TEXT
   ) STRICT;
   CREATE INDEX audit_log_by_time ON audit_log (at_ms);
   CREATE INDEX audit_log_by_account ON audit_log (account_id, at_ms);
   CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`,
  `CREATE TABLE track_record (
     account_id TEXT NOT NULL REFERENCES accounts (id),
     day TEXT NOT NULL,
     series TEXT NOT NULL,
     model TEXT NOT NULL,
     bucket TEXT NOT NULL,
     own_threshold INTEGER NOT NULL,
     forecasts INTEGER NOT NULL,
     outcomes INTEGER NOT NULL,
     unscored INTEGER NOT NULL,
     marks INTEGER NOT NULL,
     hits INTEGER NOT NULL,
     moved INTEGER NOT NULL,
     brier_sum REAL NOT NULL,
     baseline_brier_sum REAL NOT NULL,
     squared_difference_sum REAL NOT NULL,
     PRIMARY KEY (account_id, day, series, model, bucket, own_threshold)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX track_record_by_day ON track_record (day);`,
  // `webhooks` is JSON: at most five, always read with the account.
  `ALTER TABLE accounts ADD COLUMN webhooks TEXT;
   CREATE TABLE deliveries (
     id TEXT NOT NULL PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
     webhook_id TEXT NOT NULL,
     type TEXT NOT NULL,
     body TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     attempts INTEGER NOT NULL,
     next_at_ms INTEGER,
     failed_at_ms INTEGER,
     error TEXT
   ) STRICT;
   CREATE INDEX deliveries_by_due ON deliveries (next_at_ms) WHERE next_at_ms IS NOT NULL;
   CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, created_at_ms);
   CREATE INDEX deliveries_by_account ON deliveries (account_id);`,
  // JSON, see BINS_COLUMN; null in rows of a program that does not know it.
  `ALTER TABLE track_record ADD COLUMN ${BINS_COLUMN} TEXT;`,
  `CREATE TABLE series_memory (
     account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
     series TEXT NOT NULL,
     bytes BLOB NOT NULL,
     revision INTEGER NOT NULL,
     written_at_ms INTEGER NOT NULL,
     PRIMARY KEY (account_id, series)
   ) STRICT;`,
  // JSON, see COVERAGE_COLUMN; null in rows of a program that does not know it.
  `ALTER TABLE track_record ADD COLUMN ${COVERAGE_COLUMN} TEXT;`,
  `ALTER TABLE track_record ADD COLUMN mark_overlap_sum REAL NOT NULL DEFAULT 0;`,
  // `use` is JSON: always read with the key, and at most two kilobytes.
  `ALTER TABLE api_keys ADD COLUMN use TEXT;`,
  // JSON, see BASE_RATE_COLUMN; null in rows of a program that does not know it.
  `ALTER TABLE track_record ADD COLUMN ${BASE_RATE_COLUMN} TEXT;`,
  `CREATE TABLE sealed_forecasts (
     account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
     first INTEGER NOT NULL,
     n INTEGER NOT NULL,
     at_ms INTEGER NOT NULL,
     previous TEXT NOT NULL,
     head TEXT NOT NULL,
     batch TEXT NOT NULL,
     lines TEXT NOT NULL,
     PRIMARY KEY (account_id, first)
   ) STRICT;
   CREATE INDEX sealed_forecasts_by_time ON sealed_forecasts (at_ms);
   CREATE TABLE installation (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;`,
  // `markets` is JSON, as webhooks.
  `ALTER TABLE accounts ADD COLUMN markets TEXT;
   CREATE INDEX accounts_with_markets ON accounts (id) WHERE markets IS NOT NULL;
   CREATE TABLE market_states (
     account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
     market TEXT NOT NULL,
     state TEXT NOT NULL,
     PRIMARY KEY (account_id, market)
   ) STRICT;
   CREATE TABLE market_forecasts (
     account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
     market TEXT NOT NULL,
     n INTEGER NOT NULL,
     change INTEGER NOT NULL,
     forecast TEXT NOT NULL,
     pending TEXT,
     PRIMARY KEY (account_id, market, n)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX market_forecasts_by_change ON market_forecasts (account_id, market, change);
   CREATE INDEX market_forecasts_pending ON market_forecasts (account_id, market, n) WHERE pending IS NOT NULL;
   CREATE TABLE feed_leases (
     feed TEXT NOT NULL PRIMARY KEY,
     owner TEXT NOT NULL,
     token INTEGER NOT NULL,
     beat INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE feed_logs (
     name TEXT NOT NULL,
     first INTEGER NOT NULL,
     bytes BLOB NOT NULL,
     PRIMARY KEY (name, first)
   ) STRICT, WITHOUT ROWID;`,
  // JSON, see TOUCH_COLUMN; null in rows of a program that does not know it.
  `ALTER TABLE track_record ADD COLUMN ${TOUCH_COLUMN} TEXT;`,
  // Null in rows of a program that does not know it, which books on the day of its clock.
  `ALTER TABLE track_record ADD COLUMN added_day TEXT;
   CREATE INDEX track_record_by_added_day ON track_record (coalesce(added_day, day));`,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** The oldest schema version whose programs work with a file of SCHEMA_VERSION: the steps after it only add. */
const OLDEST_PROGRAM = 3;

const RESTORE =
  'Stop every program that uses it, then restore the file from a backup, or move the file to another folder to start with an empty store';

type ShapeRow = { readonly table: string; readonly name: string; readonly columns: string };

/** The columns of the tables, and the indexes that make the value of one column unique, such as that no e-mail has two accounts. */
const COLUMNS =
  "SELECT t.name AS 'table', c.name, c.name AS columns FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'";
const UNIQUE = `SELECT t.name AS 'table', i.name, group_concat(c.name) AS columns
  FROM sqlite_schema t JOIN pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
  WHERE t.type = 'table' AND i."unique" = 1 AND i.partial = 0 AND i.origin = 'c' GROUP BY t.name, i.name HAVING count(*) = 1`;

/** Reads a pragma whose value is one number. */
function readPragma(database: Database.Database, name: 'application_id' | 'user_version' | 'page_size'): number {
  const [row] = database.prepare(`PRAGMA ${name}`).all() as Record<string, unknown>[];
  return Number(row?.[name]);
}

export function storeRefused(file: string, what: string, remedy: string, cause?: unknown): ServiceError {
  return new ServiceError('store.refused', `The account store ${file} ${what}. ${remedy}.`, { cause });
}

/** Whether changes wait in the write-ahead log of a file. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function checkIntegrity(database: Database.Database, file: string): void {
  let answer: unknown;
  try {
    [answer] = (database.prepare('PRAGMA quick_check(1)').all() as { quick_check: unknown }[]).map((row) => row.quick_check);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error;
    answer = (error as Error).message;
  }
  // SQLite reads zeros for the rest of a page. Pages in the log may still be missing from the file.
  const isCut = statSync(file).size % readPragma(database, 'page_size') > 0 && !hasLog(file);
  if (answer === 'ok' && isCut) answer = 'it ends in the middle of a page';
  if (answer !== 'ok') throw storeRefused(file, `is damaged (${String(answer)})`, RESTORE);
}

/** How many steps of MIGRATIONS, or of the longer list of a newer program, the file has. */
export function readAppliedSteps(database: Database.Database): number {
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'applied_steps'").all().length === 0)
    return readPragma(database, 'user_version');
  const [row] = database.prepare('SELECT steps FROM applied_steps').all() as { steps: number }[];
  return row?.steps ?? 0;
}

/**
 * Migrates the file, all steps or none. Safe if two processes start at the same time. `before` is called with the version that is found, while no
 * other process can write. Afterwards `user_version`, by which each program
 * decides whether it may open the file, names the oldest program that works with it; `applied_steps` counts the steps.
 */
export function migrateSqlite(database: Database.Database, before: (from: number) => void = () => {}): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const applied = readAppliedSteps(database);
    if (applied < SCHEMA_VERSION) before(applied);
    for (const step of MIGRATIONS.slice(applied)) database.exec(step);
    if (applied < SCHEMA_VERSION)
      database.exec(`CREATE TABLE IF NOT EXISTS applied_steps (steps INTEGER NOT NULL) STRICT;
        DELETE FROM applied_steps; INSERT INTO applied_steps VALUES (${SCHEMA_VERSION});
        PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${OLDEST_PROGRAM}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Checks that the file is intact, an account store of tickmark, and of a version that this program supports. Changes nothing. Throws ServiceError `store.refused` that says what to do.
 */
export function checkSqliteFile(database: Database.Database, file: string): void {
  checkIntegrity(database, file);
  const version = readPragma(database, 'user_version');
  const applicationId = readPragma(database, 'application_id');
  if (applicationId !== APPLICATION_ID) {
    throw storeRefused(file, 'belongs to another program', 'Set DATA_DIR to another folder, or move the file to another folder');
  }
  if (version > SCHEMA_VERSION) {
    const what = `has schema version ${version}; this tickmark supports versions up to ${SCHEMA_VERSION}`;
    throw storeRefused(file, what, 'Run the newer tickmark that created it, or restore the backup taken before the upgrade');
  }
}

/** Checks that an up-to-date file has what the steps make. Changes nothing; throws `store.refused`. */
export function checkSqliteSchema(database: Database.Database, file: string): void {
  const made = new Database(':memory:');
  made.exec(MIGRATIONS.join('\n'));
  const lacking = (sql: string): ShapeRow[] => {
    const [wanted, found] = [made, database].map((each) => each.prepare(sql).all() as ShapeRow[]) as [ShapeRow[], ShapeRow[]];
    return wanted.filter(({ table, columns }) => !found.some((row) => row.table === table && row.columns === columns));
  };
  const [columns, [index]] = [lacking(COLUMNS), lacking(UNIQUE)];
  made.close();
  const [first] = columns;
  if (first !== undefined) {
    const names = columns.filter(({ table }) => table === first.table).map(({ name }) => name);
    throw storeRefused(file, `lacks ${names.join(', ')} in table ${first.table}`, RESTORE);
  }
  if (index === undefined) return;
  const sql = `CREATE UNIQUE INDEX ${index.name} ON ${index.table} (${index.columns})`;
  throw storeRefused(file, `lacks the unique index on ${index.table}.${index.columns}`, `Restore a backup, or run in the file: ${sql}`);
}
