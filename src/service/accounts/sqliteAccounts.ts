import type { Account, AccountParts, StoredKey } from './AccountStore.ts';
import type { AuditEvent } from './AuditEvent.ts';
import { marks, type Prepare, type SqliteDatabase } from './SqliteDatabase.ts';
import { checkedAccount, checkedEvent, parseColumn } from './storedRows.ts';

/** Fields by column, and columns with the JSON of a field of their name; null: it is absent or empty. */
type Table = { readonly fields: Readonly<Record<string, string>>; readonly json: readonly string[] };
type Row = Readonly<Record<string, unknown>>;

const ACCOUNTS = {
  fields: {
    ...{ id: 'id', email: 'email', email_key: 'emailKey', company_id: 'companyId', password_hash: 'passwordHash' },
    ...{ created_at_ms: 'createdAtMs', disabled_at_ms: 'disabledAtMs' },
  } satisfies Record<string, keyof Account>,
  json: ['webhooks', 'markets'] satisfies (keyof Account)[],
};
const KEYS = {
  fields: {
    ...{ id: 'id', digest: 'digest', prefix: 'prefix', name: 'name', created_at_ms: 'createdAtMs', expires_at_ms: 'expiresAtMs' },
    ...{ revoked_at_ms: 'revokedAtMs', grace_until_ms: 'graceUntilMs', last_used_at_ms: 'lastUsedAtMs' },
  } satisfies Record<string, keyof StoredKey>,
  json: ['use'] satisfies (keyof StoredKey)[],
};
const EVENTS = {
  fields: {
    ...{ id: 'id', at_ms: 'atMs', action: 'action', actor: 'actor', account_id: 'accountId', key_id: 'keyId', request_id: 'requestId' },
  } satisfies Record<string, keyof AuditEvent>,
  json: [],
};

const columnsOf = ({ fields, json }: Table): string[] => [...Object.keys(fields), ...json];

function valuesOf({ fields, json }: Table, value: object): unknown[] {
  const all = value as Row;
  const texts = json.map((name) => (all[name] === undefined || (all[name] as unknown[]).length === 0 ? null : JSON.stringify(all[name])));
  return [...Object.values(fields).map((field) => all[field]), ...texts];
}

function objectOf({ fields, json }: Table, row: Row, what: string): object {
  const own = Object.entries(fields).map(([column, field]) => [field, row[column]]);
  const lists = json.flatMap((name) =>
    typeof row[name] === 'string' ? [[name, parseColumn(`${what} ${String(row['id'])}`, name, row[name])]] : [],
  );
  return Object.fromEntries([...own, ...lists]) as object;
}

