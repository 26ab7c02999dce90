import * as http from 'node:http';
import { createApiKey } from '../../src/service/accounts/accountKeys.ts';
import type { Random } from '../../src/core/Random.ts';
import type { Allowances } from './Allowances.ts';
import { checkAnswer, type Answer, type Expected } from './checkAnswer.ts';
import type { Ledger } from './Ledger.ts';
import { demand, keyIn, loginOf, post, send, signUpOf, type Request } from './send.ts';
import { batchFault, detailFault, plainFault, readDetailed, type Window } from './windows.ts';

/** FORECAST_DEADLINE_MS plus three seconds. */
const LIMIT_MS = 5000;
const LIVE_MS = 1000;
/** The final check of the accounts uses an address that has sent no bad keys. */
export const CLEAN_ADDRESS = '127.0.0.77';

const FORECAST_PATH = '/auth/ti-tick';
/** A request may be shed before its content is checked, and its deadline may pass in the queue. */
const SHED: readonly number[] = [503, 504];

type BadCall = {
  readonly statuses: readonly number[];
  readonly body?: (good: string) => string;
  readonly path?: string;
  readonly method?: string;
  readonly type?: string;
};

/** Requests with a valid key that break one rule each, and the required statuses. */
const BAD_CALLS: readonly BadCall[] = [
  { statuses: [400, ...SHED], body: (good) => good.slice(0, -9) },
  { statuses: [400, ...SHED], body: (good) => good.replace('"Price":[', '"Price":[NaN,') },
  { statuses: [422, ...SHED], body: () => '{"Timestamp":[],"Price":[]}' },
  { statuses: [422, ...SHED], body: (good) => good.replace('"Price":[', '"Price":[-') },
  { statuses: [415, ...SHED], type: 'text/plain' },
  { statuses: [404, ...SHED], path: `${FORECAST_PATH}?model=none` },
  { statuses: [422, ...SHED], path: `${FORECAST_PATH}?colour=red` },
  { statuses: [405], method: 'PUT' },
  { statuses: [404], path: '/nothing' },
];

const emailOf = (account: number): string => `chaos${account}@example.com`;

export type CallersDeps = { readonly windows: readonly Window[]; readonly ledger: Ledger; readonly allowances: Allowances };
export type ForecastOptions = {
  readonly key?: string;
  readonly isDetailed?: boolean;
  readonly model?: string;
  /** On a separate connection instead of a keep-alive one. */
  readonly isFresh?: boolean;
};
type Asked = Omit<Expected, 'method' | 'path' | 'limitMs'> & { readonly limitMs?: number };

/** Sends all kinds of requests of the run; each is checked and counted. */
export class Callers {
  readonly #deps: CallersDeps;
  readonly #agent = new http.Agent({ keepAlive: true });
  /** Keys of the acknowledged accounts. They are not used before the end. */
  readonly #acknowledged: string[] = [];
  #signUps = 0;
  #sample: Window = { body: '', plain: '', probability: null };
  port = 0;
  /** Most requests use the key of the owner; the stranger attacks with two keys. */
  ownerKey = '';
  strangerKeys: readonly string[] = [];

  constructor(deps: CallersDeps) {
    this.#deps = deps;
  }

