import type { Statement } from 'libsql';
import type { SealedBlock, SealedPage } from '../live/sealedChain.ts';

export const SEALED_COLUMNS = ['account_id', 'first', 'n', 'at_ms', 'previous', 'head', 'batch', 'lines'] as const;
const COLUMNS = SEALED_COLUMNS.join(', ');

const LAST = `SELECT ${COLUMNS} FROM sealed_forecasts WHERE account_id = ? ORDER BY first DESC LIMIT 1`;
const END = 'SELECT n, head FROM sealed_forecasts WHERE account_id = ? ORDER BY first DESC LIMIT 1';
const ADD = `INSERT INTO sealed_forecasts (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const LIST = `SELECT ${COLUMNS} FROM sealed_forecasts WHERE account_id = ? AND first >= ? ORDER BY first LIMIT ?`;
const TRIM = 'DELETE FROM sealed_forecasts WHERE account_id = ? AND first < ? AND n < ?';

type Row = Readonly<Record<(typeof SEALED_COLUMNS)[number], string & number>>;
type Prepare = (sql: string) => Statement;

const toBlock = ({ account_id: accountId, at_ms: atMs, ...rest }: Row): SealedBlock => ({ accountId, atMs, ...rest });

/** Inside a transaction, as are the others that write. */
export function sealKey(prepare: Prepare, candidate: string | undefined): string | undefined {
  if (candidate !== undefined)
    prepare("INSERT INTO installation (name, value) VALUES ('seal_key', ?) ON CONFLICT DO NOTHING").run(candidate);
  return (prepare("SELECT value FROM installation WHERE name = 'seal_key'").get() as { value: string } | undefined)?.value;
}

export function lastSealed(prepare: Prepare, accountId: string): SealedBlock | undefined {
  const [row] = prepare(LAST).all(accountId) as Row[];
  return row && toBlock(row);
}

export function listSealed(prepare: Prepare, { accountId, from, limit }: SealedPage): SealedBlock[] {
  return (prepare(LIST).all(accountId, from, limit) as Row[]).map(toBlock);
}

export function addSealed(prepare: Prepare, blocks: readonly SealedBlock[]): boolean[] {
  return blocks.map(({ accountId, first, n, atMs, previous, head, batch, lines }) => {
    if (prepare('SELECT 1 FROM accounts WHERE id = ?').get(accountId) === undefined) return true;
    const [last] = prepare(END).all(accountId) as Pick<Row, 'n' | 'head'>[];
    if (last !== undefined && (last.n !== first || last.head !== previous)) return false;
    prepare(ADD).run(accountId, first, n, atMs, previous, head, batch, lines);
    return true;
  });
}

export function trimSealed(prepare: Prepare, accountId: string, mostLines: number): void {
  const [last] = prepare(END).all(accountId) as Pick<Row, 'n' | 'head'>[];
  if (last !== undefined) prepare(TRIM).run(accountId, last.n - mostLines, last.n);
}
