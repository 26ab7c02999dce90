import type { SealedBlock, SealedStore } from '../live/sealedChain.ts';
import { marks, type Prepare, type SqliteDatabase } from './SqliteDatabase.ts';

const COLUMNS = ['account_id', 'first', 'n', 'at_ms', 'previous', 'head', 'batch', 'lines'] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM sealed_forecasts WHERE account_id = ?`;
const ADD = `INSERT INTO sealed_forecasts (${COLUMNS.join(', ')}) VALUES (${marks(COLUMNS)})`;

type Row = Readonly<Record<(typeof COLUMNS)[number], string & number>>;

const toBlock = ({ account_id: accountId, at_ms: atMs, ...rest }: Row): SealedBlock => ({ accountId, atMs, ...rest });

function endOf(prepare: Prepare, accountId: string): Pick<Row, 'n' | 'head'> | undefined {
  const [last] = prepare('SELECT n, head FROM sealed_forecasts WHERE account_id = ? ORDER BY first DESC LIMIT 1').all(accountId);
  return last as Pick<Row, 'n' | 'head'> | undefined;
}

function keyOf(prepare: Prepare): string | undefined {
  return (prepare("SELECT value FROM installation WHERE name = 'seal_key'").get() as { value: string } | undefined)?.value;
}

export const sqliteSealed = ({ read, write }: SqliteDatabase): SealedStore => ({
  sealKey: (candidate) => {
    if (candidate === undefined) return read(keyOf);
    return write((prepare) => {
      prepare("INSERT INTO installation (name, value) VALUES ('seal_key', ?) ON CONFLICT DO NOTHING").run(candidate);
      return keyOf(prepare);
    });
  },
  lastSealed: (accountId) =>
    read((prepare) => {
      const [row] = prepare(`${SELECT} ORDER BY first DESC LIMIT 1`).all(accountId) as Row[];
      return row && toBlock(row);
    }),
  listSealed: ({ accountId, from, limit }) =>
    read((prepare) => (prepare(`${SELECT} AND first >= ? ORDER BY first LIMIT ?`).all(accountId, from, limit) as Row[]).map(toBlock)),
  addSealed: (blocks) =>
    write((prepare) =>
      blocks.map(({ accountId, first, n, atMs, previous, head, batch, lines }) => {
        if (prepare('SELECT 1 FROM accounts WHERE id = ?').get(accountId) === undefined) return true;
        const last = endOf(prepare, accountId);
        if (last !== undefined && (last.n !== first || last.head !== previous)) return false;
        prepare(ADD).run(accountId, first, n, atMs, previous, head, batch, lines);
        return true;
      }),
    ),
  trimSealed: (accountId, mostLines) =>
    write((prepare) => {
      const last = endOf(prepare, accountId);
      const trim = 'DELETE FROM sealed_forecasts WHERE account_id = ? AND first < ? AND n < ?';
      if (last !== undefined) prepare(trim).run(accountId, last.n - mostLines, last.n);
    }),
});
