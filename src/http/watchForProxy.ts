import type { IncomingMessage } from 'node:http';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';

/** Looks at every request, and warns at the first one that came through a proxy whose fields are ignored: limits by address then count all callers as one. */
export function watchForProxy({ logger }: Pick<HttpDeps, 'logger'>, { trustProxy }: Pick<HttpOptions, 'trustProxy'>) {
  let isDone = trustProxy;
  return ({ headers }: IncomingMessage): void => {
    if (isDone || (headers['x-forwarded-for'] ?? headers.forwarded) === undefined) return;
    isDone = true;
    logger.warn(
      'a request carries X-Forwarded-For or Forwarded, and TRUST_PROXY is off: behind a proxy, all callers share its address for the limits. If the proxy is yours, let it send X-Forwarded-For and set TRUST_PROXY=true',
    );
  };
}
