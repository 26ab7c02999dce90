import { ApiError, ConnectionError, UnexpectedAnswerError, TimeoutError } from './errors.ts';
import { readText } from './readText.ts';
import { AGENT_HEADERS } from './version.ts';
import type { ErrorCode, Problem } from './wire.ts';

/** Codes that pass by themselves. A 500 is not among them: the same request meets it again. */
export const PASSING_CODES: readonly ErrorCode[] = [
  'request.timeout',
  'limit.exceeded',
  'account.busy',
  'service.not_ready',
  'store.unavailable',
  'inference.overloaded',
  'inference.deadline',
];
/** Statuses that proxies send while a service is unavailable. */
const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** No answer of tickmark is longer: 64 explained forecasts take some megabytes. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** Above this, a timer ends after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Added to Retry-After, so that callers with the same value do not retry at the same time. */
const SPREAD_MS = 250;

/**
 * How long to wait before another try; undefined: another try would meet the same. What the service asks for is waited for in full, and a
 * little more; where it asks for nothing, a random part of a time that doubles with each try.
 *
 * @param done tries that failed before this one
 */
function retryWaitMs(error: unknown, done: number, random: () => number): number | undefined {
  const passes =
    error instanceof ConnectionError ||
    (error instanceof ApiError && error.has(...PASSING_CODES)) ||
    (error instanceof UnexpectedAnswerError && isPassing(error.status));
  if (!passes) return undefined;
  const askedMs = error instanceof ConnectionError ? undefined : error.retryAfterMs;
  if (askedMs !== undefined) return askedMs + random() * SPREAD_MS;
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** done, LONGEST_WAIT_MS);
  return longestMs * (0.5 + random() / 2);
}

/** Body of an answer of 2xx. @throws ApiError, UnexpectedAnswerError */
async function readAnswer<Body>(response: Response): Promise<Body> {
  const text = await readText(response, MOST_ANSWER_BYTES).catch((error: unknown) => {
    throw error instanceof RangeError ? new UnexpectedAnswerError(response.status, `(${error.message})`) : error;
  });
  const value = parsed(text);
  const waitMs = response.ok ? undefined : retryAfterMs(response.headers);
  if (!response.ok && isProblem(value)) throw new ApiError(value, waitMs);
  // Every answer is an object: a page of a proxy or an empty body is none.
  if (!response.ok || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnexpectedAnswerError(response.status, text, waitMs);
  return value as Body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'detail' in value && 'requestId' in value;
}

/** Seconds or a date, as RFC 9110 has it. A browser shows the header only where the service lets it: problems repeat it. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const waitMs = Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

export type CallOptions = {
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's. Milliseconds for the whole call, retries and waits included; 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Instead of the client's. Tries after the first one, of what is safe to repeat. */
  readonly retries?: number | undefined;
};

export type Call = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  /** JSON text. */
  readonly body?: string;
  /** Whether a second time does no harm, should the first have been done though no answer came. */
  readonly isSafeToRepeat: boolean;
};

export type Answer<Body> = { readonly body: Body; readonly headers: Headers };

export type TransportOptions = {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
  /** From 0 to below 1, for the jitter of waits. */
  readonly random: () => number;
};

/** The context of calls that share one time limit. */
export type Scope = {
  /** Ends with the time limit, with the caller's signal, and where the scope fails. */
  readonly signal: AbortSignal;
  send<Body>(call: Call): Promise<Answer<Body>>;
  /**
   * Waits as long as a failure asks for and resolves to true; to false, at once, where another try would meet the same, is one too many, or
   * could not begin within the time limit.
   *
   * @param done tries that failed before this one
   */
  waitFor(error: unknown, done: number): Promise<boolean>;
};

/** Sends calls: time limit, abort, and another try where the call is safe to repeat and the failure passes by itself. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /** @throws {@link TickmarkError}, or the reason of the caller's signal */
  async send<Body>(call: Call, options: CallOptions = {}): Promise<Answer<Body>> {
    return this.within(options, (scope) => scope.send<Body>(call));
  }

  /** Runs calls under one time limit and one signal; if one fails, those in flight are aborted. */
  async within<Result>(options: CallOptions, run: (scope: Scope) => Promise<Result>): Promise<Result> {
    const { signal, timeoutMs = this.#options.timeoutMs, retries = this.#options.retries } = options;
    signal?.throwIfAborted();
    const ender = new AbortController();
    const onAbort = (): void => ender.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    let last: unknown;
    const isTimed = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS;
    const timer = isTimed ? setTimeout(() => ender.abort(new TimeoutError(timeoutMs, last)), timeoutMs) : undefined;
    const endMs = isTimed ? performance.now() + timeoutMs : Infinity;
    const waitFor = async (error: unknown, done: number): Promise<boolean> => {
      const waitMs = done < retries ? retryWaitMs(error, done, this.#options.random) : undefined;
      // A wait that cannot end in time is not begun: the caller learns at once, and in the service's own words.
      if (waitMs === undefined || waitMs > LONGEST_TIMER_MS || performance.now() + waitMs >= endMs) return false;
      last = error;
      await pause(waitMs, ender.signal);
      return true;
    };
    const send = async <Body>(call: Call): Promise<Answer<Body>> => {
      for (let done = 0; ; done++) {
        try {
          return await this.#once<Body>(call, ender.signal);
        } catch (error) {
          if (!call.isSafeToRepeat || !(await waitFor(error, done))) throw error;
        }
      }
    };
    let isDone = false;
    try {
      const result = await run({ signal: ender.signal, send, waitFor });
      isDone = true;
      return result;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (!isDone) ender.abort();
    }
  }

  async #once<Body>({ method, path, headers, body }: Call, signal: AbortSignal): Promise<Answer<Body>> {
    const url = this.#options.baseUrl + path;
    const { fetch } = this.#options;
    try {
      // The service never redirects: another server would receive the key. With "error", Node.js loses the signal while the body is read.
      const response = await fetch(url, {
        method,
        headers: { ...AGENT_HEADERS, ...headers },
        signal,
        redirect: 'manual',
        body,
        // Where a password is refused, a browser would ask for another one in a window of its own.
        ...('Authorization' in headers ? { credentials: 'omit' as const } : {}),
      });
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel();
        throw new ConnectionError(`${method} ${url}: the server redirects, which is not followed`);
      }
      // The signal is held here too, so that the collector of Node.js cannot take the end of the call away.
      return { body: await unlessAborted(signal, readAnswer<Body>(response)), headers: response.headers };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof TypeError)) throw error;
      throw new ConnectionError(`${method} ${url}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

/** Node.js says what happened in the cause of its "fetch failed". */
function reasonOf(error: Error): string {
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}

/** The work, or the reason of the signal as soon as it ends. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
