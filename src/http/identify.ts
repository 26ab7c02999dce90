import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts/AccountStore.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { LoginOrigin } from '../accounts/PasswordLogin.ts';
import type { RouteSpec } from '../contract/routes.ts';
import { keyRefused, passwordRefused } from './failures.ts';
import type { HttpParts } from './HttpParts.ts';
import { readBasic } from './readBasic.ts';

/** The authenticated caller: a key or an account, as the route requires. */
export type AuthenticatedCaller = { readonly caller: Identity | undefined; readonly owner: Account | undefined };

/**
 * Checks the key or the password that a route needs. Throws ServiceError `auth.key_refused`, `auth.password_refused`, and the errors of the
 * parts.
 */
export async function identify(
  { needsKey, needsPassword }: RouteSpec,
  { headers }: IncomingMessage,
  parts: () => HttpParts,
  origin: LoginOrigin,
): Promise<AuthenticatedCaller> {
  if (needsKey === true) {
    const key = headers['api-key'];
    const caller = await parts().authenticate(Array.isArray(key) ? key.join(', ') : key, origin.subject);
    if (caller === undefined) throw keyRefused();
    return { caller, owner: undefined };
  }
  if (needsPassword === true) {
    const { login } = parts();
    const credentials = readBasic(headers.authorization);
    const owner = credentials && (await login(credentials, origin));
    if (owner === undefined) throw passwordRefused();
    return { caller: undefined, owner };
  }
  return { caller: undefined, owner: undefined };
}
