import type { DeliveryStore, Webhook } from '../alerts/Webhook.ts';
import type { MemoryStore } from '../live/MemoryStore.ts';
import type { Market } from '../markets/Market.ts';
import type { MarketStore } from '../markets/MarketStore.ts';
import type { SealedStore } from '../live/sealedChain.ts';
import type { RecordRow, RecordStore } from '../live/TrackRecord.ts';
import type { AuditEvent } from './AuditEvent.ts';
import { emailKeysOf } from './accountRules.ts';

/** The store without MongoDB, in DATA_DIR. */
export const STORE_FILE = 'tickmark.sqlite';

/**
 * A step from one schema version of a store to another. `copy`: the file with the store as it was; null where the database has the
 * backups (docs/how-to/upgrade.md).
 */
export type Migration = { readonly from: number; readonly to: number; readonly copy: string | null };

/** What log and `tickmark migrate` say where no copy is made. */
export const NO_COPY = 'none, because a migration of MongoDB only adds indexes';

export type StoreAccess = {
  /** Called before a store of an earlier version is migrated. Left out: such a store is refused, because only `serve` and `migrate` may change it. */
  readonly onMigration?: ((migration: Migration) => void) | undefined;
  /** Opens a store that this process may not write, too: reads a private copy of it. */
  readonly readsOnly?: boolean;
  /** A file that is missing is refused, not created. */
  readonly isExpected?: boolean;
};

/** The detail of `store.refused` for a store that only a migration makes usable. */
export const notMigrated = (from: number, to: number): string =>
  `has schema version ${from}; this tickmark uses ${to}. Back it up with the tickmark that wrote it, then run \`tickmark migrate\` or start \`tickmark serve\`, which migrate it`;

/** A stored key: the digest finds it, the prefix displays it; the key itself is not stored. */
export type StoredKey = {
  readonly id: string;
  /** SHA-256 of the whole key, hex. */
  readonly digest: string;
  /** First characters, for display only. */
  readonly prefix: string;
  readonly name: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Set by the rotation that replaced the key: it works until then, unless it expires earlier. */
  readonly graceUntilMs: number | null;
  /** Rounded to the minute, written with a delay. */
  readonly lastUsedAtMs: number | null;
  /** Absent: nothing was counted. */
  readonly use?: KeyUse;
};

/** Forecasts of a key, and those that a limit has refused. */
export type UseCounts = { readonly forecasts: number; readonly refused: number };

/** On a UTC day, YYYY-MM-DD. */
export type DayUse = UseCounts & { readonly day: string };

/** Oldest day first. `batch`: id of the counts that were added last; a write that is repeated does not add them again. */
export type KeyUse = { readonly batch: string; readonly days: readonly DayUse[] };

/** An account with its keys, oldest first. `emailKey` is the normalised form, `email` the form as typed. */
export type Account = {
  readonly id: string;
  readonly email: string;
  readonly emailKey: string;
  readonly companyId: string | null;
  /** PHC string of argon2id. */
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** From then on, the password and the keys are refused; null: the account is enabled. */
  readonly disabledAtMs: number | null;
  readonly keys: readonly StoredKey[];
  /** Targets of alerts, oldest first; absent: none. */
  readonly webhooks?: readonly Webhook[];
  /** Markets that the service watches, oldest first; absent: none. */
  readonly markets?: readonly Market[];
};

/** The new state of an account and its audit event; without an event, the change is not audited. */
export type AccountChange = { readonly account: Account; readonly event?: AuditEvent };

/** A page of accounts, ordered by `emailKey`. */
type AccountPage = {
  readonly limit: number;
  /** Only accounts after this `emailKey`, the last one of the previous page. */
  readonly after?: string;
  /** Only accounts of exactly this company. */
  readonly companyId?: string;
};

/** Newest first; at most `limit`, only events after `after` in that order. */
export type EventQuery = {
  readonly limit: number;
  readonly accountId?: string;
  readonly sinceMs?: number;
  readonly after?: Pick<AuditEvent, 'id' | 'atMs'>;
};

/** Rows of the track record that an account keeps. */
export const MOST_RECORDS = 10_000;

/** Accounts with their keys, and the audit log. No change is stored without its event; after a crash, an event may exist without its change. */
export type AccountParts = {
  /** Atomic, with all keys; exactly one of several concurrent calls for one `emailKey` gets 'created'. */
  createAccount(account: Account, event?: AuditEvent): Promise<'created' | 'email_taken'>;
  findAccount(id: string): Promise<Account | undefined>;
  findAccountByEmailKey(emailKey: string): Promise<Account | undefined>;
  /** The account that owns the key, in one round trip, and without the use of its keys: it is looked up every few seconds. */
  findAccountByDigest(digest: string): Promise<Account | undefined>;
  findAccountByKeyId(keyId: string): Promise<Account | undefined>;
  listAccounts(page: AccountPage): Promise<readonly Account[]>;
  /** In MongoDB an estimate: what its metadata say. */
  countAccounts(): Promise<number>;
  /**
   * Reads the account, calls `change` for the new state and writes it, atomically: no concurrent change is lost. `change` may be called
   * more than once; undefined changes nothing, and its errors are rethrown. `id`, `emailKey` and `email` cannot change. Resolves to the
   * resulting account; undefined if there is none.
   */
  changeAccount(id: string, change: (account: Account) => AccountChange | undefined): Promise<Account | undefined>;
  /** Deletes the account with its keys, its track record, the memory of its series and its alerts; its events stay. Resolves to whether the account existed. */
  deleteAccount(id: string, event: AuditEvent): Promise<boolean>;
  /** Stores an event that has no change. Storing the same event again has no effect. */
  appendEvent(event: AuditEvent): Promise<void>;
  listEvents(query: EventQuery): Promise<readonly AuditEvent[]>;
  /** Deletes the events before a time; resolves to their number. */
  pruneEvents(beforeMs: number): Promise<number>;
  /** Resolves if the store can be read. */
  ping(): Promise<void>;
};

export type RecordParts = Omit<RecordStore, keyof SealedStore> & {
  /** Stores rows of the track record that do not exist, and skips those of accounts that do not exist. At most 100 rows. */
  importRecords(rows: readonly RecordRow[]): Promise<void>;
  /** Deletes the rows of the track record and the sealed blocks before a day; resolves to their number. */
  pruneRecords(beforeDay: string): Promise<number>;
};

/**
 * Stores accounts, their audit events, their track record, their sealed forecasts, the memory of their series and their undelivered alerts. Every method
 * throws ServiceError `store.unavailable` if the store does not answer in time, and no other error of its own. Acknowledged changes survive a crash.
 */
export type AccountStore = AccountParts &
  RecordParts &
  SealedStore &
  MemoryStore &
  MarketStore &
  DeliveryStore & { close(): Promise<void> };

/**
 * Finds the account of an e-mail in every normalised form, including those of older versions. Every form is looked up, so that the
 * number of store calls depends only on the e-mail. Throws ServiceError `store.unavailable`.
 */
export async function findAccountByEmail(store: Pick<AccountStore, 'findAccountByEmailKey'>, email: string): Promise<Account | undefined> {
  const found = await Promise.all(emailKeysOf(email).map((key) => store.findAccountByEmailKey(key)));
  return found.find((account) => account !== undefined);
}
