/** Marks the file as an account store of tickmark: 'TKM1'. */
export const APPLICATION_ID = 0x544b4d31;

/** Step i migrates schema version i to i + 1. Never change a released step: add one. */
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
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Columns that the queries of the store need; checked at each opening. */
export const REQUIRED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  accounts: ['id', 'email', 'email_key', 'company_id', 'password_hash', 'created_at_ms', 'disabled_at_ms'],
  api_keys: [
    'id',
    'account_id',
    'digest',
    'prefix',
    'name',
    'created_at_ms',
    'expires_at_ms',
    'revoked_at_ms',
    'grace_until_ms',
    'last_used_at_ms',
  ],
  audit_log: ['id', 'at_ms', 'action', 'actor', 'account_id', 'key_id', 'request_id'],
};

export type UniqueIndex = { readonly table: string; readonly name: string; readonly column: string };

/** Without these indexes, one e-mail could have two accounts, or one key two owners. */
export const REQUIRED_UNIQUE_INDEXES: readonly UniqueIndex[] = [
  { table: 'accounts', name: 'accounts_by_email_key', column: 'email_key' },
  { table: 'api_keys', name: 'api_keys_by_digest', column: 'digest' },
];
