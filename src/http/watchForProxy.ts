import type { IncomingMessage } from 'node:http';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';

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
