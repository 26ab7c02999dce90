import type { Logger } from '../core/Logger.ts';

/** One answered request. There is no field for a header, a query, an address or a body: none can be logged. */
export type AccessEntry = {
  readonly id: string;
  readonly method: string;
  /** The route's pattern, never the path as sent; null: no route. */
  readonly route: string | null;
  /** null: the connection ended before the answer was sent. */
  readonly status: number | null;
  readonly ms: number;
  readonly bytes: number;
  /** First characters of the key, for display. */
  readonly keyPrefix: string | null;
};

export type AccessLog = (entry: AccessEntry) => void;

/** One line a request, at `info`; health probes at `debug`, for they come every few seconds. */
export function createAccessLog(logger: Logger): AccessLog {
  return ({ id, method, route, status, ms, bytes, keyPrefix }) => {
    const fields = { id, method, route, status, ms: Math.round(ms * 1000) / 1000, bytes, keyPrefix };
    if (route?.startsWith('/health/') === true) logger.debug('request', fields);
    else logger.info('request', fields);
  };
}
