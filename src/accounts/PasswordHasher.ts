/** How dear one hash is and how many may be worked on: `Settings['passwordHash']` has this shape. */
export type PasswordPolicy = {
  readonly memoryKib: number;
  readonly passes: number;
  /** Hashes at the same time; each holds `memoryKib` and one thread of the pool. */
  readonly concurrency: number;
  /** Hashes that may wait for their turn. */
  readonly queue: number;
};

/**
 * Turns passwords into PHC strings and checks them. Called by AccountService. Both promises reject with ServiceError
 * `account.busy` (with `Retry-After`) when the queue is full, `internal.unexpected` when the hash cannot be computed.
 */
export type PasswordHasher = {
  hash(password: string): Promise<string>;
  /** Of no password, and as dear to verify as one of the policy: for accounts that do not exist. */
  readonly dummyHash: string;
  verify(passwordHash: string, password: string): Promise<boolean>;
  /** Whether the stored string is weaker than the policy, so that the next login should replace it. */
  needsRehash(passwordHash: string): boolean;
};
