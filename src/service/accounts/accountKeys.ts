import { hash, randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ServiceError } from '../../core/ServiceError.ts';
import { dayOf } from '../live/TrackRecord.ts';
import type { Account, AccountChange, DayUse, StoredKey, UseCounts } from './AccountStore.ts';

/** Maximum number of valid keys of one account. */
export const MAX_LIVE_KEYS = 20;
/** Maximum number of ended keys that are still listed, the newest ones. Both limits keep an account small. */
export const MAX_DEAD_KEYS = 50;
/** Days of use that a key keeps, the newest ones: one more than is shown, for a day of a clock that was wrong. */
const KEPT_DAYS = 31;
const SHOWN_DAYS = 30;
const MS_PER_DAY = 86_400_000;

/** Sessions of one account; the one that was not used for the longest time ends for another one. */
const MAX_SESSIONS = 10;
/** A session ends a week after its last use, and a month after its start. */
const SESSION_IDLE_MS = 7 * MS_PER_DAY;
export const SESSION_MS = 30 * MS_PER_DAY;

/** `grace`: replaced by a rotation, and still valid for the grace time. */
export type KeyStatus = 'active' | 'grace' | 'expired' | 'revoked';

/** When a key ends without a revocation: its expiry, the end of its grace time or of its idle time, whichever is earliest; null: never. */
export function keyEndMs(key: StoredKey): number | null {
  const idleUntilMs = isSession(key) ? (key.lastUsedAtMs ?? key.createdAtMs) + SESSION_IDLE_MS : null;
  const ends = [key.expiresAtMs, key.graceUntilMs, idleUntilMs].filter((endMs) => endMs !== null);
  return ends.length === 0 ? null : Math.min(...ends);
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

/** A session is stored like a key: the digest of its token finds the account (docs/adr/0110-a-session-is-a-key-of-another-scheme.md). */
export const isSession = ({ prefix }: Pick<StoredKey, 'prefix'>): boolean => prefix.startsWith(SESSION_SCHEME);
export const apiKeysOf = ({ keys }: Pick<Account, 'keys'>): StoredKey[] => keys.filter((key) => !isSession(key));
export const sessionsOf = ({ keys }: Pick<Account, 'keys'>, nowMs: number): StoredKey[] =>
  keys.filter((key) => isSession(key) && isLive(key, nowMs));

/** Adds a session, and drops those that have ended. */
export function withSession(account: Account, session: StoredKey, nowMs: number): Account {
  const usedMs = ({ lastUsedAtMs, createdAtMs }: StoredKey): number => lastUsedAtMs ?? createdAtMs;
  const others = sessionsOf(account, nowMs).sort((a, b) => usedMs(b) - usedMs(a));
  return { ...account, keys: [...apiKeysOf(account), ...others.slice(0, MAX_SESSIONS - 1), session] };
}

/** Throws ServiceError `session.unknown`. */
export function findSession(account: Account, id: string, nowMs: number): StoredKey {
  const session = sessionsOf(account, nowMs).find((each) => each.id === id);
  if (session === undefined) throw new ServiceError('session.unknown', 'This account has no session with this id.');
  return session;
}

/** Throws ServiceError `account.too_many_keys`. */
export function withKey(account: Account, key: StoredKey, nowMs: number): Account {
  const live = apiKeysOf(account).filter((each) => isLive(each, nowMs));
  if (live.length >= MAX_LIVE_KEYS) {
    const detail = `An account may have ${MAX_LIVE_KEYS} valid keys; this one has ${live.length}. Revoke one first.`;
    throw new ServiceError('account.too_many_keys', detail);
  }
  const dead = apiKeysOf(account).filter((each) => !isLive(each, nowMs));
  const kept = new Set([...live, ...dead.slice(-MAX_DEAD_KEYS), ...sessionsOf(account, nowMs)]);
  return { ...account, keys: [...account.keys.filter((each) => kept.has(each)), key] };
}

/** Throws ServiceError `key.unknown`. An earlier revocation keeps its time. */
export function withoutKey(account: Account, keyId: string, nowMs: number): Account {
  return withChangedKey(account, keyId, (key) => ({ ...key, revokedAtMs: key.revokedAtMs ?? nowMs }));
}

/**
 * Replaces a key by `key`, with the same name and end: a rotation never extends a lifetime. A key that was replaced before keeps its
 * grace time, and the new key ends with it, so that a stolen old key gives no lasting one. Throws `key.unknown`, `account.too_many_keys`.
 */
export function withReplacedKey(account: Account, keyId: string, key: StoredKey, nowMs: number, graceMs: number): Account {
  const old = findKey(account, keyId);
  const replaced = withChangedKey(account, keyId, (each) => ({ ...each, graceUntilMs: each.graceUntilMs ?? nowMs + graceMs }));
  return withKey(replaced, { ...key, name: old.name, expiresAtMs: keyEndMs(old) }, nowMs);
}

/** What a process has counted of a key since its last write. `days`: by UTC day; permits that were returned may make them negative. */
export type NewUse = { readonly lastUsedAtMs: number | null; readonly days: ReadonlyMap<string, UseCounts> };

/** Adds uses by key id, each batch once; keys that no longer exist are skipped. Undefined if nothing changes. */
export function withUses(account: Account, uses: ReadonlyMap<string, NewUse>, batch: string): AccountChange | undefined {
  const keys = account.keys.map((key) => {
    const use = uses.get(key.id);
    return use === undefined || key.use?.batch === batch ? key : withUse(key, use, batch);
  });
  return keys.every((key, i) => key === account.keys[i]) ? undefined : { account: { ...account, keys } };
}

function withUse(key: StoredKey, { lastUsedAtMs, days }: NewUse, batch: string): StoredKey {
  const used = lastUsedAtMs === null ? key : { ...key, lastUsedAtMs: Math.max(key.lastUsedAtMs ?? 0, lastUsedAtMs) };
  if (days.size === 0) return used;
  const sums = new Map<string, DayUse>(key.use?.days.map((one) => [one.day, one]));
  for (const [day, counts] of days) {
    const sum = addCounts(sums.get(day) ?? NO_USE, counts);
    sums.set(day, { day, forecasts: Math.max(0, sum.forecasts), refused: sum.refused });
  }
  const kept = [...sums.values()].filter(({ forecasts, refused }) => forecasts + refused > 0).sort((a, b) => (a.day < b.day ? -1 : 1));
  return { ...used, use: { batch, days: kept.slice(-KEPT_DAYS) } };
}

const NO_USE: UseCounts = { forecasts: 0, refused: 0 };

function addCounts(a: UseCounts, b: UseCounts): UseCounts {
  return { forecasts: a.forecasts + b.forecasts, refused: a.refused + b.refused };
}

/** The use of a key on the present UTC day, and on this day and the 29 before. */
export function sumUse({ use }: StoredKey, nowMs: number): { readonly today: UseCounts; readonly last30Days: UseCounts } {
  const today = dayOf(nowMs);
  const sumFrom = (from: string): UseCounts =>
    (use?.days ?? []).filter(({ day }) => day >= from && day <= today).reduce<UseCounts>(addCounts, NO_USE);
  return { today: sumFrom(today), last30Days: sumFrom(dayOf(nowMs - (SHOWN_DAYS - 1) * MS_PER_DAY)) };
}

/** Throws ServiceError `key.unknown`, for a session too: it is neither revoked nor rotated as a key. */
export function findKey(account: Account, keyId: string): StoredKey {
  const key = apiKeysOf(account).find(({ id }) => id === keyId);
  if (key === undefined) throw new ServiceError('key.unknown', 'This account has no key with this id.');
  return key;
}

function withChangedKey(account: Account, keyId: string, change: (key: StoredKey) => StoredKey): Account {
  findKey(account, keyId);
  return { ...account, keys: account.keys.map((key) => (key.id === keyId ? change(key) : key)) };
}

/**
 * A key is `tkm_live_`, 27 random characters of base62 (160.8 bits) and the CRC-32 of both as 6 characters of base62. The checksum detects
 * typing errors without a store call; only the random part gives security.
 */
const SCHEME = 'tkm_live_';
const RANDOM_LENGTH = 27;
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = SCHEME.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
/** 4 random characters distinguish the keys of an owner and leave 137 bits unknown to a reader. */
const PREFIX_LENGTH = SCHEME.length + 4;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^tkm_live_[0-9A-Za-z]{33}$/;
/** Counts only in the cookie; a key counts only in its headers. */
export const SESSION_SCHEME = 'tkm_session_';
const SESSION_LENGTH = 43;
const SESSION_SHAPE = /^tkm_session_[0-9A-Za-z]{43}$/;
/** Bytes from here on are discarded: 248 is the largest multiple of 62 in a byte, so all characters are equally likely. */
const FIRST_REFUSED_BYTE = 248;

/** `bytes`: unpredictable ones, except in tests. */
function randomCharacters(count: number, bytes: (count: number) => Uint8Array): string {
  let text = '';
  while (text.length < count) {
    for (const byte of bytes(count - text.length)) {
      if (byte < FIRST_REFUSED_BYTE) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

/** CRC-32 (ISO-HDLC, as in zlib) of the text, fixed width, most significant digit first. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

/** A token for the cookie of a session: 256 random bits, of which only a digest is stored. */
export function createSessionToken(): string {
  return SESSION_SCHEME + randomCharacters(SESSION_LENGTH, randomBytes);
}

/** A new key. Show it once and keep only its digest. */
export function createApiKey(bytes: (count: number) => Uint8Array = randomBytes): string {
  const body = SCHEME + randomCharacters(RANDOM_LENGTH, bytes);
  return body + checksumOf(body);
}

/** Whether the text has the form of a key and a correct checksum, or that of the token of a session; the work is bounded for any text. */
export function isWellFormedKey(text: string): boolean {
  if (SESSION_SHAPE.test(text)) return true;
  if (text.length !== KEY_LENGTH || !SHAPE.test(text)) return false;
  return checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 of the whole key, hex: the store finds keys by it. */
export function digestOfKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** First characters of a key, for display. */
export function displayPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}
