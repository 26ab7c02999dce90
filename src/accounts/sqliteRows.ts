import type { Account, StoredKey } from './AccountStore.ts';
import type { AuditAction, AuditActor, AuditEvent } from './AuditEvent.ts';

/** Columns in the order of the values below; rows are read by name. */
const ACCOUNT_FIELDS = {
  id: 'id',
  email: 'email',
  email_key: 'emailKey',
  company_id: 'companyId',
  password_hash: 'passwordHash',
  created_at_ms: 'createdAtMs',
  disabled_at_ms: 'disabledAtMs',
} as const satisfies Record<string, keyof Account>;

const KEY_FIELDS = {
  id: 'id',
  digest: 'digest',
  prefix: 'prefix',
  name: 'name',
  created_at_ms: 'createdAtMs',
  expires_at_ms: 'expiresAtMs',
  revoked_at_ms: 'revokedAtMs',
  grace_until_ms: 'graceUntilMs',
  last_used_at_ms: 'lastUsedAtMs',
} as const satisfies Record<string, keyof StoredKey>;

const EVENT_FIELDS = {
  id: 'id',
  at_ms: 'atMs',
  action: 'action',
  actor: 'actor',
  account_id: 'accountId',
  key_id: 'keyId',
  request_id: 'requestId',
} as const satisfies Record<string, keyof AuditEvent>;

type Row<Fields, Of> = { readonly [Column in keyof Fields]: Of[Fields[Column] & keyof Of] };

export type AccountRow = Row<typeof ACCOUNT_FIELDS, Account>;
export type KeyRow = Row<typeof KEY_FIELDS, StoredKey>;
export type EventRow = Row<typeof EVENT_FIELDS, AuditEvent> & { readonly action: AuditAction; readonly actor: AuditActor };

export const ACCOUNT_COLUMNS = Object.keys(ACCOUNT_FIELDS);
export const KEY_COLUMNS = Object.keys(KEY_FIELDS);
export const EVENT_COLUMNS = Object.keys(EVENT_FIELDS);

const read = (fields: Readonly<Record<string, string>>, row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([column, field]) => [field, (row as Record<string, unknown>)[column]]));

const write = (fields: Readonly<Record<string, string>>, value: object): unknown[] =>
  Object.values(fields).map((field) => (value as Record<string, unknown>)[field]);

export const toAccount = (row: AccountRow, keys: readonly KeyRow[]): Account => ({
  ...(read(ACCOUNT_FIELDS, row) as Omit<Account, 'keys'>),
  keys: keys.map((key) => read(KEY_FIELDS, key) as StoredKey),
});
export const toEvent = (row: EventRow): AuditEvent => read(EVENT_FIELDS, row) as AuditEvent;

export const accountValues = (account: Account): unknown[] => write(ACCOUNT_FIELDS, account);
export const keyValues = (key: StoredKey): unknown[] => write(KEY_FIELDS, key);
export const eventValues = (event: AuditEvent): unknown[] => write(EVENT_FIELDS, event);
