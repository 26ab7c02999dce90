import type { Database } from 'libsql';
import { ServiceError } from '../core/ServiceError.ts';
import { APPLICATION_ID, REQUIRED_COLUMNS, REQUIRED_UNIQUE_INDEXES, SCHEMA_VERSION, type UniqueIndex } from './sqliteSchema.ts';

const RESTORE =
  'Stop every program that uses it, then restore the file from a backup, or move the file to another folder to start with an empty store';

type IndexRow = { name: string; unique: number; partial: number };

/** Reads a pragma whose value is one number. */
export function readPragma(database: Database, name: 'application_id' | 'user_version'): number {
  const [row] = database.prepare(`PRAGMA ${name}`).all() as Record<string, unknown>[];
  return Number(row?.[name]);
}

function refused(file: string, what: string, remedy: string, cause?: unknown): ServiceError {
  return new ServiceError('store.refused', `The account store ${file} ${what}. ${remedy}.`, cause === undefined ? {} : { cause });
}

function names(database: Database, sql: string): string[] {
  return (database.prepare(sql).all() as { name: string }[]).map((row) => row.name);
}

function holdsUnique(database: Database, { table, column }: UniqueIndex): boolean {
  const indexes = database.prepare(`PRAGMA index_list(${table})`).all() as IndexRow[];
  return indexes.some(({ name, unique, partial }) => {
    if (unique !== 1 || partial !== 0) return false;
    const columns = names(database, `PRAGMA index_info("${name}")`);
    return columns.length === 1 && columns[0] === column;
  });
}

function checkIntegrity(database: Database, file: string): void {
  let answer: unknown;
  try {
    [answer] = (database.prepare('PRAGMA quick_check(1)').all() as { quick_check: unknown }[]).map((row) => row.quick_check);
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error;
    answer = (error as Error).message;
  }
  if (answer !== 'ok') throw refused(file, `is damaged (${String(answer)})`, RESTORE);
}

/**
 * Checks that the file is intact, an account store of tickmark, and of a version that this program supports. Changes nothing; an empty file
 * passes. Throws ServiceError `store.refused` that says what to do.
 */
export function checkSqliteFile(database: Database, file: string): void {
  checkIntegrity(database, file);
  const version = readPragma(database, 'user_version');
  const applicationId = readPragma(database, 'application_id');
  const isEmpty = names(database, 'SELECT name FROM sqlite_schema').length === 0 && version === 0 && applicationId === 0;
  if (!isEmpty && applicationId !== APPLICATION_ID) {
    throw refused(file, 'belongs to another program', 'Set DATA_DIR to another folder, or move the file to another folder');
  }
  if (version > SCHEMA_VERSION) {
    const what = `has schema version ${version}; this tickmark supports versions up to ${SCHEMA_VERSION}`;
    throw refused(file, what, 'Run the newer tickmark that created it, or restore the backup taken before the upgrade');
  }
}

/** Checks that an up-to-date file has the columns and indexes that the store needs. Changes nothing; throws `store.refused`. */
export function checkSqliteSchema(database: Database, file: string): void {
  for (const [table, columns] of Object.entries(REQUIRED_COLUMNS)) {
    const found = names(database, `PRAGMA table_info(${table})`);
    const missing = columns.filter((column) => !found.includes(column));
    if (missing.length > 0) throw refused(file, `lacks ${missing.join(', ')} in table ${table}`, RESTORE);
  }
  for (const index of REQUIRED_UNIQUE_INDEXES) {
    if (holdsUnique(database, index)) continue;
    const sql = `CREATE UNIQUE INDEX ${index.name} ON ${index.table} (${index.column})`;
    throw refused(file, `lacks the unique index on ${index.table}.${index.column}`, `Restore a backup, or run in the file: ${sql}`);
  }
}
