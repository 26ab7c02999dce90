import { TickmarkClient, type MeAnswer, type ModelListAnswer, type Problem } from '../../../clients/typescript/src/index.ts';
import { barTimeOf, told, withDetail } from './fromClient.ts';
import { Failure } from './failureText.ts';
import { CONE_LEVELS } from '../chart/ranges.ts';
import type { MarketListAnswer } from '../../contract/markets.ts';
import type { SessionListAnswer } from '../../contract/account.ts';
import { readLimits } from './readLimits.ts';
import { buildBody } from '../ticks/readFuture.ts';
import type { WindowTicks } from '../ticks/suitableCount.ts';
import { SESSION, type DefaultModel, type Service, type Version } from './Service.ts';

/** No automatic retries: the page shows a failure at once and offers another try. */
const OPTIONS = { baseUrl: '', retries: 0 } as const;

/** The longest wait for the model metadata before a file is read without it. */
const MODEL_MS = 1000;

const windowTicksOf = ({ window_ticks: all }: ModelListAnswer['models'][number]): WindowTicks =>
  all.map(({ up_to_s: upToS, ticks }) => ({ upToS, ticks }));

async function defaultModel(client: TickmarkClient): Promise<DefaultModel | null> {
  try {
    const { default: id, models } = await client.models({ timeoutMs: MODEL_MS });
    const model = models.find((one) => one.id === id);
    if (model === undefined) return null;
    const [fromS = 0, toS = Infinity] = model.trained.median_gap_s;
    const neverMarks = model.heads.filter(({ decision_threshold: cut }) => cut === null).map(({ name }) => name);
    return { density: { medianGapMs: [fromS * 1000, toS * 1000] }, neverMarks, windowTicks: windowTicksOf(model) };
  } catch {
    return null;
  }
}

async function versions(client: TickmarkClient): Promise<readonly Version[]> {
  const { default: id, models } = await told(client.models());
  return models
    .map((model) => ({
      id: model.id,
      isDefault: model.id === id,
      mostHorizonToWindow: model.trained.horizon_to_window[1] ?? Infinity,
      windowTicks: windowTicksOf(model),
      cuts: Object.fromEntries(model.heads.map(({ name, decision_threshold: cut }) => [name, cut])),
    }))
    .sort((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

const headersOf = (key: string): Record<string, string> => (key === SESSION ? {} : { Authorization: `Bearer ${key}` });
const askMe = (key: string): Promise<Response | undefined> => fetch('/auth/me', { headers: headersOf(key) }).catch(() => undefined);

/** Rejects with a Failure. */
async function ask(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, init).catch(() => undefined);
  if (answer === undefined) throw new Failure('The service does not answer.', { status: 0 });
  if (answer.ok) return answer;
  const problem = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  throw new Failure(problem.detail ?? 'The service refused the request.', {
    status: answer.status,
    code: problem.code,
    fields: problem.errors,
  });
}

async function askJson<T>(method: string, path: string, { body, key = SESSION }: { body?: object; key?: string } = {}): Promise<T> {
  const headers = { ...headersOf(key), ...(body && { 'Content-Type': 'application/json' }) };
  return (await ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as Promise<T>;
}

const MARKETS = '/account/markets';
const marketPath = (id: string): string => `${MARKETS}/${encodeURIComponent(id)}`;

/** The service that the page came from, called by the TypeScript client. */
export function clientService(): Service {
  const keyless = new TickmarkClient(OPTIONS);
  const of = (key: string): TickmarkClient => {
    try {
      return key === SESSION ? keyless : new TickmarkClient({ ...OPTIONS, apiKey: key });
    } catch (error) {
      throw new Failure((error as Error).message, { status: 401, code: 'auth.key_refused' });
    }
  };
  return {
    ready: () => told(keyless.health()),
    defaultModel: () => defaultModel(keyless),
    versions: () => versions(keyless),
    versionFiles: async (id, key) => told(of(key).modelFiles(id)),
    sample: () => told(keyless.sample()),
    sampleForecast: async () => withDetail(await told(keyless.sampleForecast())),
    signUp: (request) => told(keyless.signUp(request)),
    signIn: (body) => askJson('POST', '/session', { body }),
    linkSession: (key) => askJson('POST', '/session/link', { key }),
    sessions: async () => (await askJson<SessionListAnswer>('GET', '/session')).sessions,
    endSession: (id) => askJson('DELETE', `/session/${encodeURIComponent(id)}`),
    markets: async (key) => (await askJson<MarketListAnswer>('GET', MARKETS, { key })).markets,
    addMarket: (key, body) => askJson('POST', MARKETS, { key, body }),
    changeMarket: (key, id, body) => askJson('PATCH', marketPath(id), { key, body }),
    removeMarket: (key, id) => askJson('DELETE', marketPath(id), { key }),
    marketForecasts: (key, id, after, ticksFrom) =>
      askJson('GET', `${marketPath(id)}/forecasts?after=${after}&ticks_from=${ticksFrom}`, { key }),
    listKeys: () => told(keyless.listKeys(null)),
    issueKey: (_, request) => told(keyless.issueKey(null, request)),
    revokeKey: (_, id) => told(keyless.revokeKey(null, id)),
    listWebhooks: () => told(keyless.listWebhooks(null)),
    addWebhook: (_, request) => told(keyless.addWebhook(null, request)),
    testWebhook: (_, id) => told(keyless.testWebhook(null, id)),
    failedAlerts: (_, id) => told(keyless.failedAlerts(null, id)),
    changeWebhook: (_, id, change) => told(keyless.changeWebhook(null, id, change)),
    removeWebhook: (_, id) => told(keyless.removeWebhook(null, id)),
    me: async (key) => told(of(key).me()),
    ownerOf: async (key) => {
      const answer = await askMe(key);
      return answer?.ok === true ? ((await answer.json()) as MeAnswer).email : null;
    },
    limits: async (key) => readLimits((await askMe(key))?.headers ?? new Headers()),
    trackRecord: (key, { from, ...options }) => told(of(key).trackRecord({ ...options, ...(from === null ? {} : { from }) })),
    sealedRecord: async (key) => (await ask('/auth/track-record/sealed', { headers: headersOf(key) })).text(),
    live: (key) => of(key).live(),
    forecast: async (window, { key, signal, model, options }) =>
      withDetail(
        await told(
          of(key ?? '').forecast(buildBody(window), {
            ...{ ...options, model, detail: true, range: CONE_LEVELS, signal },
            ...barTimeOf(window.series.bars !== undefined),
          }),
        ),
      ),
  };
}
