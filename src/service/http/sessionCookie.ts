import type { IncomingMessage } from 'node:http';
import { SESSION_MS, SESSION_SCHEME } from '../accounts/accountKeys.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import type { HttpOptions } from './HttpParts.ts';
import { isOwnOrigin } from './origins.ts';

type Proxied = Pick<HttpOptions, 'trustProxy'>;

const SAFE_METHODS: readonly (string | undefined)[] = ['GET', 'HEAD'];

/** Whether the caller used TLS, as far as the service knows: the first entry describes its connection; Koa reads the same one. */
export function isTls({ headers }: IncomingMessage, { trustProxy }: Proxied): boolean {
  const forwarded = headers['x-forwarded-proto'];
  return trustProxy && typeof forwarded === 'string' && /^https(?:$|\s*,)/.test(forwarded);
}

/** Over TLS with the prefix for which browsers refuse a cookie of another host of the domain, or one set without TLS. */
const nameOf = (request: IncomingMessage, proxied: Proxied): string => `${isTls(request, proxied) ? '__Host-' : ''}tickmark_session`;

/** Set-Cookie with a token; null: the cookie ends. */
export function sessionCookie(token: string | null, request: IncomingMessage, proxied: Proxied): string {
  const lifeS = token === null ? 0 : SESSION_MS / 1000;
  const secure = isTls(request, proxied) ? '; Secure' : '';
  return `${nameOf(request, proxied)}=${token ?? ''}; Path=/; Max-Age=${lifeS}; HttpOnly; SameSite=Strict${secure}`;
}

/** The token in the cookie of a request of any page; undefined: there is none. */
export function sessionToken(request: IncomingMessage, proxied: Proxied): string | undefined {
  const name = nameOf(request, proxied);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at >= 0 && part.slice(0, at).trim() === name && part.slice(at + 1).startsWith(SESSION_SCHEME)) return part.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * Throws ServiceError `session.origin_refused` unless the page of this service has caused the request. Browsers add the cookie to requests of
 * other pages of the same site too, such as those of another port. They say who has caused a request in Sec-Fetch-Site (with TLS or on
 * localhost) and, if it may change something, in Origin; a request that says neither may only read, which another page cannot do.
 */
export function checkOwnPage(request: IncomingMessage, proxied: Proxied): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn =
    (site === undefined || site === 'same-origin' || (site === 'none' && SAFE_METHODS.includes(request.method))) &&
    (origin === undefined || isOwnOrigin(request, proxied)) &&
    (origin !== undefined || site !== undefined || SAFE_METHODS.includes(request.method));
  if (isOwn) return;
  const whose = origin === undefined ? 'does not say which page has caused it' : `is one of a page of ${quoteValue(origin)}`;
  throw new ServiceError('session.origin_refused', `The request ${whose}; a session counts for the page of this service alone.`);
}
