import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { within } from '../../core/within.ts';
import { isLive, keyEndMs, digestOfKey, isWellFormedKey } from './accountKeys.ts';
import type { Account, AccountStore, StoredKey } from './AccountStore.ts';
import type { KeyUses } from './KeyUses.ts';
import { StoreOutage } from './StoreOutage.ts';

/** The owner of a key. Never contains the key or its digest. */
export type Identity = {
  readonly accountId: string;
  readonly email: string;
  readonly companyId: string | null;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly keyName: string | null;
  readonly keyCreatedAtMs: number;
  /** Its expiry or the end of its grace time. */
  readonly keyEndMs: number | null;
};

export type KeyAuthenticatorDeps = {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** How long a valid key is accepted without a store call; a key that another process revoked works for that much longer. */
  readonly cacheLifeMs?: number;
  /** How long a key that was valid before an outage of the store is accepted during the outage. */
  readonly outageMs?: number;
  readonly outage?: StoreOutage;
  readonly cacheEntries?: number;
  /** Called with the digest of a key that is valid and was not known as such. */
  readonly onValid?: ((digest: string) => void) | undefined;
  /** Is told when a key was used last; left out: no one is. */
  readonly uses?: Pick<KeyUses, 'used'>;
};

/**
 * Times on the monotonic clock. From `refreshAtMs` on, the next use checks the key again in the background. From `untilMs` on, the key is
 * accepted only during an outage of the store, and not at all if its account has changed since the last check.
 */
type Entry = { readonly identity: Identity; readonly emailKey: string; refreshAtMs: number; readonly untilMs: number; hasChanged: boolean };
type Check = { readonly askedAtMs: number; readonly answer: Promise<Identity | undefined> };

const DEFAULTS = { cacheLifeMs: 5000, cacheEntries: 10_000, outageMs: 0 };
/** Precision of the last use of a key. */
const USE_INTERVAL_MS = 60_000;
/** A store that takes longer counts as out: a forecast that waited for it would be late. */
const ANSWER_MS = 1000;
/** Between two calls during an outage, which find its end. */
const PROBE_MS = 1000;
/** How long a formerly valid key is distinguished from one that was never checked. */
const REMEMBERED_MS = 6 * 3_600_000;

/**
 * Finds the owner of an API key. Caches valid keys, and only those, for a few seconds, so that most forecasts need no store call. A key in
 * use is checked again in the background before its cache entry ends. During an outage of the store, keys that were valid when it began are
 * accepted for a limited time (docs/adr/0060-keys-work-through-an-outage.md). For some hours, it also remembers which keys were valid.
 */
export class KeyAuthenticator {
  readonly #deps: KeyAuthenticatorDeps & typeof DEFAULTS;
  readonly #outage: StoreOutage;
  #cancelProbe: (() => void) | undefined;
  #isClosed = false;
  /** By digest, oldest first: all entries have the same lifetime, so the first one ends first. An entry that has ended stays for an outage. */
  readonly #cache = new Map<string, Entry>();
  /** By digest, oldest first: until when a key counts as formerly valid. */
  readonly #goodUntilMs = new Map<string, number>();
  /** By digest: at most one check in flight for each key, however many requests wait for it. */
  readonly #checks = new Map<string, Check>();
  /** Number of invalidations: a check that started before one and ended after it must not be cached. */
  #forgotten = 0;

  constructor(deps: KeyAuthenticatorDeps) {
    this.#deps = { ...DEFAULTS, ...deps };
    this.#outage = deps.outage ?? new StoreOutage(deps.clock);
  }

  /**
   * The owner of a cached key, without a store call; undefined if the key is not cached or has ended. For callers that only need a quick
   * lookup.
   */
  known(header: string): Identity | undefined {
    return isWellFormedKey(header) ? this.#kept(digestOfKey(header)) : undefined;
  }

  /** Whether the key was valid at its last check, within the last hours. It may have been revoked since. */
  wasValid(header: string): boolean {
    return isWellFormedKey(header) && this.#deps.clock.monotonicMs() < (this.#goodUntilMs.get(digestOfKey(header)) ?? -Infinity);
  }

  /** Another worker found this key valid: `wasValid` says so here too. It is accepted only after a check. */
  rememberValid(digest: string): void {
    this.#keep(this.#goodUntilMs, digest, this.#deps.clock.monotonicMs() + REMEMBERED_MS);
  }

  /**
   * The owner of the key in an Api-Key header; undefined for any other text (absent, empty, malformed, two keys joined by Node.js, unknown,
   * revoked, expired, of a disabled account), so that the API caller cannot distinguish these cases. A malformed key costs no store call,
   * any other key at most one. Throws ServiceError `store.unavailable`.
   */
  async authenticate(header: string | undefined): Promise<Identity | undefined> {
    if (header === undefined || !isWellFormedKey(header)) return undefined;
    const digest = digestOfKey(header);
    const kept = this.#kept(digest);
    if (kept !== undefined) return kept;
    const answer = this.#check(digest);
    return this.#cache.has(digest) && this.#deps.outageMs > 0 ? this.#answerOrKept(digest, answer) : answer;
  }

