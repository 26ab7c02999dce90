import type { IncomingMessage } from 'node:http';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import type { HttpOptions } from './HttpParts.ts';

/** A browser shows its user only that a call was refused; its list of network requests shows this answer. */
export function originRefused(origin: string, origins: readonly string[]): ServiceError {
  const listed = origins.length === 0 ? 'it lists none' : 'it lists others';
  return new ServiceError(
    'cors.origin_refused',
    `Pages of ${quoteValue(origin)} may not call this service: CORS_ORIGINS must list the origin; ${listed}.`,
    { headers: { Vary: 'Origin' } },
  );
}

/**
 * Throws ServiceError `cors.origin_refused` for the WebSocket of a page that is neither of this service nor listed: browsers send its request
 * without a preflight request. Programs send no Origin.
 */
export function checkOrigin(request: IncomingMessage, options: Pick<HttpOptions, 'corsOrigins' | 'trustProxy'>): void {
  const { origin } = request.headers;
  const { corsOrigins } = options;
  if (origin === undefined || corsOrigins.includes('*') || corsOrigins.includes(origin)) return;
  if (!isOwnOrigin(request, options)) throw originRefused(origin, corsOrigins);
}

/** Whether the Origin of a request is the address at which it has reached the service. */
export function isOwnOrigin({ headers }: IncomingMessage, { trustProxy }: Pick<HttpOptions, 'trustProxy'>): boolean {
  const { origin = '' } = headers;
  const forwarded = trustProxy ? headers['x-forwarded-host'] : undefined;
  const own = (typeof forwarded === 'string' ? forwarded.split(',')[0].trim() : headers.host)?.toLowerCase();
  // A default port stands in neither of them; the protocol is that of the proxy.
  return URL.canParse(origin) && /^https?:/.test(origin) && own?.replace(/:(?:80|443)$/, '') === new URL(origin).host;
}
