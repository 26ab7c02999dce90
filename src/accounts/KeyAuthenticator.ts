import type { Clock } from '../core/Clock.ts';
import { isLive, keyEndMs, withKeyUse } from './accountKeys.ts';
import type { Account, AccountStore, StoredKey } from './AccountStore.ts';
import { digestOfKey, isWellFormedKey } from './apiKey.ts';

/** Whose key it is. Never the key or its digest. */
export type Identity = {
  readonly accountId: string;
  readonly email: string;
  readonly companyId: string | null;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly keyName: string | null;
  readonly keyCreatedAtMs: number;
  /** Its expiry or the end of its grace. */
  readonly keyEndMs: number | null;
};

export type KeyAuthenticatorDeps = {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** How long a good key is accepted without asking the store; one that another process revokes works this much longer. */
  readonly cacheLifeMs?: number;
  readonly cacheEntries?: number;
};

/** Times of the monotonic clock. `refreshAtMs`: from then on the next use checks the key again in the background. */
type Entry = { readonly identity: Identity; refreshAtMs: number; readonly untilMs: number };
type Check = { readonly askedAtMs: number; readonly answer: Promise<Identity | undefined> };
type Use = { readonly accountId: string; readonly atMs: number };

/** Uses of keys are written this often at most. */
const USE_INTERVAL_MS = 60_000;
/** How long a good key is told from one that was never checked. */
const REMEMBERED_MS = 6 * 3_600_000;

/**
 * Finds the owner of an API key. Keeps good keys, and only those, for a few seconds, so that a forecast rarely asks the store. A key in use is checked
 * again before that time is over, in the background. For some hours it remembers which keys were good.
 */
export class KeyAuthenticator {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #cacheLifeMs: number;
  readonly #cacheEntries: number;
  /** By digest, oldest first: the life is the same for all, so the first to go is the first to lapse. */
  readonly #cache = new Map<string, Entry>();
  /** By digest, oldest first: until when a key counts as one that was good. */
  readonly #goodUntilMs = new Map<string, number>();
  /** By digest: one check in flight for each key, however many requests wait for it. */
  readonly #checks = new Map<string, Check>();
  /** By key id: uses that are not written yet. */
  readonly #uses = new Map<string, Use>();
  #cancelWrite: (() => void) | undefined;
  /** Counts what was forgotten: what was asked before and answered after must not be kept. */
  #forgotten = 0;

  constructor({ store, clock, cacheLifeMs = 5000, cacheEntries = 10_000 }: KeyAuthenticatorDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#cacheLifeMs = cacheLifeMs;
    this.#cacheEntries = cacheEntries;
  }

  /**
   * The owner of a key that is kept, without waiting for the store; undefined: it is not kept, or over. For callers that must do nothing else for a
   * key that they know.
   */
  known(header: string): Identity | undefined {
    return isWellFormedKey(header) ? this.#kept(digestOfKey(header)) : undefined;
  }

  /** Whether the key was good at its last check, some hours ago at most. It may have been revoked since. */
  wasGood(header: string): boolean {
    return isWellFormedKey(header) && this.#clock.monotonicMs() < (this.#goodUntilMs.get(digestOfKey(header)) ?? -Infinity);
  }

  /**
   * The owner of the key in an Api-Key header; undefined for every other text (absent, empty, malformed, two keys joined by Node,
   * unknown, revoked, expired, of a disabled account), so that the caller of the API cannot tell these apart. A text that is no key costs no store
   * call; any other one at most. Throws ServiceError `store.unavailable`.
   */
  async authenticate(header: string | undefined): Promise<Identity | undefined> {
    if (header === undefined || !isWellFormedKey(header)) return undefined;
    const digest = digestOfKey(header);
    return this.#kept(digest) ?? (await this.#check(digest));
  }

