import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { SESSION_SCHEME } from '../accounts/accountKeys.ts';
import type { Account } from '../accounts/AccountStore.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { LoginOrigin } from '../accounts/PasswordLogin.ts';
import type { RouteSpec } from '../../contract/routes.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { HttpParts, HttpDeps, HttpOptions } from './HttpParts.ts';
import { checkOwnPage, sessionToken } from './sessionCookie.ts';
import { KEY_CHALLENGE, keyRefused, passwordRefused } from './failures.ts';

/** The authenticated caller: a key or an account, as the route requires. */
export type AuthenticatedCaller = { readonly caller: Identity | undefined; readonly owner: Account | undefined };

/**
 * Checks the key, the password or the session that a route needs. Throws ServiceError `auth.key_refused`, `auth.password_refused`,
 * `session.origin_refused`, and the errors of the parts.
 */
export async function identify(
  { needsKey, needsPassword, takesSession }: RouteSpec,
  request: IncomingMessage,
  parts: () => HttpParts,
  origin: LoginOrigin,
  options: Pick<HttpOptions, 'trustProxy'>,
): Promise<AuthenticatedCaller> {
  const { headers } = request;
  if (needsKey === true) {
    const key = keyOf(headers) ?? sessionOf(request, options);
    const caller = await parts().authenticate(key, origin.subject);
    if (caller === undefined) throw keyRefused(headers['api-key'] === undefined && key !== undefined);
    return { caller, owner: undefined };
  }
  const token = takesSession === true && headers.authorization === undefined ? sessionOf(request, options) : undefined;
  if (token !== undefined) {
    const caller = await parts().authenticate(token, origin.subject);
    const owner = caller && (await parts().account(caller.accountId));
    // With the challenge of HTTP Basic, the browser would ask for a password itself.
    if (owner === undefined) throw passwordRefused(KEY_CHALLENGE);
    return { caller, owner };
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

/** The token of the session of a request, which only the page of the service may send. Throws ServiceError `session.origin_refused`. */
function sessionOf(request: IncomingMessage, options: Pick<HttpOptions, 'trustProxy'>): string | undefined {
  const token = sessionToken(request, options);
  if (token !== undefined) checkOwnPage(request, options);
  return token;
}

const BEARER = /^bearer +([^ ]+) *$/i;

/**
 * The key of a request: of the header Api-Key, or of `Authorization: Bearer`; other schemes are ignored. Throws ServiceError
 * `auth.key_refused` for two different keys, one of which may belong to someone else.
 */
export function keyOf(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers['api-key'];
  const key = Array.isArray(sent) ? sent.join(', ') : sent;
  const bearer = headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1];
  if (key === undefined || bearer === undefined || key === bearer) {
    const one = key ?? bearer;
    // The token of a session is no key.
    return one?.startsWith(SESSION_SCHEME) === true ? '' : one;
  }
  throw new ServiceError('auth.key_refused', 'Api-Key and Authorization: Bearer contain different keys; send one of them.', {
    headers: { 'WWW-Authenticate': KEY_CHALLENGE },
  });
}

/**
 * The address of the caller. Behind a trusted proxy it is the last entry of X-Forwarded-For, which the proxy adds; earlier entries come
 * from the caller. If the entry is not an address, the address of the proxy counts.
 */
export function callerAddress(request: IncomingMessage, trustProxy: boolean): string {
  const peer = request.socket.remoteAddress ?? '';
  if (!trustProxy) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',').at(-1)?.trim() ?? '';
  // Some proxies add the port.
  const address = /^\[([^\]]+)\](?::\d+)?$/.exec(last)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(address) === 0 ? peer : address;
}

/** Warns at the first request that came through a proxy whose headers are ignored: limits by address then count all callers as one. */
export function watchForProxy({ logger }: Pick<HttpDeps, 'logger'>, { trustProxy }: Pick<HttpOptions, 'trustProxy'>) {
  let isDone = trustProxy;
  return ({ headers }: IncomingMessage): void => {
    if (isDone || (headers['x-forwarded-for'] ?? headers.forwarded) === undefined) return;
    isDone = true;
    logger.warn(
      'a request carries X-Forwarded-For or Forwarded, and TRUST_PROXY is off: behind a proxy, all callers share its address for the limits. If it is your proxy, make it send X-Forwarded-For and set TRUST_PROXY=true',
    );
  };
}

/**
 * E-mail and password of an Authorization header (RFC 7617, UTF-8); undefined if the header has another form. The password may contain
 * colons, the e-mail may not.
 */
export function readBasic(header: string | undefined): { readonly email: string; readonly password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { email: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The audit log stores at most 64 characters. */
const FORM = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,63}$/;
/** An API key is never repeated in an answer, a log or the audit log. */
const KEY = /tkm_/i;

/** The id in X-Request-Id, with which a proxy or caller finds its request in the log, if it has the form of one; otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && FORM.test(sent) && !KEY.test(sent) ? sent : randomUUID();
}

/** Name and version of the tickmark client that sent the request; null: another program. The rest of the header is not read. */
export const clientOf = ({ headers }: IncomingMessage): string | null =>
  /^tickmark-client-[a-z]{1,16}\/\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+-]{0,16}/.exec(headers['user-agent'] ?? '')?.[0] ?? null;
