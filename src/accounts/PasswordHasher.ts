/** Cost of one hash and the number of hashes at a time: `Settings['passwordHash']` has this shape. */
export type PasswordPolicy = {
  readonly memoryKib: number;
  readonly passes: number;
  /** Hashes at the same time; each uses `memoryKib` and one thread of the pool. */
  readonly concurrency: number;
  /** Maximum number of queued hashes. */
  readonly queue: number;
};

/**
 * Hashes passwords to PHC strings and verifies them. Both promises reject with ServiceError `account.busy` (with `Retry-After`) if the
 * queue is full, and with `internal.unexpected` if the hash cannot be computed.
 */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Matches no password and costs as much to verify as a hash of the policy: for accounts that do not exist. */
  readonly dummyHash: string;
  verify(passwordHash: string, password: string): Promise<boolean>;
  /** Whether the stored hash is weaker than the policy and should be replaced at the next login. */
  needsRehash(passwordHash: string): boolean;
};