  /** Invalidates the keys of an account that has changed or was deleted: each one is checked before it is accepted again. */
  invalidate(accountId: string): void {
    this.#forgotten++;
    // Their results may be older than the change.
    this.#checks.clear();
    for (const [digest, { identity }] of this.#cache) if (identity.accountId === accountId) this.#cache.delete(digest);
  }

  /**
   * Checks the cached keys of an account now, because another process has changed or deleted it. They are accepted until the store answers,
   * because most changes only record a use, but not beyond the end of their cache entry, also during an outage.
   */
  recheck(emailKey: string): void {
    this.#forgotten++;
    for (const [digest, entry] of this.#cache) {
      if (entry.emailKey !== emailKey) continue;
      entry.refreshAtMs = Infinity;
      entry.hasChanged = true;
      this.#checks.delete(digest);
      // If the store does not answer, the entry still ends at its time.
      this.#check(digest).catch(() => {});
    }
  }

  /** The store stays open. */
  close(): void {
    this.#isClosed = true;
    this.#cancelProbe?.();
  }

  #kept(digest: string): Identity | undefined {
    const entry = this.#cache.get(digest);
    if (entry === undefined) return undefined;
    const { keyEndMs: endMs } = entry.identity;
    const nowMs = this.#deps.clock.monotonicMs();
    if (endMs !== null && this.#deps.clock.nowMs() >= endMs) {
      this.#cache.delete(digest);
      return undefined;
    }
    if (nowMs >= entry.untilMs) return this.#isAccepted(entry, nowMs) ? entry.identity : undefined;
    if (nowMs >= entry.refreshAtMs) {
      entry.refreshAtMs = Infinity;
      // If the store does not answer, the entry still ends at its time.
      this.#check(digest).catch(() => {});
    }
    return entry.identity;
  }

  /** Whether an outage keeps an entry that has ended: for `outageMs`, if it ended at most that long before the outage began. */
  #isAccepted({ untilMs, hasChanged }: Entry, nowMs: number): boolean {
    const { sinceMs } = this.#outage;
    return sinceMs !== undefined && !hasChanged && nowMs < sinceMs + this.#deps.outageMs && untilMs >= sinceMs - this.#deps.outageMs;
  }

  /** The answer of the store, or the owner as known before if an outage begins. Throws ServiceError `store.unavailable`. */
  async #answerOrKept(digest: string, answer: Promise<Identity | undefined>): Promise<Identity | undefined> {
    try {
      return (await within(this.#deps.clock, ANSWER_MS, answer, () => undefined)) ?? this.#kept(digest) ?? (await answer);
    } catch (error) {
      const kept = this.#kept(digest);
      if (kept === undefined) throw error;
      return kept;
    }
  }

  /** Throws ServiceError `store.unavailable`. */
  #check(digest: string): Promise<Identity | undefined> {
    const askedAtMs = this.#deps.clock.monotonicMs();
    const inFlight = this.#checks.get(digest);
    // An older result would let a revoked key work for longer than the cache lifetime.
    if (inFlight !== undefined && askedAtMs < inFlight.askedAtMs + this.#deps.cacheLifeMs) return inFlight.answer;
    const answer = this.#askStore(digest, askedAtMs).finally(() => {
      if (this.#checks.get(digest) === check) this.#checks.delete(digest);
    });
    const check = { askedAtMs, answer };
    this.#checks.set(digest, check);
    return answer;
  }

  async #askStore(digest: string, askedAtMs: number): Promise<Identity | undefined> {
    const forgotten = this.#forgotten;
    const account = await this.#find(digest, askedAtMs);
    const key = account?.keys.find((each) => each.digest === digest);
    if (account === undefined || key === undefined || account.disabledAtMs !== null || !isLive(key, this.#deps.clock.nowMs())) {
      this.#cache.delete(digest);
      this.#goodUntilMs.delete(digest);
      return undefined;
    }
    const identity = identityOf(account, key);
    if (forgotten === this.#forgotten) {
      const [refreshAtMs, untilMs] = [askedAtMs + this.#deps.cacheLifeMs / 2, askedAtMs + this.#deps.cacheLifeMs];
      this.#keep(this.#cache, digest, { identity, emailKey: account.emailKey, refreshAtMs, untilMs, hasChanged: false });
    }
    if (!this.#goodUntilMs.has(digest)) this.#deps.onValid?.(digest);
    this.#keep(this.#goodUntilMs, digest, askedAtMs + REMEMBERED_MS);
    this.#noteUse(identity, key);
    return identity;
  }

  /** Reports to `outage` whether the store answers in time. */
  async #find(digest: string, askedAtMs: number): Promise<Account | undefined> {
    let isLate = false;
    const cancel = this.#deps.clock.after(ANSWER_MS, () => {
      isLate = true;
      this.#noteFailure(askedAtMs);
    });
    try {
      const account = await this.#deps.store.findAccountByDigest(digest);
      if (!isLate) this.#outage.answered();
      return account;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'store.unavailable') this.#noteFailure(askedAtMs);
      throw error;
    } finally {
      cancel();
    }
  }

  #noteFailure(askedAtMs: number): void {
    this.#outage.failed(askedAtMs);
    if (this.#outage.sinceMs === undefined || this.#isClosed) return;
    // No key has this digest. Without a call of its own, the end of an outage would not be seen before the next unknown key.
    this.#cancelProbe ??= this.#deps.clock.after(PROBE_MS, () => {
      this.#cancelProbe = undefined;
      if (this.#outage.sinceMs !== undefined) this.#find('', this.#deps.clock.monotonicMs()).catch(() => {});
    });
  }

  #keep<T>(kept: Map<string, T>, digest: string, value: T): void {
    kept.delete(digest);
    if (kept.size >= this.#deps.cacheEntries) {
      const oldest = kept.keys().next();
      if (oldest.done === false) kept.delete(oldest.value);
    }
    kept.set(digest, value);
  }

  /** Called for a key in use whenever its cache entry ends, which is often enough to record its last use to the minute. */
  #noteUse(identity: Identity, { lastUsedAtMs }: StoredKey): void {
    const nowMs = this.#deps.clock.nowMs();
    const minuteMs = nowMs - (nowMs % USE_INTERVAL_MS);
    if (lastUsedAtMs === null || lastUsedAtMs < minuteMs) this.#deps.uses?.used(identity, minuteMs);
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
