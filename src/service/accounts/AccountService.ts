import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/Clock.ts';
import { fieldProblem, invalidRequest, ServiceError, type FieldProblem } from '../../core/ServiceError.ts';
import { apiKeysOf, storedKey, createApiKey } from './accountKeys.ts';
import { type Account, type AccountChange, type AccountStore, findAccountByEmail } from './AccountStore.ts';
import { auditEvent, type AuditAction, type Origin } from './AuditEvent.ts';
import { emailKeyOf, emailProblem, emailKeysOf, LOCAL_EMAIL, isUnicodeText, passwordProblems } from './accountRules.ts';
import type { Permit } from './limits/RateLimit.ts';
import type { PasswordHasher } from './Argon2Hasher.ts';

const MAX_COMPANY_ID_CHARACTERS = 128;

export type SignUpRequest = {
  readonly email: string;
  readonly password: string;
  /** For forms that ask twice; must equal `password` exactly. */
  readonly confirmPassword?: string;
  readonly companyId?: string;
};

export type NewPassword = Pick<SignUpRequest, 'password' | 'confirmPassword'>;

/** `email` as typed. `apiKey` is not stored and not logged: show it once. */
export type SignUpResult = { readonly accountId: string; readonly email: string; readonly apiKey: string };

/** `admit` takes a permit of the sign-up limit; it is called only for requests that pass validation. */
export type SignUpOrigin = Origin & { readonly admit?: () => Promise<Permit> };

export type AccountServiceDeps = {
  readonly store: AccountStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  /** Whether sign-up is open to everyone; the operator may always create accounts. */
  readonly isSignUpOpen: boolean;
  /** Called with the id of every changed or deleted account. */
  readonly onChange?: (accountId: string) => void;
};

function companyProblems(companyId: string | undefined): FieldProblem[] {
  if (companyId === undefined) return [];
  const count = [...companyId].length;
  if (count > MAX_COMPANY_ID_CHARACTERS) {
    const detail = `company_id must have at most ${MAX_COMPANY_ID_CHARACTERS} characters; it has ${count}.`;
    return [fieldProblem('/company_id', 'company_id.too_long', detail)];
  }
  if (isUnicodeText(companyId)) return [];
  return [fieldProblem('/company_id', 'field.wrong_type', 'company_id must be Unicode text; it has half a surrogate pair.')];
}

/** Creates accounts with their first keys, changes them and deletes them. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an account with one key. Throws ServiceError `request.invalid` with every broken rule, `account.signup_closed`,
   * `limit.exceeded`, `account.busy`, `account.email_taken` or `store.unavailable`, checked in this order.
   *
   * A taken address is reported (409): hiding it would need an e-mail to that address, and this service sends none. The hash is computed
   * before the store call, so that both answers take the same time and each guess costs a full hash.
   */
  async signUp(request: SignUpRequest, origin: SignUpOrigin): Promise<SignUpResult> {
    const { store, hasher, clock, isSignUpOpen } = this.#deps;
    const { email, password, confirmPassword, companyId } = request;
    const problems = [emailProblem(email) ?? [], passwordProblems(password, confirmPassword), companyProblems(companyId)].flat();
    if (emailKeyOf(email) === LOCAL_EMAIL && origin.actor !== 'operator')
      problems.push(fieldProblem('/email', 'email.reserved', `email must not be ${LOCAL_EMAIL}, which the service itself uses.`));
    if (problems.length > 0) throw invalidRequest(problems);
    if (!isSignUpOpen && origin.actor !== 'operator') throw new ServiceError('account.signup_closed', 'Sign-up is closed on this service.');
    await origin.admit?.();

    const passwordHash = await hasher.hash(password);
    const apiKey = createApiKey();
    const createdAtMs = clock.nowMs();
    const id = randomUUID();
    const account: Account = {
      id,
      email,
      emailKey: emailKeyOf(email),
      companyId: companyId ?? null,
      passwordHash,
      createdAtMs,
      disabledAtMs: null,
      keys: [storedKey(apiKey, createdAtMs)],
    };
    // New accounts never use an older form, so no such account can appear between this lookup and the creation.
    const isTaken = emailKeysOf(email).length > 1 && (await findAccountByEmail(store, email)) !== undefined;
    const event = auditEvent('account.created', origin, id, createdAtMs);
    const outcome = isTaken ? 'email_taken' : await store.createAccount(account, event);
    if (outcome === 'email_taken') throw new ServiceError('account.email_taken', 'An account with this e-mail exists.');
    return { accountId: id, email, apiKey };
  }

  /** Throws ServiceError `request.invalid`, `account.busy`, `account.unknown`, `store.unavailable`. Ends the sessions; the keys do not change. */
  async changePassword(accountId: string, { password, confirmPassword }: NewPassword, origin: Origin): Promise<void> {
    const problems = passwordProblems(password, confirmPassword);
    if (problems.length > 0) throw invalidRequest(problems);
    const passwordHash = await this.#deps.hasher.hash(password);
    await this.#change(accountId, 'account.password_changed', origin, (account) => ({
      ...account,
      passwordHash,
      keys: apiKeysOf(account),
    }));
  }

  /** Refuses the password and the keys until the account is enabled again. Throws `account.unknown`, `store.unavailable`. */
  async disable(accountId: string, origin: Origin): Promise<void> {
    const disabledAtMs = this.#deps.clock.nowMs();
    await this.#change(accountId, 'account.disabled', origin, (account) =>
      account.disabledAtMs === null ? { ...account, disabledAtMs } : undefined,
    );
  }

  async enable(accountId: string, origin: Origin): Promise<void> {
    await this.#change(accountId, 'account.enabled', origin, (account) =>
      account.disabledAtMs === null ? undefined : { ...account, disabledAtMs: null },
    );
  }

  /** Erases e-mail, company, password hash and keys. Audit events stay under the account id, which then identifies no person. */
  async delete(accountId: string, origin: Origin): Promise<void> {
    const { store, clock, onChange } = this.#deps;
    const isDone = await store.deleteAccount(accountId, auditEvent('account.deleted', origin, accountId, clock.nowMs()));
    onChange?.(accountId);
    if (!isDone) throw unknownAccount();
  }

  async #change(accountId: string, action: AuditAction, origin: Origin, change: (account: Account) => Account | undefined): Promise<void> {
    const { store, clock, onChange } = this.#deps;
    const found = await store.changeAccount(accountId, (before): AccountChange | undefined => {
      const account = change(before);
      return account && { account, event: auditEvent(action, origin, accountId, clock.nowMs()) };
    });
    onChange?.(accountId);
    if (found === undefined) throw unknownAccount();
  }
}

export function unknownAccount(): ServiceError {
  return new ServiceError('account.unknown', 'There is no such account.');
}
