import { randomUUID } from 'node:crypto';
import { ServiceError } from '../core/ServiceError.ts';
import type { Account, StoredKey } from './AccountStore.ts';
import { digestOfKey, displayPrefix } from './apiKey.ts';

/** Maximum number of valid keys of one account. */
export const MAX_LIVE_KEYS = 20;
/** Maximum number of ended keys that are still listed, the newest ones. Both limits keep an account small. */
export const MAX_DEAD_KEYS = 50;

/** `grace`: replaced by a rotation, and still valid for the grace time. */
export const KEY_STATUSES = ['active', 'grace', 'expired', 'revoked'] as const;

export type KeyStatus = (typeof KEY_STATUSES)[number];

/** When a key ends without a revocation: its expiry or the end of its grace time, whichever is earlier; null: never. */
export function keyEndMs({ expiresAtMs, graceUntilMs }: Pick<StoredKey, 'expiresAtMs' | 'graceUntilMs'>): number | null {
  return expiresAtMs === null || graceUntilMs === null ? (expiresAtMs ?? graceUntilMs) : Math.min(expiresAtMs, graceUntilMs);
}

export function keyStatus(key: StoredKey, nowMs: number): KeyStatus {
  if (key.revokedAtMs !== null) return 'revoked';
  const endMs = keyEndMs(key);
  if (endMs !== null && endMs <= nowMs) return 'expired';
  return key.graceUntilMs === null ? 'active' : 'grace';
}

export function isLive(key: StoredKey, nowMs: number): boolean {
  const status = keyStatus(key, nowMs);
  return status === 'active' || status === 'grace';
}

/** The stored form of a key. */
export function storedKey(apiKey: string, nowMs: number, given: { name?: string | null; expiresAtMs?: number | null } = {}): StoredKey {
  return {
    id: randomUUID(),
    digest: digestOfKey(apiKey),
    prefix: displayPrefix(apiKey),
    name: given.name ?? null,
    createdAtMs: nowMs,
    expiresAtMs: given.expiresAtMs ?? null,
    revokedAtMs: null,
    graceUntilMs: null,
    lastUsedAtMs: null,
  };
}

/** Throws ServiceError `account.too_many_keys`. */
export function withKey(account: Account, key: StoredKey, nowMs: number): Account {
  const live = account.keys.filter((each) => isLive(each, nowMs));
  if (live.length >= MAX_LIVE_KEYS) {
    const detail = `An account may have ${MAX_LIVE_KEYS} valid keys; this one has ${live.length}. Revoke one first.`;
    throw new ServiceError('account.too_many_keys', detail);
  }
  const dead = account.keys.filter((each) => !isLive(each, nowMs));
  const kept = new Set([...live, ...dead.slice(-MAX_DEAD_KEYS)]);
  return { ...account, keys: [...account.keys.filter((each) => kept.has(each)), key] };
}

/** Throws ServiceError `key.unknown`. An earlier revocation keeps its time. */
export function withoutKey(account: Account, keyId: string, nowMs: number): Account {
  return withChangedKey(account, keyId, (key) => ({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }));
}

/**
 * Replaces a key by `key`, with the same name and expiry: a rotation never extends a lifetime. A key that was replaced before keeps its
 * grace time. Throws `key.unknown`, `account.too_many_keys`.
 */
export function withReplacedKey(account: Account, keyId: string, key: StoredKey, nowMs: number, graceMs: number): Account {
  const { name, expiresAtMs } = findKey(account, keyId);
  const replaced = withChangedKey(account, keyId, (old) => ({ ...old, graceUntilMs: old.graceUntilMs ?? nowMs + graceMs }));
  return withKey(replaced, { ...key, name, expiresAtMs }, nowMs);
}

export function withKeyUse(account: Account, keyId: string, atMs: number): Account {
  return withChangedKey(account, keyId, (key) => ({ ...key, lastUsedAtMs: Math.max(key.lastUsedAtMs ?? 0, atMs) }));
}

export function findKey(account: Account, keyId: string): StoredKey {
  const key = account.keys.find(({ id }) => id === keyId);
  if (key === undefined) throw new ServiceError('key.unknown', 'This account has no key with this id.');
  return key;
}

function withChangedKey(account: Account, keyId: string, change: (key: StoredKey) => StoredKey): Account {
  findKey(account, keyId);
  return { ...account, keys: account.keys.map((key) => (key.id === keyId ? change(key) : key)) };
}
