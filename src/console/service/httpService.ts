import type { TickRequestBody } from '../../contract/tickForecast.ts';
import type { Problem } from '../../contract/problem.ts';
import { Failure } from './Failure.ts';
import type { Forecast, Service } from './Service.ts';

type Call = { readonly method?: 'POST'; readonly body?: unknown; readonly key?: string; readonly signal?: AbortSignal };

/** The service gives up on a forecast long before. */
const TIME_LIMIT_MS = 30_000;

async function call<T>(path: string, { method, body, key, signal }: Call = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: method ?? 'GET',
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(key === undefined ? {} : { 'Api-Key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...(signal === undefined ? [] : [signal])]),
      credentials: 'omit',
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Failure('No answer came.', { status: 0 });
  }
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const retryAfter = response.headers.get('Retry-After');
  throw new Failure(problem.detail ?? response.statusText, {
    status: response.status,
    code: problem.code ?? null,
    fields: problem.errors ?? [],
    retryAfterS: retryAfter === null ? null : Number(retryAfter),
    requestId: problem.requestId ?? null,
  });
}

function lastEntry(answer: Record<string, unknown>): Forecast {
  const { trend_identified: mark, detail } = Object.values(answer).at(-1) as { trend_identified: 1 | null; detail: Forecast['detail'] };
  return { mark, detail };
}

export function httpService(): Service {
  return {
    ready: () => call('/health/ready'),
    sample: () => call<TickRequestBody>('/sample'),
    sampleForecast: async () => lastEntry(await call('/sample/forecast')),
    signUp: (request) => call('/signup', { method: 'POST', body: request }),
    me: (key) => call('/auth/me', { key }),
    forecast: async (body, { key, minMoveBps, signal }) => {
      const threshold = minMoveBps === null ? '' : `&min_move_bps=${minMoveBps}`;
      return lastEntry(await call(`/auth/ti-tick?detail=full${threshold}`, { method: 'POST', body, key, signal }));
    },
  };
}
