import type { AuditEvent } from './AuditEvent.ts';

/** A key as the store keeps it: the digest finds it, the prefix shows it, the key itself is nowhere. */
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
  /** Set by the rotation that replaced it: it works on until then, if it does not expire before. */
  readonly graceUntilMs: number | null;
  /** To the minute, written late. */
  readonly lastUsedAtMs: number | null;
};

/** An account with its keys, oldest first. `emailKey` is the compared form, `email` the form as typed. */
export type Account = {
  readonly id: string;
  readonly email: string;
  readonly emailKey: string;
  readonly companyId: string | null;
  /** PHC string of argon2id. */
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** Neither its password nor any of its keys is taken from then on; null: they are. */
  readonly disabledAtMs: number | null;
  readonly keys: readonly StoredKey[];
};

/** What an account becomes, and the event that tells of it; without one the change is not worth a record. */
export type AccountChange = { readonly account: Account; readonly event?: AuditEvent };

/** A page of accounts in the order of their `emailKey`. */
export type AccountPage = {
  readonly limit: number;
  /** Only accounts after this `emailKey`: the last of the page before. */
  readonly after?: string;
  /** Only accounts of this company, exactly. */
  readonly companyId?: string;
};

/** Newest first; at most `limit`, only what stands after `after` in that order. */
export type EventQuery = {
  readonly limit: number;
  readonly accountId?: string;
  readonly sinceMs?: number;
  readonly after?: Pick<AuditEvent, 'id' | 'atMs'>;
};

/**
 * Keeps accounts and the record of what happened to them. Every method throws ServiceError `store.unavailable` when the store does not answer in
 * time, and nothing else of its own. What has been acknowledged survives a crash. No change is kept without its event; an event may stand for a
 * change that a crash cut off.
 */
export type AccountStore = {
  /** With all its keys or not at all; exactly one of many concurrent calls for one `emailKey` gets 'created'. */
  createAccount(account: Account, event?: AuditEvent): Promise<'created' | 'email_taken'>;
  findAccount(id: string): Promise<Account | undefined>;
  findAccountByEmailKey(emailKey: string): Promise<Account | undefined>;
  /** The account that holds the key, in one round trip. */
  findAccountByDigest(digest: string): Promise<Account | undefined>;
  findAccountByKeyId(keyId: string): Promise<Account | undefined>;
  listAccounts(page: AccountPage): Promise<readonly Account[]>;
  /**
   * Reads the account, asks `change` what it becomes and writes that, as one step: no other change is lost, whoever makes it. `change` may be asked
   * more than once; undefined leaves all as it is, and what it throws is thrown. `id`, `emailKey` and `email` cannot change.
   * Resolves to the account as it is then; undefined: there is none.
   */
  changeAccount(id: string, change: (account: Account) => AccountChange | undefined): Promise<Account | undefined>;
  /** Takes the account and its keys away; its events stay. Resolves to whether there was one. */
  deleteAccount(id: string, event: AuditEvent): Promise<boolean>;
  /** Keeps an event that goes with no change. An event that is there already is kept once. */
  appendEvent(event: AuditEvent): Promise<void>;
  listEvents(query: EventQuery): Promise<readonly AuditEvent[]>;
  /** Takes away the events before a time; resolves to how many. */
  pruneEvents(beforeMs: number): Promise<number>;
  /** Answers when the store can read. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
