import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import { type Account, type AccountStore, findAccountByEmail } from './AccountStore.ts';
import { auditEvent, NO_ACCOUNT } from './AuditEvent.ts';
import { emailKeyOf } from './accountRules.ts';
import type { Limits } from './limits/createLimits.ts';
import type { Permit } from './limits/RateLimit.ts';
import type { PasswordHasher } from './Argon2Hasher.ts';

/** No e-mail of an account is longer; longer texts are truncated to this length for the limit. */
const MAX_SUBJECT = 254;

export type Credentials = { readonly email: string; readonly password: string };

/** Origin of a login: `subject` is the address as the limits count it. */
export type LoginOrigin = { readonly subject: string; readonly requestId: string };

export type PasswordLoginDeps = {
  readonly store: AccountStore;
  readonly hasher: PasswordHasher;
  readonly limits: Pick<Limits, 'logins' | 'failedLogins' | 'failedLoginsOfAccount'>;
  readonly clock: Clock;
  readonly logger: Logger;
};

/** Finds the account for an e-mail and a password. */
export class PasswordLogin {
  readonly #deps: PasswordLoginDeps;

  constructor(deps: PasswordLoginDeps) {
    this.#deps = deps;
  }

  /**
   * The account; undefined if the e-mail is unknown, the password is wrong or the account is disabled. Each case costs one full hash, so
   * that neither the answer nor its time reveals which one it is. Throws ServiceError `limit.exceeded` (before the hash), `account.busy`,
   * `store.unavailable`.
   */
  async verify({ email, password }: Credentials, { subject, requestId }: LoginOrigin): Promise<Account | undefined> {
    const { limits } = this.#deps;
    const emailKey = emailKeyOf(email);
    await limits.logins.take(subject);
    const permits: Permit[] = [];
    let found: { readonly account: Account | undefined; readonly isGood: boolean } | undefined;
    try {
      // Taken before the hash, so that concurrent guesses count like sequential ones.
      permits.push(await limits.failedLogins.take(subject));
      permits.push(await limits.failedLoginsOfAccount.take(emailKey.slice(0, MAX_SUBJECT)));
      found = await this.#find(email, password);
    } finally {
      // Only a wrong password counts, not a failure of the service, and not a login that another limit refused.
      if (found?.isGood !== false) await Promise.allSettled(permits.map((permit) => permit.giveBack()));
    }
    const { account, isGood } = found;
    if (account !== undefined && isGood) {
      await this.#rehash(account, password);
      return account;
    }
    // Also for an e-mail without an account: the write delays the next request, which would reveal the known e-mails.
    this.#noteFailure(account?.id ?? NO_ACCOUNT, requestId);
    return undefined;
  }

  async #find(email: string, password: string): Promise<{ account: Account | undefined; isGood: boolean }> {
    const { store, hasher } = this.#deps;
    const account = await findAccountByEmail(store, email);
    const isRight = await hasher.verify(account?.passwordHash ?? hasher.dummyHash, password);
    return { account, isGood: isRight && account?.disabledAtMs === null };
  }

  /** Runs after the answer, which does not wait for the write. */
  #noteFailure(accountId: string, requestId: string): void {
    const { store, clock, logger } = this.#deps;
    const event = auditEvent('account.login_failed', { actor: 'anybody', requestId }, accountId, clock.nowMs());
    // Each line has what the audit log lacks, so none is only counted.
    const write = (): void =>
      void store.appendEvent(event).catch((error: unknown) => logger.error('audit event not stored', { ...event, reason: String(error) }));
    clock.after(0, write, true);
  }

  /** Rehashes with the current policy: the password is available only during a login. */
  async #rehash(account: Account, password: string): Promise<void> {
    const { store, hasher, logger } = this.#deps;
    if (!hasher.needsRehash(account.passwordHash)) return;
    try {
      const passwordHash = await hasher.hash(password);
      await store.changeAccount(account.id, (now) =>
        // Does not overwrite a password that was changed in the meantime.
        now.passwordHash === account.passwordHash ? { account: { ...now, passwordHash } } : undefined,
      );
    } catch (error) {
      logger.warn('password hash not upgraded', { accountId: account.id, error });
    }
  }
}