  /** Creates the two accounts and gets the correct answers before any fault. Throws if the service rejects a request. */
  async learn(): Promise<void> {
    const ask = (request: Request): Promise<string> => demand(this.port, request);
    this.ownerKey = keyIn(await ask(this.#signUpRequest()));
    const { headers, ...rest } = post('/account/keys', {});
    const newKey = { ...rest, headers: { ...headers, Authorization: loginOf(emailOf(this.#signUps)) } };
    this.strangerKeys = [keyIn(await ask(this.#signUpRequest())), keyIn(await ask(newKey))];
    for (const window of this.#deps.windows) {
      window.plain = await ask(this.#forecastRequest(window, {}));
      window.probability = readDetailed(await ask(this.#forecastRequest(window, { isDetailed: true }))).probability;
    }
    const plain = await ask({ method: 'GET', path: '/sample/forecast' });
    this.#sample = { body: '', plain, probability: readDetailed(plain).probability };
  }

  async live(isFresh: boolean): Promise<void> {
    const asked = { statuses: [200], limitMs: LIVE_MS, countsAs: 'live' } as const;
    await this.#ask('live', asked, { method: 'GET', path: '/health/live', ...this.#on(isFresh) });
  }

  /** Status of /health/ready, on a new connection; undefined without an answer. */
  async ready(): Promise<number | undefined> {
    return (await this.#ask('ready', { statuses: [200, 503] }, { method: 'GET', path: '/health/ready' }))?.status;
  }

  /** Whether the answer was 200 and correct. */
  async forecast(window: Window, options: ForecastOptions = {}): Promise<boolean> {
    const fault = (text: string): string | undefined => (options.isDetailed === true ? detailFault : plainFault)(window, text);
    // A new version is unknown at first.
    const statuses = options.model === undefined ? [200, ...SHED] : [200, 404, ...SHED];
    const answer = await this.#ask('forecast', { statuses, hasGoodKey: true, fault }, this.#forecastRequest(window, options));
    return answer?.status === 200 && fault(answer.text) === undefined;
  }

  /** Sends several windows and a bad item; whether all windows got a correct 200. */
  async batch(windows: readonly Window[], isFresh: boolean): Promise<boolean> {
    const items = [...windows.map((window) => window.body), '{"Timestamp":[],"Price":[]}'];
    const request = { ...post(`${FORECAST_PATH}/batch`, `{"items":[${items.join()}]}`, this.ownerKey), ...this.#on(isFresh) };
    const fault = (text: string): string | undefined => batchFault(windows, text);
    const answer = await this.#ask('batch', { statuses: [200, 503], hasGoodKey: true, fault }, request);
    return answer?.status === 200 && fault(answer.text) === undefined && !answer.text.includes('"status":50');
  }

  async sample(isFresh: boolean): Promise<void> {
    const asked = { statuses: [200, ...SHED], fault: (text: string) => detailFault(this.#sample, text) };
    await this.#ask('sample', asked, { method: 'GET', path: '/sample/forecast', ...this.#on(isFresh) });
  }

  async badCall(window: Window, random: Random, isFresh: boolean): Promise<void> {
    const { statuses, body, path, method, type } = BAD_CALLS[random.integer(BAD_CALLS.length)];
    const { headers, ...rest } = post(path ?? FORECAST_PATH, body?.(window.body) ?? window.body, this.ownerKey);
    const request = {
      ...rest,
      ...(method && { method }),
      headers: { ...headers, ...(type && { 'Content-Type': type }) },
      ...this.#on(isFresh),
    };
    await this.#ask('bad request', { statuses, hasGoodKey: true }, request);
  }

  /** Half of the keys are well-formed, so that the store is queried. */
  async badKey(random: Random): Promise<void> {
    const key = createApiKey((count) => Uint8Array.from({ length: count }, () => random.integer(256)));
    const headers = { 'Api-Key': random.uniform() < 0.5 ? key : `${key}0` };
    await this.#ask('bad key', { statuses: [401, 429, 503] }, { method: 'GET', path: '/auth/me', headers });
  }

  async signUp(): Promise<void> {
    const answer = await this.#ask('sign-up', { statuses: [201, 503] }, this.#signUpRequest());
    if (answer?.status === 201) this.#acknowledged.push(keyIn(answer.text));
  }

  /** Checks that the account of each acknowledged sign-up exists. */
  async checkAccounts(): Promise<void> {
    for (const key of this.#acknowledged) {
      const request = { method: 'GET', path: '/auth/me', headers: { 'Api-Key': key }, localAddress: CLEAN_ADDRESS };
      await this.#ask('account', { statuses: [200], countsAs: 'accounts' }, request);
    }
  }

  /** A caller that closes the connection before the answer, or at the same time. */
  async leave(window: Window, leavesAfterMs: number): Promise<void> {
    await send(this.port, { ...this.#forecastRequest(window, { isFresh: true }), leavesAfterMs });
    this.#deps.ledger.count('forecast', 'left');
  }

  #on(isFresh: boolean): { readonly agent?: http.Agent } {
    return isFresh ? {} : { agent: this.#agent };
  }

  #signUpRequest(): Request {
    return signUpOf(emailOf(this.#signUps++));
  }

  #forecastRequest({ body }: Window, { key = this.ownerKey, isDetailed = false, model, isFresh = false }: ForecastOptions): Request {
    const query = [...(isDetailed ? ['detail=full'] : []), ...(model === undefined ? [] : [`model=${model}`])].join('&');
    return { ...post(query === '' ? FORECAST_PATH : `${FORECAST_PATH}?${query}`, body, key), ...this.#on(isFresh) };
  }

  async #ask(kind: string, asked: Asked, request: Request): Promise<Answer | undefined> {
    const { ledger, allowances } = this.#deps;
    const ended = await send(this.port, request);
    const { fromMs, toMs } = ended;
    const allowed = { mayCut: allowances.overlapMs('cut', fromMs, toMs) > 0, delayMs: allowances.overlapMs('delay', fromMs, toMs) };
    const { method, path } = request;
    for (const { promise, fault } of checkAnswer({ limitMs: LIMIT_MS, ...asked, method, path }, ended, allowed))
      ledger.check(promise, fault);
    ledger.count(kind, 'answer' in ended ? `${ended.answer.status}` : 'closed' in ended ? 'closed' : 'hung');
    return 'answer' in ended ? ended.answer : undefined;
  }
}
