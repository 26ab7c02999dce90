/** An account as the store keeps it. `emailKey` is the compared form, `email` the form as typed. */
export type Account = {
  readonly id: string;
  readonly email: string;
  readonly emailKey: string;
  readonly companyId: string | null;
  /** PHC string of argon2id. */
  readonly passwordHash: string;
  readonly createdAtMs: number;
};

/** A key as the store keeps it: the digest finds it, the prefix shows it, the key itself is nowhere. */
export type StoredKey = {
  readonly id: string;
  readonly accountId: string;
  /** SHA-256 of the whole key, hex. */
  readonly digest: string;
  /** First characters, for display only. */
  readonly prefix: string;
  readonly name: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/**
 * Keeps accounts and keys. Called by AccountService and KeyAuthenticator only. Every method throws ServiceError
 * `store.unavailable` when the store does not answer, and nothing else. What has been acknowledged survives a crash.
 */
export type AccountStore = {
  /** Both or neither; exactly one of many concurrent calls for one `emailKey` gets 'created'. */
  createAccount(account: Account, firstKey: StoredKey): Promise<'created' | 'email_taken'>;
  findAccountByEmailKey(emailKey: string): Promise<Account | undefined>;
  findAccount(id: string): Promise<Account | undefined>;
  findKeyByDigest(digest: string): Promise<StoredKey | undefined>;
  /** Answers when the store can read. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
