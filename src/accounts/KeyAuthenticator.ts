import type { Clock } from '../core/Clock.ts';
import type { AccountStore, StoredKey } from './AccountStore.ts';
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
  readonly keyExpiresAtMs: number | null;
};

export type KeyAuthenticatorDeps = {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** How long a good key is taken for good without asking the store; a revoked one may work this much longer. */
  readonly cacheLifeMs?: number;
  readonly cacheEntries?: number;
};

type Entry = { readonly identity: Identity; readonly untilMs: number };

/** Finds the owner of an API key. Keeps good keys, and only those, for a few seconds, so that a forecast rarely asks the store. */
export class KeyAuthenticator {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #cacheLifeMs: number;
  readonly #cacheEntries: number;
  /** By digest, oldest first: the life is the same for all, so the first to go is the first to lapse. */
  readonly #cache = new Map<string, Entry>();

  constructor({ store, clock, cacheLifeMs = 5000, cacheEntries = 10_000 }: KeyAuthenticatorDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#cacheLifeMs = cacheLifeMs;
    this.#cacheEntries = cacheEntries;
  }

  /**
   * The owner of the key in an Api-Key header; undefined for every other text (absent, empty, malformed, two keys joined by Node,
   * unknown, revoked, expired), so that the caller of the API cannot tell these apart. A text that is no key costs no store call;
   * unknown, revoked and expired keys cost one each. Throws ServiceError `store.unavailable`.
   */
  async authenticate(header: string | undefined): Promise<Identity | undefined> {
    if (header === undefined || !isWellFormedKey(header)) return undefined;
    const digest = digestOfKey(header);
    const kept = this.#cache.get(digest);
    if (kept !== undefined && this.#clock.monotonicMs() < kept.untilMs) {
      return this.#isOver(kept.identity.keyExpiresAtMs) ? undefined : kept.identity;
    }
    this.#cache.delete(digest);
    const askedAtMs = this.#clock.monotonicMs();
    const key = await this.#store.findKeyByDigest(digest);
    if (key === undefined || key.revokedAtMs !== null || this.#isOver(key.expiresAtMs)) return undefined;
    const identity = await this.#identityOf(key);
    if (identity !== undefined) this.#keep(digest, { identity, untilMs: askedAtMs + this.#cacheLifeMs });
    return identity;
  }

  #isOver(expiresAtMs: number | null): boolean {
    return expiresAtMs !== null && expiresAtMs <= this.#clock.nowMs();
  }

  async #identityOf(key: StoredKey): Promise<Identity | undefined> {
    const account = await this.#store.findAccount(key.accountId);
    if (account === undefined) return undefined;
    return {
      accountId: account.id,
      email: account.email,
      companyId: account.companyId,
      keyId: key.id,
      keyPrefix: key.prefix,
      keyName: key.name,
      keyCreatedAtMs: key.createdAtMs,
      keyExpiresAtMs: key.expiresAtMs,
    };
  }

  #keep(digest: string, entry: Entry): void {
    this.#cache.delete(digest);
    if (this.#cache.size >= this.#cacheEntries) {
      const oldest = this.#cache.keys().next();
      if (oldest.done === false) this.#cache.delete(oldest.value);
    }
    this.#cache.set(digest, entry);
  }
}
