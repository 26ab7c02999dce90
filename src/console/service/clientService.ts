import {
  TickmarkClient,
  type LiveConnection,
  type MeAnswer,
  type ModelListAnswer,
  type Problem,
} from '../../../clients/typescript/src/index.ts';
import { barTimeOf, told, withDetail } from './fromClient.ts';
import { Failure } from './failureText.ts';
import { CONE_LEVELS } from '../chart/Scene.ts';
import type { KeyRequestBody, SessionAnswer, SessionListAnswer, SessionRequest, SignupRequest } from '../../contract/account.ts';
import type { MarketChangeBody, MarketForecastsAnswer, MarketRequestBody } from '../../contract/markets.ts';
import type { WebhookChangeBody, WebhookRequestBody } from '../../contract/webhooks.ts';
import { buildBody, type Window } from '../ticks/readFuture.ts';
import type { WindowTicks } from '../ticks/suitableCount.ts';
import { type AskOptions, SESSION, type DefaultModel, type Forecast, type Version } from './Service.ts';

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

async function ask(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, init).catch(() => undefined);
  if (answer === undefined) throw new Failure('The service does not answer.', { status: 0 });
  if (answer.ok) return answer;
  const { detail, code, errors: fields } = (await answer.json().catch(() => ({}))) as Partial<Problem>;
  throw new Failure(detail ?? 'The service refused the request.', { status: answer.status, code, fields });
}

/** What the client has no method for. */
async function askJson<T>(method: string, path: string, { body, key = SESSION }: { body?: object; key?: string } = {}): Promise<T> {
  const headers = { ...headersOf(key), ...(body && { 'Content-Type': 'application/json' }) };
  return (await ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json() as Promise<T>;
}

/** What the page asks of the service. Every function rejects with a `Failure`, or with an AbortError where its signal aborts. */
export type Service = ReturnType<typeof clientService>;

/** The service that the page came from, called by the TypeScript client. */
export function clientService() {
  const keyless = new TickmarkClient(OPTIONS);
  /** @throws Failure for a key that no header can have */
  const of = (key: string): TickmarkClient => {
    try {
      return key === SESSION ? keyless : new TickmarkClient({ ...OPTIONS, apiKey: key });
    } catch (error) {
      throw new Failure((error as Error).message, { status: 401, code: 'auth.key_refused' });
    }
  };
  return {
    ready: (): Promise<{ readonly model: string }> => told(keyless.health()),
    /** null if the service does not answer soon: files are then read without it. Never rejects. */
    defaultModel: () => defaultModel(keyless),
    /** The loaded versions, the default one first. */
    versions: () => versions(keyless),
    /** The files of a version, for the engine of the page. */
    versionFiles: async (id: string, key: string) => told(of(key).modelFiles(id)),
    sample: () => told(keyless.sample()),
    sampleForecast: async () => withDetail(await told(keyless.sampleForecast())),
    signUp: (request: SignupRequest) => told(keyless.signUp(request)),
    /** Starts a session: from then on, the browser sends its cookie. */
    signIn: (body: SessionRequest) => askJson<SessionAnswer>('POST', '/session', { body }),
    /** Starts one with the key of the link of `npm start`. */
    linkSession: (key: string) => askJson<SessionAnswer>('POST', '/session/link', { key }),
    sessions: async () => (await askJson<SessionListAnswer>('GET', '/session')).sessions,
    /** `current`: that of this browser. */
    endSession: (id: string) => askJson<SessionAnswer>('DELETE', `/session/${encodeURIComponent(id)}`),
    /** The markets that the service watches for the account. */
    markets: async (key: string) => (await told(of(key).markets())).markets,
    addMarket: async (key: string, body: MarketRequestBody) => told(of(key).addMarket(body)),
    changeMarket: async (key: string, id: string, body: MarketChangeBody) => told(of(key).changeMarket(id, body)),
    removeMarket: async (key: string, id: string) => told(of(key).removeMarket(id)),
    /** What changed after a change, and the ticks from a number on. */
    marketForecasts(key: string, id: string, after: number, ticksFrom: number) {
      const path = `/account/markets/${encodeURIComponent(id)}/forecasts?after=${after}&ticks_from=${ticksFrom}`;
      return askJson<MarketForecastsAnswer>('GET', path, { key });
    },
    // Keys and targets of alerts: of the account of the session.
    listKeys: () => told(keyless.listKeys(null)),
    issueKey: (request: KeyRequestBody) => told(keyless.issueKey(null, request)),
    revokeKey: (id: string) => told(keyless.revokeKey(null, id)),
    listWebhooks: () => told(keyless.listWebhooks(null)),
    addWebhook: (request: WebhookRequestBody) => told(keyless.addWebhook(null, request)),
    testWebhook: (id: string) => told(keyless.testWebhook(null, id)),
    failedAlerts: (id: string) => told(keyless.failedAlerts(null, id)),
    changeWebhook: (id: string, change: WebhookChangeBody) => told(keyless.changeWebhook(null, id, change)),
    removeWebhook: (id: string) => told(keyless.removeWebhook(null, id)),
    me: async (key: string) => told(of(key).me()),
    /** E-mail of the owner of a key that the page does not use yet; null: the key is not valid. */
    async ownerOf(key: string): Promise<string | null> {
      const answer = await askMe(key);
      return answer?.ok === true ? ((await answer.json()) as MeAnswer).email : null;
    },
    /** What the limits of forecasts leave the key, in words; none where the service has no limit or does not say. Never rejects. */
    limits: async (key: string) => readLimits((await askMe(key))?.headers ?? new Headers()),
    /** `from`: first UTC day, YYYY-MM-DD; absent: all that is kept. */
    trackRecord: async (key: string, options: { readonly from?: string; readonly series?: string; readonly signal?: AbortSignal }) =>
      told(of(key).trackRecord(options)),
    /** The sealed forecasts of the account, as `tickmark record verify` reads them. */
    sealedRecord: async (key: string) => (await ask('/auth/track-record/sealed', { headers: headersOf(key) })).text(),
    /** A live connection of the key: what is wrong comes as a message or ends its iteration. */
    live: (key: string): LiveConnection => of(key).live(),
    async forecast(window: Window, { key, signal, model, options }: AskOptions): Promise<Forecast> {
      const asked = { ...options, model, detail: true, range: CONE_LEVELS, signal, ...barTimeOf(window.series.bars !== undefined) };
      return withDetail(await told(of(key ?? '').forecast(buildBody(window), asked)));
    },
  };
}

/** The limits of an answer in words, from its fields RateLimit and RateLimit-Policy; none where the service has no limit. */
export function readLimits(headers: Pick<Headers, 'get'>): readonly string[] {
  const numbersOf = (field: string, pattern: RegExp): ReadonlyMap<string, readonly number[]> =>
    new Map([...(headers.get(field) ?? '').matchAll(pattern)].map(([, name = '', ...numbers]) => [name, numbers.map(Number)]));
  const quotas = numbersOf('RateLimit-Policy', /"([^"]*)";q=(\d+);w=(\d+)/g);
  return [...numbersOf('RateLimit', /"([^"]*)";r=(\d+);t=(\d+)/g)].map(([name, [left = 0, resetS = 0]]) => {
    const [quota = 0, windowS = 0] = quotas.get(name) ?? [];
    const more = left < quota ? `; all of them again in ${resetS} s` : '';
    return `Limit: ${left.toLocaleString('en')} of ${quota.toLocaleString('en')} ${name} in ${windowS} s are left${more}.`;
  });
}