  /** Every key of this account is checked before it is accepted again: its keys have changed, or it is gone. */
  forget(accountId: string): void {
    this.#forgotten++;
    // Their answers may be from before the change.
    this.#checks.clear();
    for (const [digest, { identity }] of this.#cache) if (identity.accountId === accountId) this.#cache.delete(digest);
  }

  /** Writes when keys were used last. What cannot be written now is left for the next time. */
  async writeUses(): Promise<void> {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    for (const [keyId, { accountId, atMs }] of this.#uses) {
      try {
        await this.#store.changeAccount(accountId, (account) =>
          account.keys.some(({ id }) => id === keyId) ? { account: withKeyUse(account, keyId, atMs) } : undefined,
        );
        if (this.#uses.get(keyId)?.atMs === atMs) this.#uses.delete(keyId);
      } catch {
        this.#writeLater();
        return;
      }
    }
  }

  #kept(digest: string): Identity | undefined {
    const entry = this.#cache.get(digest);
    if (entry === undefined) return undefined;
    const { keyEndMs: endMs } = entry.identity;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= entry.untilMs || (endMs !== null && this.#clock.nowMs() >= endMs)) {
      this.#cache.delete(digest);
      return undefined;
    }
    if (nowMs >= entry.refreshAtMs) {
      entry.refreshAtMs = Infinity;
      // Where the store does not answer, the entry keeps its end.
      this.#check(digest).catch(() => {});
    }
    return entry.identity;
  }

  /** Throws ServiceError `store.unavailable`. */
  #check(digest: string): Promise<Identity | undefined> {
    const askedAtMs = this.#clock.monotonicMs();
    const inFlight = this.#checks.get(digest);
    // An older answer would let a revoked key work for longer than the life of the cache.
    if (inFlight !== undefined && askedAtMs < inFlight.askedAtMs + this.#cacheLifeMs) return inFlight.answer;
    const answer = this.#askStore(digest, askedAtMs).finally(() => {
      if (this.#checks.get(digest) === check) this.#checks.delete(digest);
    });
    const check = { askedAtMs, answer };
    this.#checks.set(digest, check);
    return answer;
  }

  async #askStore(digest: string, askedAtMs: number): Promise<Identity | undefined> {
    const forgotten = this.#forgotten;
    const account = await this.#store.findAccountByDigest(digest);
    const key = account?.keys.find((each) => each.digest === digest);
    if (account === undefined || key === undefined || account.disabledAtMs !== null || !isLive(key, this.#clock.nowMs())) {
      this.#cache.delete(digest);
      this.#goodUntilMs.delete(digest);
      return undefined;
    }
    const identity = identityOf(account, key);
    if (forgotten === this.#forgotten) {
      const [refreshAtMs, untilMs] = [askedAtMs + this.#cacheLifeMs / 2, askedAtMs + this.#cacheLifeMs];
      this.#keep(this.#cache, digest, { identity, refreshAtMs, untilMs });
    }
    this.#keep(this.#goodUntilMs, digest, askedAtMs + REMEMBERED_MS);
    this.#noteUse(account, key);
    return identity;
  }

  #keep<T>(kept: Map<string, T>, digest: string, value: T): void {
    kept.delete(digest);
    if (kept.size >= this.#cacheEntries) {
      const oldest = kept.keys().next();
      if (oldest.done === false) kept.delete(oldest.value);
    }
    kept.set(digest, value);
  }

  /** A key in use comes by here whenever its life in the cache is over, which is often enough to tell its last use to the minute. */
  #noteUse(account: Account, key: StoredKey): void {
    const nowMs = this.#clock.nowMs();
    const minuteMs = nowMs - (nowMs % USE_INTERVAL_MS);
    if (key.lastUsedAtMs !== null && key.lastUsedAtMs >= minuteMs) return;
    if (this.#uses.size >= this.#cacheEntries && !this.#uses.has(key.id)) return;
    this.#uses.set(key.id, { accountId: account.id, atMs: minuteMs });
    this.#writeLater();
  }

  #writeLater(): void {
    this.#cancelWrite ??= this.#clock.after(USE_INTERVAL_MS, () => void this.writeUses());
  }
}

function identityOf(account: Account, key: StoredKey): Identity {
  return {
    accountId: account.id,
    email: account.email,
    companyId: account.companyId,
    keyId: key.id,
    keyPrefix: key.prefix,
    keyName: key.name,
    keyCreatedAtMs: key.createdAtMs,
    keyEndMs: keyEndMs(key),
  };
}
