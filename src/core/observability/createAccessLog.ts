import type { Logger } from '../Logger.ts';
import type { TraceContext } from './readTraceparent.ts';

/** Milliseconds of a request's stages, in their order. */
type StagesMs = Readonly<Record<string, number>>;

/** One answered request. Of the headers, only what is named here is logged; never a query or a body. */
type AccessEntry = {
  readonly id: string;
  readonly method: string;
  /** The route's pattern, never the path as sent; null: no route. */
  readonly route: string | null;
  /** null: the connection ended before the answer was sent. */
  readonly status: number | null;
  /** Of a problem answer; null: none. */
  readonly code: string | null;
  readonly ms: number;
  /** Empty where a request has none. */
  readonly stagesMs: StagesMs;
  readonly bytes: number;
  /** First characters of the key, for display. */
  readonly keyPrefix: string | null;
  /** Of the caller; null: LOG_ADDRESSES is off. */
  readonly address: string | null;
  /** Name and version of a tickmark client; null: of another program, which is not logged. */
  readonly client: string | null;
  /** Absent where the caller named no trace. */
  readonly trace?: TraceContext;
};

export type AccessLog = (entry: AccessEntry) => void;

/** To the microsecond. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

/** One line a request, at `info`; health probes at `debug`, for they come every few seconds. */
export function createAccessLog(logger: Logger): AccessLog {
  return ({ id, method, route, status, code, ms, stagesMs, bytes, keyPrefix, address, client, trace }) => {
    const stages: Record<string, number> = {};
    for (const name in stagesMs) stages[name] = rounded(stagesMs[name] ?? 0);
    const fields = { id, method, route, status, code, ms: rounded(ms), stages, bytes, keyPrefix, address, client, ...trace };
    if (route?.startsWith('/health/') === true) logger.debug('request', fields);
    else logger.info('request', fields);
  };
}
