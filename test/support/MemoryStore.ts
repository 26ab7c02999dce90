import type { Account, AccountStore, StoredKey } from '../../src/accounts/AccountStore.ts';

/** An account store that forgets at the end of the test, counts its calls and lets the test change what it holds. */
export class MemoryStore implements AccountStore {
  readonly accounts = new Map<string, Account>();
  readonly keys = new Map<string, StoredKey>();
  calls = 0;
  /** Thrown by every call while set. */
  failure: Error | undefined;

  async createAccount(account: Account, firstKey: StoredKey): Promise<'created' | 'email_taken'> {
    this.#count();
    if ([...this.accounts.values()].some((other) => other.emailKey === account.emailKey)) return 'email_taken';
    this.accounts.set(account.id, account);
    this.keys.set(firstKey.digest, firstKey);
    return 'created';
  }

  async findAccountByEmailKey(emailKey: string): Promise<Account | undefined> {
    this.#count();
    return [...this.accounts.values()].find((account) => account.emailKey === emailKey);
  }

  async findAccount(id: string): Promise<Account | undefined> {
    this.#count();
    return this.accounts.get(id);
  }

  async findKeyByDigest(digest: string): Promise<StoredKey | undefined> {
    this.#count();
    return this.keys.get(digest);
  }

  async ping(): Promise<void> {
    this.#count();
  }

  async close(): Promise<void> {}

  #count(): void {
    this.calls++;
    if (this.failure !== undefined) throw this.failure;
  }
}
