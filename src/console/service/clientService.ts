import {
  ApiError,
  TickmarkClient,
  TickmarkError,
  UnexpectedAnswerError,
  type Forecast as ClientForecast,
} from '../../../clients/typescript/src/index.ts';
import { Failure } from './failureText.ts';
import type { DefaultModel, Forecast, Service } from './Service.ts';

/** No automatic retries: the page shows a failure at once and offers another try. */
const OPTIONS = { baseUrl: '', retries: 0 } as const;

/** The longest wait for the model metadata before a file is read without it. */
const MODEL_MS = 1000;

/** Converts errors of the client to Failure; an abort is passed on unchanged. */
function failureOf(error: unknown): unknown {
  if (error instanceof ApiError) {
    const { status, code, fieldErrors: fields, retryAfterMs, requestId } = error;
    return new Failure(error.message, {
      status,
      code,
      fields,
      retryAfterS: retryAfterMs === undefined ? null : retryAfterMs / 1000,
      requestId,
    });
  }
  if (error instanceof UnexpectedAnswerError) return new Failure(error.message, { status: error.status });
  // No connection, or no answer in time.
  return error instanceof TickmarkError ? new Failure(error.message, { status: 0 }) : error;
}

async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failureOf(error);
  }
}

function withDetail({ trendIdentified: mark, detail }: ClientForecast): Forecast {
  if (detail === undefined) throw new Failure('The answer has no detail.', { status: 500 });
  return { mark, detail };
}

async function defaultModel(client: TickmarkClient): Promise<DefaultModel | null> {
  try {
    const { default: id, models } = await client.models({ timeoutMs: MODEL_MS });
    const model = models.find((one) => one.id === id);
    if (model === undefined) return null;
    const [fromS = 0, toS = Infinity] = model.trained.median_gap_s;
    const neverMarks = model.heads.filter(({ mark_range: range }) => range === null).map(({ name }) => name);
    return { density: { medianGapMs: [fromS * 1000, toS * 1000] }, neverMarks };
  } catch {
    return null;
  }
}

/** The service that the page came from, called by the TypeScript client. */
export function clientService(): Service {
  const keyless = new TickmarkClient(OPTIONS);
  const of = (key: string): TickmarkClient => new TickmarkClient({ ...OPTIONS, apiKey: key });
  return {
    ready: () => told(keyless.health()),
    defaultModel: () => defaultModel(keyless),
    sample: () => told(keyless.sample()),
    sampleForecast: async () => withDetail(await told(keyless.sampleForecast())),
    signUp: (request) => told(keyless.signUp(request)),
    listKeys: (login) => told(keyless.listKeys(login)),
    issueKey: (login, request) => told(keyless.issueKey(login, request)),
    revokeKey: (login, id) => told(keyless.revokeKey(login, id)),
    me: (key) => told(of(key).me()),
    forecast: async (body, { key, minMoveBps, signal }) =>
      withDetail(await told(of(key).forecast(body, { detail: true, signal, ...(minMoveBps === null ? {} : { minMoveBps }) }))),
  };
}
