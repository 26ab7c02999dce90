import { IN_USE_MS, MOST_MEMORIES, type MemoryRow, type MemoryStore, type WriteResult } from '../live/MemoryStore.ts';
import type { Prepare, SqliteDatabase } from './SqliteDatabase.ts';

/** libSQL returns an ArrayBuffer or a Buffer. */
export type Blob = Uint8Array | ArrayBuffer;
export const bytesOf = (blob: Blob): Uint8Array => (blob instanceof Uint8Array ? blob : new Uint8Array(blob));

const REVISION = 'SELECT revision FROM series_memory WHERE account_id = ? AND series = ?';
const BYTES = 'SELECT bytes, revision FROM series_memory WHERE account_id = ? AND series = ?';
const DROP = 'DELETE FROM series_memory WHERE account_id = ? AND series = ?';
const ALL = 'SELECT series, bytes FROM series_memory WHERE account_id = ? ORDER BY series';
const UPDATE =
  'UPDATE series_memory SET bytes = ?, revision = revision + 1, written_at_ms = ? WHERE account_id = ? AND series = ? AND revision = ?';
const INSERT =
  'INSERT INTO series_memory (account_id, series, bytes, revision, written_at_ms) SELECT ?, ?, ?, 1, ? ' +
  'WHERE EXISTS (SELECT 1 FROM accounts WHERE id = ?) ON CONFLICT DO NOTHING';
const IN_USE = 'SELECT COUNT(*) AS count FROM series_memory WHERE account_id = ? AND series <> ? AND written_at_ms > ?';
const DROP_OLDEST =
  'DELETE FROM series_memory WHERE account_id = ? AND series NOT IN ' +
  '(SELECT series FROM series_memory WHERE account_id = ? ORDER BY written_at_ms DESC, series LIMIT ?)';

function write(prepare: Prepare, { accountId, series, bytes }: MemoryRow, before: number, atMs: number): WriteResult {
  if (before > 0) return prepare(UPDATE).run(Buffer.from(bytes), atMs, accountId, series, before).changes > 0;
  const [used] = prepare(IN_USE).all(accountId, series, atMs - IN_USE_MS) as { count: number }[];
  if (used!.count >= MOST_MEMORIES) return 'full';
  if (prepare(INSERT).run(accountId, series, Buffer.from(bytes), atMs, accountId).changes === 0) return false;
  prepare(DROP_OLDEST).run(accountId, accountId, MOST_MEMORIES);
  return true;
}

/** The memory of series. Each call is one statement, so it needs no transaction. */
export const sqliteMemories = ({ relaxed }: SqliteDatabase): MemoryStore => ({
  readMemory: ({ accountId, series }, known = 0) =>
    relaxed((prepare) => {
      if (known > 0) {
        const [found] = prepare(REVISION).all(accountId, series) as { revision: number }[];
        if (found === undefined) return undefined;
        if (found.revision === known) return 'unchanged';
      }
      const [row] = prepare(BYTES).all(accountId, series) as { bytes: Blob; revision: number }[];
      if (row === undefined || row.revision >= 1) return row && { bytes: bytesOf(row.bytes), revision: row.revision };
      // No write would find it: it begins again.
      prepare(DROP).run(accountId, series);
      return undefined;
    }),
  writeMemory: (row, before, atMs) => relaxed((prepare) => write(prepare, row, before, atMs)),
  listMemories: (accountId) =>
    relaxed((prepare) => {
      const rows = prepare(ALL).all(accountId) as { series: string; bytes: Blob }[];
      return rows.map(({ series, bytes }) => ({ accountId, series, bytes: bytesOf(bytes) }));
    }),
  importMemories: (rows, atMs) => relaxed((prepare) => rows.forEach((row) => write(prepare, row, 0, atMs))),
});