function insert(table: string, columns: readonly string[], onConflict: string): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks(columns)}) ${onConflict}`;
}

/** Every column except the first one, which identifies the row. */
const [, ...KEY_UPDATES] = columnsOf(KEYS).map((column) => `${column} = excluded.${column}`);

function putKey(prepare: Prepare, accountId: string, key: StoredKey, mayExist: boolean): void {
  const onConflict = mayExist ? `ON CONFLICT (id) DO UPDATE SET ${KEY_UPDATES.join(', ')}` : '';
  prepare(insert('api_keys', [...columnsOf(KEYS), 'account_id'], onConflict)).run(...valuesOf(KEYS, key), accountId);
}

function putEvent(prepare: Prepare, event: AuditEvent | undefined): void {
  if (event !== undefined) prepare(insert('audit_log', columnsOf(EVENTS), 'ON CONFLICT (id) DO NOTHING')).run(...valuesOf(EVENTS, event));
}

/** The accounts of a condition, with their keys. */
function accountsOf(prepare: Prepare, condition: string, values: readonly unknown[], keyColumns = columnsOf(KEYS)): Account[] {
  const keys = prepare(`SELECT ${keyColumns.join(', ')} FROM api_keys WHERE account_id = ? ORDER BY rowid`);
  const rows = prepare(`SELECT ${columnsOf(ACCOUNTS).join(', ')} FROM accounts WHERE ${condition}`).all(...values) as Row[];
  return rows.map((row) => {
    const ofAccount = (keys.all(row['id']) as Row[]).map((key) => objectOf(KEYS, key, 'key'));
    return checkedAccount({ ...(objectOf(ACCOUNTS, row, 'account') as Account), keys: ofAccount as StoredKey[] });
  });
}

/** What an account has in tables of its own, except its events. */
const OWNED = ['api_keys', 'track_record', 'sealed_forecasts', 'deliveries', 'series_memory', 'market_states', 'market_forecasts'];

/** Accounts with their keys, and the audit log. */
export function sqliteAccounts({ read, write, emptyLog }: SqliteDatabase): AccountParts {
  const find = (condition: string, value: string, keyColumns?: string[]): Promise<Account | undefined> =>
    read((prepare) => accountsOf(prepare, condition, [value], keyColumns)[0]);
  return {
    createAccount: (account, event) =>
      write((prepare) => {
        // A taken e-mail is the only expected conflict; any other violated constraint throws.
        const added = prepare(insert('accounts', columnsOf(ACCOUNTS), 'ON CONFLICT (email_key) DO NOTHING'));
        if (added.run(...valuesOf(ACCOUNTS, account)).changes === 0) return 'email_taken';
        for (const key of account.keys) putKey(prepare, account.id, key, false);
        putEvent(prepare, event);
        return 'created';
      }),
    findAccount: (id) => find('id = ?', id),
    findAccountByEmailKey: (emailKey) => find('email_key = ?', emailKey),
    findAccountByDigest: (digest) => find('id = (SELECT account_id FROM api_keys WHERE digest = ?)', digest, Object.keys(KEYS.fields)),
    findAccountByKeyId: (keyId) => find('id = (SELECT account_id FROM api_keys WHERE id = ?)', keyId),
    listAccounts: ({ limit, after = '', companyId }) => {
      const ofCompany = companyId === undefined ? [] : [companyId];
      const condition = `email_key > ? ${companyId === undefined ? '' : 'AND company_id = ?'} ORDER BY email_key LIMIT ?`;
      return read((prepare) => accountsOf(prepare, condition, [after, ...ofCompany, limit]));
    },
    countAccounts: () => read((prepare) => (prepare('SELECT count(*) AS accounts FROM accounts').get() as { accounts: number }).accounts),
    changeAccount: (id, change) =>
      write((prepare) => {
        const [before] = accountsOf(prepare, 'id = ?', [id]);
        const changed = before && change(before);
        if (changed === undefined) return before;
        const { account, event } = changed;
        const [, , , ...changing] = columnsOf(ACCOUNTS);
        const [, , , ...values] = valuesOf(ACCOUNTS, account);
        prepare(`UPDATE accounts SET ${changing.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`).run(...values, id);
        for (const key of before.keys)
          if (!account.keys.some((kept) => kept.id === key.id)) prepare('DELETE FROM api_keys WHERE id = ?').run(key.id);
        for (const key of account.keys) if (!before.keys.includes(key)) putKey(prepare, id, key, true);
        putEvent(prepare, event);
        return accountsOf(prepare, 'id = ?', [id])[0];
      }),
    deleteAccount: async (id, event) => {
      const isDone = await write((prepare) => {
        for (const table of OWNED) prepare(`DELETE FROM ${table} WHERE account_id = ?`).run(id);
        const { changes } = prepare('DELETE FROM accounts WHERE id = ?').run(id);
        if (changes > 0) putEvent(prepare, event);
        return changes > 0;
      });
      emptyLog();
      return isDone;
    },
    appendEvent: (event) => write((prepare) => putEvent(prepare, event)),
    listEvents: ({ limit, accountId, sinceMs = 0, after }) => {
      const conditions = ['at_ms >= ?', ...(accountId === undefined ? [] : ['account_id = ?'])];
      const values: unknown[] = [sinceMs, ...(accountId === undefined ? [] : [accountId])];
      if (after !== undefined) {
        conditions.push('(at_ms < ? OR (at_ms = ? AND id > ?))');
        values.push(after.atMs, after.atMs, after.id);
      }
      const sql = `SELECT ${columnsOf(EVENTS).join(', ')} FROM audit_log WHERE ${conditions.join(' AND ')} ORDER BY at_ms DESC, id LIMIT ?`;
      return read((prepare) =>
        (prepare(sql).all(...values, limit) as Row[]).map((row) => checkedEvent(objectOf(EVENTS, row, 'event') as AuditEvent)),
      );
    },
    pruneEvents: (beforeMs) => write((prepare) => prepare('DELETE FROM audit_log WHERE at_ms < ?').run(beforeMs).changes),
    ping: () => read((prepare) => void prepare('SELECT id FROM accounts LIMIT 1').get()),
  };
}
