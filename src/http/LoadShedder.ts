import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { problemOf } from '../contract/problem.ts';
import { ROUTES } from '../contract/routes.ts';
import { ERROR_TABLE } from '../core/errorTable.ts';
import { readTraceparent } from '../observability/readTraceparent.ts';
import { COMMON_HEADERS, PROBLEM_TYPE, TLS_FIELD, TLS_VALUE } from './failures.ts';
import type { AdmissionQueue, Refusal } from '../admission/AdmissionQueue.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';

const { method: METHOD, path: PATH } = ROUTES.tickForecast;
const CODE = 'inference.overloaded';
const { status: STATUS, title: TITLE } = ERROR_TABLE[CODE];
const COMMON_FIELDS = Object.entries(COMMON_HEADERS).flat();
const DIGITS = /^\d{1,15}$/;

/**
 * Refuses forecasts that the admission has no place for, as soon as their head is read: no route, no body, no error. A refusal by the way of all requests costs
 * two thirds of an answer, and with half more requests than can be answered the thread would do little else. Its answer is that of the long way; what it
 * is not sure of, it leaves to it.
 */
export class LoadShedder {
  readonly #deps: HttpDeps;
  readonly #options: HttpOptions;
  readonly #admission: Pick<AdmissionQueue, 'refusalFor'>;

  constructor(deps: HttpDeps, options: HttpOptions, admission: Pick<AdmissionQueue, 'refusalFor'>) {
    this.#deps = deps;
    this.#options = options;
    this.#admission = admission;
  }

  /** Whether it has answered. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const { parts, phase } = this.#deps.state;
    if (phase !== 'ready' || parts === undefined || request.method !== METHOD || !isPath(request.url)) return false;
    const { headers } = request;
    const length = headers['content-length'] ?? '';
    // The rest of the body is taken in and forgotten by Node.js, so it must be known to be short. The others need words or fields that are not known here.
    if (!DIGITS.test(length) || Number(length) > this.#options.bodyLimitBytes || headers.expect !== undefined) return false;
    if (headers.origin !== undefined || headers.host === undefined) return false;
    const key = headers['api-key'];
    const caller = typeof key === 'string' ? parts.known(key) : undefined;
    if (caller === undefined) return false;
    const refusal = this.#admission.refusalFor(caller.keyId);
    if (refusal === undefined) return false;
    this.#answer(request, response, refusal, caller.keyPrefix);
    return true;
  }

  #answer(request: IncomingMessage, response: ServerResponse, { detail, retryAfterS }: Refusal, keyPrefix: string): void {
    const { clock, accessLog, onProblem } = this.#deps;
    const startMs = clock.monotonicMs();
    const id = randomUUID();
    const body = JSON.stringify(
      problemOf(
        { code: CODE, status: STATUS, title: TITLE, message: detail, errors: [], headers: { 'Retry-After': String(retryAfterS) } },
        id,
      ),
    );
    const bytes = Buffer.byteLength(body);
    const trace = readTraceparent(request.headers['traceparent'] as string | undefined);
    response.once('close', () =>
      accessLog({
        id,
        method: METHOD,
        route: PATH,
        status: response.writableFinished ? STATUS : null,
        ms: clock.monotonicMs() - startMs,
        stagesMs: {},
        bytes,
        keyPrefix,
        ...(trace === undefined ? {} : { trace }),
      }),
    );
    onProblem(CODE);
    const own = ['X-Request-Id', id, 'Retry-After', String(retryAfterS), 'Content-Type', PROBLEM_TYPE, 'Content-Length', String(bytes)];
    const tls = this.#options.trustProxy && isTls(request.headers['x-forwarded-proto']) ? [TLS_FIELD, TLS_VALUE] : [];
    response.writeHead(STATUS, [...COMMON_FIELDS, ...tls, ...own]);
    response.end(body);
  }
}

const isPath = (url: string | undefined): boolean =>
  url !== undefined && url.startsWith(PATH) && (url.length === PATH.length || url[PATH.length] === '?');

/** The first, which is the caller's own, as Koa reads it. */
const isTls = (forwarded: string | string[] | undefined): boolean => typeof forwarded === 'string' && /^https(?:$|\s*,)/.test(forwarded);
