import type { Clock } from '../../core/Clock.ts';
import { fieldProblem, invalidRequest, quoteValue, type FieldProblem } from '../../core/ServiceError.ts';
import { unknownAccount } from './AccountService.ts';
import {
  findKey,
  findSession,
  storedKey,
  withKey,
  withoutKey,
  withReplacedKey,
  withSession,
  createApiKey,
  createSessionToken,
  SESSION_MS,
} from './accountKeys.ts';
import type { Account, AccountChange, AccountStore, StoredKey } from './AccountStore.ts';
import { auditEvent, type Origin } from './AuditEvent.ts';
import { parseExpiry, isUnicodeText } from './accountRules.ts';

const MAX_NAME_CHARACTERS = 64;

export type KeyRequest = { readonly name?: string; /** ISO 8601, UTC. */ readonly expiresAt?: string };

/** `apiKey` is not stored and not logged: show it once. */
export type IssuedKey = { readonly apiKey: string; readonly key: StoredKey };
export type RotatedKey = IssuedKey & { /** The old key, which works on for its grace. */ readonly replaced: StoredKey };

export type KeyServiceDeps = {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** How long a replaced key works after a rotation. */
  readonly graceMs: number;
  /** Called with the id of every account whose keys have changed. */
  readonly onChange?: (accountId: string) => void;
};

function nameProblems(name: string | undefined): FieldProblem[] {
  if (name === undefined) return [];
  const count = [...name].length;
  if (count === 0 || count > MAX_NAME_CHARACTERS) {
    return [fieldProblem('/name', 'key_name.length', `name must have 1 to ${MAX_NAME_CHARACTERS} characters; it has ${count}.`)];
  }
  if (isUnicodeText(name) && !/\p{Cc}/u.test(name)) return [];
  return [fieldProblem('/name', 'field.wrong_type', `name must be text without control characters; it is ${quoteValue(name)}.`)];
}

/**
 * Issues, rotates and revokes the keys of an account, and starts and ends its sessions. Every method throws `account.unknown` if the account does not exist, and
 * `store.unavailable`.
 */
export class KeyService {
  readonly #deps: KeyServiceDeps;

  constructor(deps: KeyServiceDeps) {
    this.#deps = deps;
  }

  /** Throws ServiceError `request.invalid` with every broken rule, `account.too_many_keys`. */
  async issue(accountId: string, { name, expiresAt }: KeyRequest, origin: Origin): Promise<IssuedKey> {
    const { clock } = this.#deps;
    const nowMs = clock.nowMs();
    const expiry = expiresAt === undefined ? null : parseExpiry(expiresAt, nowMs);
    const problems = [...nameProblems(name), ...(typeof expiry === 'object' && expiry !== null ? [expiry] : [])];
    if (problems.length > 0) throw invalidRequest(problems);
    const apiKey = createApiKey();
    const key = storedKey(apiKey, nowMs, { name: name ?? null, expiresAtMs: expiry as number | null });
    await this.#change(accountId, (account) => ({
      account: withKey(account, key, nowMs),
      event: auditEvent('key.issued', origin, accountId, nowMs, key.id),
    }));
    return { apiKey, key };
  }

  /** Replaces a key by a new one with the same name and expiry. Throws `key.unknown`, `account.too_many_keys`. */
  async rotate(accountId: string, keyId: string, origin: Origin): Promise<RotatedKey> {
    const { clock, graceMs } = this.#deps;
    const nowMs = clock.nowMs();
    const apiKey = createApiKey();
    const fresh = storedKey(apiKey, nowMs);
    const account = await this.#change(accountId, (before) => ({
      account: withReplacedKey(before, keyId, fresh, nowMs, graceMs),
      event: auditEvent('key.rotated', origin, accountId, nowMs, keyId),
    }));
    return { apiKey, key: findKey(account, fresh.id), replaced: findKey(account, keyId) };
  }

  /** Returns the revoked key; revoking it again changes nothing. Throws `key.unknown`. */
  async revoke(accountId: string, keyId: string, origin: Origin): Promise<StoredKey> {
    const nowMs = this.#deps.clock.nowMs();
    const account = await this.#change(accountId, (before) => {
      if (findKey(before, keyId).revokedAtMs !== null) return undefined;
      return { account: withoutKey(before, keyId, nowMs), event: auditEvent('key.revoked', origin, accountId, nowMs, keyId) };
    });
    return findKey(account, keyId);
  }

  /** Starts a session, always with a new token. Throws ServiceError `request.invalid` for its name. */
  async startSession(accountId: string, name: string | undefined, origin: Origin): Promise<{ token: string; session: StoredKey }> {
    const { clock } = this.#deps;
    const problems = nameProblems(name);
    if (problems.length > 0) throw invalidRequest(problems);
    const nowMs = clock.nowMs();
    const token = createSessionToken();
    const session = storedKey(token, nowMs, { name: name ?? null, expiresAtMs: nowMs + SESSION_MS });
    await this.#change(accountId, (account) => ({
      account: withSession(account, session, nowMs),
      event: auditEvent('session.started', origin, accountId, nowMs, session.id),
    }));
    return { token, session };
  }

  /** Returns the session as it was. Throws `session.unknown`. */
  async endSession(accountId: string, id: string, origin: Origin): Promise<StoredKey> {
    const nowMs = this.#deps.clock.nowMs();
    let ended: StoredKey | undefined;
    await this.#change(accountId, (before) => {
      ended = findSession(before, id, nowMs);
      const keys = before.keys.filter((key) => key !== ended);
      return { account: { ...before, keys }, event: auditEvent('session.ended', origin, accountId, nowMs, id) };
    });
    return ended!;
  }

  async #change(accountId: string, change: (account: Account) => AccountChange | undefined): Promise<Account> {
    const account = await this.#deps.store.changeAccount(accountId, change);
    this.#deps.onChange?.(accountId);
    if (account === undefined) throw unknownAccount();
    return account;
  }
}
