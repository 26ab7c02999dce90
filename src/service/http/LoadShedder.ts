import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { subjectOfAddress } from '../accounts/limits/createLimits.ts';
import { overloaded, type AdmissionQueue } from '../admission/AdmissionQueue.ts';
import { ROUTES } from '../../contract/routes.ts';
import type { ServiceError } from '../../core/ServiceError.ts';
import { callerAddress, keyOf, requestIdOf } from './identify.ts';
import { COMMON_HEADERS, problemAnswer, TLS_FIELD, TLS_VALUE } from './failures.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { isTls } from './sessionCookie.ts';
import type { State } from './RequestContext.ts';
import { logAccess } from './runRoute.ts';

const { method: METHOD, path: PATH } = ROUTES.tickForecast;
const DIGITS = /^\d{1,15}$/;

/**
 * Load shedding: refuses forecasts that the admission queue has no slot for as soon as their headers are read, without routing, store call
 * or body. Owners are keys if they are known, addresses otherwise. A refusal after those steps costs two thirds of an answer: at 150 % of
 * the capacity, the thread would do little else. Requests that need any of those steps are left to the route.
 */
export class LoadShedder {
  readonly #deps: HttpDeps;
  readonly #options: HttpOptions;
  readonly #admission: Pick<AdmissionQueue, 'isBusy' | 'refusalFor'>;

  constructor(deps: HttpDeps, options: HttpOptions, admission: Pick<AdmissionQueue, 'isBusy' | 'refusalFor'>) {
    this.#deps = deps;
    this.#options = options;
    this.#admission = admission;
  }

  /** Whether the request was refused. */
  refuses(request: IncomingMessage, response: ServerResponse): boolean {
    const { parts, phase } = this.#deps.state;
    if (!this.#admission.isBusy || phase !== 'ready' || parts === undefined) return false;
    if (request.method !== METHOD || !isPath(request.url)) return false;
    const { headers } = request;
    const length = headers['content-length'] ?? '';
    // Node.js reads and drops the rest of the body, so its length must be known and small. Other requests need another message or header.
    if (!DIGITS.test(length) || Number(length) > this.#options.bodyLimitBytes || headers.expect !== undefined) return false;
    if (headers.origin !== undefined || headers.host === undefined) return false;
    const key = onlyKeyOf(headers);
    // The route refuses a request without a key, for less than the cost of a lookup.
    if (key === undefined) return false;
    const caller = parts.knownOwner(key);
    const refusal = this.#admission.refusalFor(caller?.keyId ?? subjectOfAddress(callerAddress(request, this.#options.trustProxy)));
    if (refusal === undefined) return false;
    this.#answer(request, response, overloaded(refusal), caller?.keyPrefix);
    return true;
  }

  #answer(request: IncomingMessage, response: ServerResponse, error: ServiceError, keyPrefix: string | undefined): void {
    const requestId = requestIdOf(request);
    const known = keyPrefix === undefined ? {} : { keyPrefix };
    const state: State = { requestId, route: 'tickForecast', stagesMs: {}, code: error.code, ...known };
    logAccess(this.#deps, this.#options, request, response, state);
    this.#deps.onProblem(error.code);
    const { fields, body } = problemAnswer(error, requestId);
    const tls: Record<string, string> = isTls(request, this.#options) ? { [TLS_FIELD]: TLS_VALUE } : {};
    const all: Record<string, string> = { ...COMMON_HEADERS, ...tls, ...fields };
    response.statusCode = error.status;
    for (const name in all) response.setHeader(name, all[name]);
    response.end(body);
  }
}

const isPath = (url: string | undefined): boolean =>
  url !== undefined && url.startsWith(PATH) && (url.length === PATH.length || url[PATH.length] === '?');

/** undefined for no key and for two, which the route refuses. */
function onlyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  try {
    return keyOf(headers);
  } catch {
    return undefined;
  }
}
