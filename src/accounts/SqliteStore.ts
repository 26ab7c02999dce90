import type { Database, Statement } from 'libsql';
import { ServiceError } from '../core/ServiceError.ts';
import type { Account, AccountStore, StoredKey } from './AccountStore.ts';

type AccountRow = { id: string; email: string; email_key: string; company_id: string | null; password_hash: string; created_at_ms: number };
type KeyRow = {
  id: string;
  account_id: string;
  digest: string;
  prefix: string;
  name: string | null;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
};

const ACCOUNT_COLUMNS = 'id, email, email_key, company_id, password_hash, created_at_ms';
const KEY_COLUMNS = 'id, account_id, digest, prefix, name, created_at_ms, expires_at_ms, revoked_at_ms';

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    emailKey: row.email_key,
    companyId: row.company_id,
    passwordHash: row.password_hash,
    createdAtMs: row.created_at_ms,
  };
}

function toKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    accountId: row.account_id,
    digest: row.digest,
    prefix: row.prefix,
    name: row.name,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}

/** The accounts in an open, checked and migrated SQLite database, which it owns from then on. See `openSqliteStore`. */
export class SqliteStore implements AccountStore {
  readonly #database: Database;
  readonly #insertAccount: Statement;
  readonly #insertKey: Statement;
  readonly #accountByEmailKey: Statement;
  readonly #accountById: Statement;
  readonly #keyByDigest: Statement;
  readonly #anyAccount: Statement;
  #isOpen = true;

  constructor(database: Database) {
    this.#database = database;
    // Any other broken constraint throws: only a taken e-mail is an expected outcome.
    this.#insertAccount = database.prepare(
      `INSERT INTO accounts (${ACCOUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (email_key) DO NOTHING`,
    );
    this.#insertKey = database.prepare(`INSERT INTO api_keys (${KEY_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#accountByEmailKey = database.prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE email_key = ?`);
    this.#accountById = database.prepare(`SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = ?`);
    this.#keyByDigest = database.prepare(`SELECT ${KEY_COLUMNS} FROM api_keys WHERE digest = ?`);
    this.#anyAccount = database.prepare('SELECT id FROM accounts LIMIT 1');
  }

  createAccount(account: Account, firstKey: StoredKey): Promise<'created' | 'email_taken'> {
    return this.#answer(() =>
      this.#inTransaction(() => {
        const { id, email, emailKey, companyId, passwordHash, createdAtMs } = account;
        const { changes } = this.#insertAccount.run(id, email, emailKey, companyId, passwordHash, createdAtMs);
        if (changes === 0) return 'email_taken';
        const key = firstKey;
        this.#insertKey.run(key.id, key.accountId, key.digest, key.prefix, key.name, key.createdAtMs, key.expiresAtMs, key.revokedAtMs);
        return 'created';
      }),
    );
  }

  findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    return this.#answer(() => {
      const row = this.#accountByEmailKey.get(emailKey) as AccountRow | undefined;
      return row && toAccount(row);
    });
  }

  findAccount(id: string): Promise<Account | undefined> {
    return this.#answer(() => {
      const row = this.#accountById.get(id) as AccountRow | undefined;
      return row && toAccount(row);
    });
  }

  findKeyByDigest(digest: string): Promise<StoredKey | undefined> {
    return this.#answer(() => {
      const row = this.#keyByDigest.get(digest) as KeyRow | undefined;
      return row && toKey(row);
    });
  }

  ping(): Promise<void> {
    return this.#answer(() => {
      this.#anyAccount.get();
    });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      // Leaves everything in the one file, which may then be copied alone.
      this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    } catch {
      // Nothing is lost: the next opening reads the log.
    }
    this.#database.close();
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async #answer<T>(work: () => T): Promise<T> {
    try {
      if (!this.#isOpen) throw new Error('The store is closed.');
      return work();
    } catch (error) {
      throw new ServiceError('store.unavailable', 'The account store does not answer.', { cause: error });
    }
  }
}
