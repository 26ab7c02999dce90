import { randomBytes as cryptoRandomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../core/Clock.ts';
import { fieldProblem, invalidRequest, ServiceError, type FieldProblem } from '../core/ServiceError.ts';
import type { AccountStore } from './AccountStore.ts';
import { createApiKey, digestOfKey, displayPrefix, type RandomBytes } from './apiKey.ts';
import { emailKeyOf, emailProblem } from './emailRules.ts';
import { isUnicodeText } from './isUnicodeText.ts';
import type { PasswordHasher } from './PasswordHasher.ts';
import { passwordProblems } from './passwordRules.ts';

const MAX_COMPANY_ID_CHARACTERS = 128;

export type SignUpRequest = {
  readonly email: string;
  readonly password: string;
  /** Given where a form asks twice; must equal `password` exactly. */
  readonly confirmPassword?: string;
  readonly companyId?: string;
};

/** `email` as typed. `apiKey` is here and nowhere else: show it once. */
export type SignUpResult = { readonly email: string; readonly apiKey: string };

export type AccountServiceDeps = {
  readonly store: AccountStore;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly isSignUpOpen: boolean;
  readonly randomBytes?: RandomBytes;
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

/** Makes accounts and their first keys. */
export class AccountService {
  readonly #deps: AccountServiceDeps;

  constructor(deps: AccountServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Makes an account with one key. Throws ServiceError `request.invalid` with every broken rule, `account.signup_closed`,
   * `account.busy`, `account.email_taken` or `store.unavailable`, looked for in this order.
   *
   * That an address is taken is told (409): hiding it needs an e-mail to the address, and this service sends none.
   * The hash is computed before the store is asked, so that both answers cost the same time and one guess costs a whole hash.
   */
  async signUp(request: SignUpRequest): Promise<SignUpResult> {
    const { store, hasher, clock, isSignUpOpen, randomBytes = cryptoRandomBytes } = this.#deps;
    const { email, password, confirmPassword, companyId } = request;
    const problems = [emailProblem(email) ?? [], passwordProblems(password, confirmPassword), companyProblems(companyId)].flat();
    if (problems.length > 0) throw invalidRequest(problems);
    if (!isSignUpOpen) throw new ServiceError('account.signup_closed', 'Sign-up is closed on this service.');

    const passwordHash = await hasher.hash(password);
    const apiKey = createApiKey(randomBytes);
    const createdAtMs = clock.nowMs();
    const accountId = randomUUID();
    const outcome = await store.createAccount(
      { id: accountId, email, emailKey: emailKeyOf(email), companyId: companyId ?? null, passwordHash, createdAtMs },
      {
        id: randomUUID(),
        accountId,
        digest: digestOfKey(apiKey),
        prefix: displayPrefix(apiKey),
        name: null,
        createdAtMs,
        expiresAtMs: null,
        revokedAtMs: null,
      },
    );
    if (outcome === 'email_taken') throw new ServiceError('account.email_taken', 'An account with this e-mail exists.');
    return { email, apiKey };
  }
}
