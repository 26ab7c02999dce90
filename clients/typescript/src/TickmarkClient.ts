import { buildBarBody, type Bar } from './barBody.ts';
import {
  forecastBatches,
  horizonsBatches,
  type BatchOptions,
  type BatchResult,
  type HorizonsBatchOptions,
  type HorizonsResult,
} from './forecastBatches.ts';
import { forecastStream, type StreamedForecast, type StreamOptions } from './forecastStream.ts';
import type { TickSource } from './readTicks.ts';
import type { TickForm } from './tickBody.ts';
import {
  checkedHorizons,
  forecastOf,
  forecastQuery,
  horizonCount,
  horizonsQuery,
  type Forecast,
  type ForecastOptions,
  type HorizonOptions,
} from './Forecast.ts';
import { LiveConnection } from './live/LiveConnection.ts';
import type { LiveOptions } from './live/LiveOptions.ts';
import { type Call, type CallOptions, Transport } from './Transport.ts';
import type * as wire from './wire.ts';

export type ClientOptions = {
  /** Address of the service; default `http://127.0.0.1:8080`. Empty in a browser: where the page came from. */
  readonly baseUrl?: string | undefined;
  /** Needed for forecasts, `me` and `rotateKey`. */
  readonly apiKey?: string | undefined;
  /** Milliseconds for a whole call, retries and waits included; default 30,000; 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Tries after the first one, of what is safe to repeat; default 3. */
  readonly retries?: number | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** From 0 to below 1, for the jitter of waits; default Math.random. */
  readonly random?: (() => number) | undefined;
};

/** Which rows of the track record; `from` and `to`: UTC days, YYYY-MM-DD, both included. */
export type TrackRecordOptions = CallOptions & {
  readonly series?: string | undefined;
  readonly model?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** E-mail and password of an account, sent by HTTP Basic; in a page of the service, null stands for its session. */
export type Login = { readonly email: string; readonly password: string };

/** @throws RangeError for an id that would change the path: DELETE /account/keys/.. deletes the account */
function segment(id: string): string {
  if (['', '.', '..'].includes(id)) throw new RangeError(`id must not be empty, "." or ".."; it is ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

/** Without slashes at its end. @throws RangeError: fetch would say so only at the first call, as if there were no connection */
function checkedUrl(baseUrl: string): string {
  // A path is one of the page's own server.
  if (/^(\/(?!\/)|$)/.test(baseUrl)) return baseUrl.replace(/\/+$/, '');
  const { protocol, username, password, search, hash } = URL.canParse(baseUrl) ? new URL(baseUrl) : ({} as Partial<URL>);
  if ((protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === '')
    return baseUrl.replace(/\/+$/, '');
  // A password is not repeated.
  const given = password ? '' : `; it is ${JSON.stringify(baseUrl)}`;
  throw new RangeError(`baseUrl must be an address such as http://127.0.0.1:8080, without user name, query and fragment${given}`);
}

/**
 * Calls of one tickmark service, in browsers and in Node.js from 20 on. Every method throws TickmarkError, or the reason of a signal that
 * was aborted. Holds nothing open except live connections: there is nothing to close.
 */
export class TickmarkClient {
  readonly #transport: Transport;
  readonly #apiKey: string | undefined;
  readonly #baseUrl: string;
  readonly #random: () => number;

  /** @throws RangeError for an address that is none, or a key that no header can have */
  constructor(options: ClientOptions = {}) {
    // fetch would throw as well, but with the key in its message.
    if (options.apiKey !== undefined && !/^[!-~]+$/.test(options.apiKey))
      throw new RangeError('apiKey must be visible ASCII characters without white space');
    this.#apiKey = options.apiKey;
    this.#baseUrl = checkedUrl(options.baseUrl ?? 'http://127.0.0.1:8080');
    this.#random = options.random ?? Math.random;
    this.#transport = new Transport({
      baseUrl: this.#baseUrl,
      timeoutMs: options.timeoutMs ?? 30_000,
      retries: options.retries ?? 3,
      // Browsers refuse a fetch that is called as a method of another object.
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
      random: this.#random,
    });
  }

  /** Creates an account. The key is returned only once. Never repeated: the first try may have succeeded. */
  async signUp(request: wire.SignupRequest, options?: CallOptions): Promise<wire.SignupAnswer> {
    return this.#ask('POST', '/signup', options, { body: request, isSafeToRepeat: false });
  }

  /** Whether a trade opportunity is identified at the last, future timestamp of the body, which may have any form of the API. */
  async forecast(body: TickForm, options: ForecastOptions = {}): Promise<Forecast> {
    const answer = await this.#transport.send<wire.TickAnswer | wire.LastAnswer>(
      {
        method: 'POST',
        path: `/auth/ti-tick${forecastQuery(options)}`,
        headers: this.#keyHeaders(true),
        body: JSON.stringify(body),
        isSafeToRepeat: true,
      },
      options,
    );
    return forecastOf(body, answer.body, answer.headers, options.lastOnly);
  }

  /**
   * A forecast for each horizon and threshold, of the same ticks or bars: the body has no future entry, and may have any form of the API; or bars
   * as `buildBarBody` takes them, with `barTime`. Each uses one forecast of the limit.
   */
  async forecastHorizons(body: TickForm | readonly Bar[], options: HorizonOptions): Promise<wire.HorizonsAnswer> {
    const path = `/auth/ti-tick${horizonsQuery(options)}`;
    const sent = Array.isArray(body) ? buildBarBody(body as readonly Bar[]) : body;
    const answer = await this.#ask<wire.HorizonsAnswer>('POST', path, options, { headers: this.#keyHeaders(), body: sent });
    return checkedHorizons(answer, horizonCount(options));
  }

  /**
   * A result for each body, in their order. More than 64 go in several requests, some at once; items that met a limit are tried again. With
   * `series`, the requests are sent one after the other, so that each forecast learns from those before it in its series.
   */
  async forecastBatch(bodies: readonly TickForm[], options: BatchOptions = {}): Promise<BatchResult[]> {
    return forecastBatches(this.#transport, this.#keyHeaders(true), bodies, options);
  }

  /** As `forecastBatch`, with a forecast for each horizon and threshold of each body: bodies have no future entry, as for `forecastHorizons`. */
  async forecastHorizonsBatch(bodies: readonly TickForm[], options: HorizonsBatchOptions): Promise<HorizonsResult[]> {
    return horizonsBatches(this.#transport, this.#keyHeaders(true), bodies, options);
  }

  /** A forecast for each window of a stream of ticks, in order, as soon as it is made. Leaving the loop aborts requests in flight. */
  forecastStream(source: TickSource, options: StreamOptions): AsyncGenerator<StreamedForecast, void, undefined> {
    return forecastStream(this, source, options);
  }

  /**
   * A connection to live series: push ticks, and iterate over forecasts and outcomes. It connects again by itself; close it, or leave the
   * loop. @throws RangeError without a WebSocket, or without a key except in a page of the service, which may have a session
   */
  live(options: LiveOptions = {}): LiveConnection {
    if (this.#apiKey === undefined && this.#baseUrl !== '') throw new RangeError('live() needs a client with an apiKey');
    const base = this.#baseUrl === '' ? (globalThis as { location?: { origin: string } }).location?.origin : this.#baseUrl;
    const url = `${base ?? ''}/auth/live`.replace(/^http/, 'ws');
    return new LiveConnection({ url, apiKey: this.#apiKey, random: this.#random, options });
  }

  /** The account of the key. */
  async me(options?: CallOptions): Promise<wire.MeAnswer> {
    return this.#ask('GET', '/auth/me', options, { headers: this.#keyHeaders() });
  }

  /** How right the forecasts of the account were, by day, series and version. */
  async trackRecord({ series, model, from, to, ...options }: TrackRecordOptions = {}): Promise<wire.TrackRecordAnswer> {
    const given = Object.entries({ series, model, from, to }).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    return this.#ask('GET', `/auth/track-record${query === '' ? '' : `?${query}`}`, options, { headers: this.#keyHeaders() });
  }

  /** Replaces the key of this client by a new one, which is returned only once; create a client with it. Never repeated. */
  async rotateKey(options?: CallOptions): Promise<wire.RotatedKeyAnswer> {
    return this.#ask('POST', '/auth/keys/rotate', options, { headers: this.#keyHeaders(), isSafeToRepeat: false });
  }

  async listKeys(login: Login | null, options?: CallOptions): Promise<wire.KeyListAnswer> {
    return this.#ask('GET', '/account/keys', options, { headers: basic(login) });
  }

  /** Issues another key, for example after one was lost. It is returned only once. Never repeated. */
  async issueKey(login: Login | null, request: wire.KeyRequestBody = {}, options?: CallOptions): Promise<wire.IssuedKeyAnswer> {
    return this.#ask('POST', '/account/keys', options, { headers: basic(login), body: request, isSafeToRepeat: false });
  }

  async revokeKey(login: Login | null, id: string, options?: CallOptions): Promise<wire.KeyAnswer> {
    return this.#ask('DELETE', `/account/keys/${segment(id)}`, options, { headers: basic(login) });
  }

  /** Never repeated: after a first try that was done, the old password is refused. */
  async changePassword(login: Login, newPassword: string, options?: CallOptions): Promise<wire.MessageAnswer> {
    const body = { password: newPassword, confirm_password: newPassword };
    return this.#ask('POST', '/account/password', options, { headers: basic(login), body, isSafeToRepeat: false });
  }

  /** Deletes the account and all its keys. Never repeated. */
  async deleteAccount(login: Login, options?: CallOptions): Promise<wire.MessageAnswer> {
    return this.#ask('DELETE', '/account', options, { headers: basic(login), isSafeToRepeat: false });
  }

  async listWebhooks(login: Login | null, options?: CallOptions): Promise<wire.WebhookListAnswer> {
    return this.#ask('GET', '/account/webhooks', options, { headers: basic(login) });
  }

  /** Adds a target of alerts. Its secret is returned only once. Never repeated. */
  async addWebhook(login: Login | null, request: wire.WebhookRequestBody, options?: CallOptions): Promise<wire.AddedWebhookAnswer> {
    return this.#ask('POST', '/account/webhooks', options, { headers: basic(login), body: request, isSafeToRepeat: false });
  }

  /** Sends a test alert, once, and says what the target answered. */
  async testWebhook(login: Login | null, id: string, options?: CallOptions): Promise<wire.WebhookTestAnswer> {
    const path = `/account/webhooks/${segment(id)}/test`;
    return this.#ask('POST', path, options, { headers: basic(login), isSafeToRepeat: false });
  }

  /** The alerts of a target that were given up, newest first. */
  async failedAlerts(login: Login | null, id: string, options?: CallOptions): Promise<wire.FailedAlertsAnswer> {
    return this.#ask('GET', `/account/webhooks/${segment(id)}/failed`, options, { headers: basic(login) });
  }

  /** All but the secret of a target; what is left out stays. */
  async changeWebhook(login: Login | null, id: string, change: wire.WebhookChangeBody, options?: CallOptions): Promise<wire.WebhookAnswer> {
    return this.#ask('PATCH', `/account/webhooks/${segment(id)}`, options, { headers: basic(login), body: change });
  }

  async removeWebhook(login: Login | null, id: string, options?: CallOptions): Promise<wire.WebhookAnswer> {
    return this.#ask('DELETE', `/account/webhooks/${segment(id)}`, options, { headers: basic(login), isSafeToRepeat: false });
  }

  /** What the service watches. */
  async markets(options?: CallOptions): Promise<wire.MarketListAnswer> {
    return this.#market('GET', '', undefined, options);
  }

  /** Never repeated. */
  async addMarket(market: wire.MarketRequestBody, options?: CallOptions): Promise<wire.MarketAnswer> {
    return this.#market('POST', '', market, options);
  }

  async market(id: string, options?: CallOptions): Promise<wire.MarketAnswer> {
    return this.#market('GET', `/${segment(id)}`, undefined, options);
  }

  async changeMarket(id: string, change: wire.MarketChangeBody, options?: CallOptions): Promise<wire.MarketAnswer> {
    return this.#market('PATCH', `/${segment(id)}`, change, options);
  }

  async removeMarket(id: string, options?: CallOptions): Promise<wire.MarketAnswer> {
    return this.#market('DELETE', `/${segment(id)}`, undefined, options);
  }

  /** `after`: `last` of the page before. */
  async marketForecasts(id: string, after?: number, options?: CallOptions): Promise<wire.MarketForecastsAnswer> {
    return this.#market('GET', `/${segment(id)}/forecasts${after === undefined ? '' : `?after=${after}`}`, undefined, options);
  }

  async models(options?: CallOptions): Promise<wire.ModelListAnswer> {
    return this.#ask('GET', '/models', options);
  }

  async model(id: string, options?: CallOptions): Promise<wire.ModelAnswer> {
    return this.#ask('GET', `/models/${segment(id)}`, options);
  }

  /** What `openEngine({ version: files })` of tickmark-engine takes, to forecast with this version in your own program. */
  async modelFiles(id: string, options?: CallOptions): Promise<wire.ModelFilesAnswer> {
    return this.#ask('GET', `/auth/models/${segment(id)}/files`, options, { headers: this.#keyHeaders() });
  }

  async rules(options?: CallOptions): Promise<wire.RuleSetListAnswer> {
    return this.#ask('GET', '/rules', options);
  }

  async ruleSet(id: string, options?: CallOptions): Promise<wire.RuleSetAnswer> {
    return this.#ask('GET', `/rules/${segment(id)}`, options);
  }

  /** A request body that is ready to post. */
  async sample(options?: CallOptions): Promise<wire.TickRequestBody> {
    return this.#ask('GET', '/sample', options);
  }

  /** The full answer to the sample; no key needed. */
  async sampleForecast(options?: CallOptions): Promise<Forecast> {
    const answer = await this.#transport.send<wire.TickAnswer>(
      { method: 'GET', path: '/sample/forecast', headers: {}, isSafeToRepeat: true },
      options,
    );
    return forecastOf({ Timestamp: Object.keys(answer.body) }, answer.body, answer.headers);
  }

  /** Whether forecasts are answered, and by which model. Not retried: the current state is the answer. */
  async health(options?: CallOptions): Promise<wire.ReadyAnswer> {
    return this.#ask('GET', '/health/ready', { retries: 0, ...options });
  }

  /** Whether the process answers. */
  async liveness(options?: CallOptions): Promise<wire.LiveAnswer> {
    return this.#ask('GET', '/health/live', { retries: 0, ...options });
  }

  #market<Body>(method: Call['method'], path: string, body: object | undefined, options: CallOptions | undefined): Promise<Body> {
    const isSafeToRepeat = method === 'GET' || method === 'PATCH';
    return this.#ask(method, `/account/markets${path}`, options, { headers: this.#keyHeaders(), body, isSafeToRepeat });
  }

  #keyHeaders(hasBody = false): Record<string, string> {
    return { ...(this.#apiKey === undefined ? {} : { 'Api-Key': this.#apiKey }), ...(hasBody ? JSON_BODY : {}) };
  }

  async #ask<Body>(
    method: Call['method'],
    path: string,
    options: CallOptions | undefined,
    rest: { readonly headers?: Record<string, string>; readonly body?: unknown; readonly isSafeToRepeat?: boolean } = {},
  ): Promise<Body> {
    const { headers = {}, body, isSafeToRepeat = true } = rest;
    const sent = body === undefined ? { headers } : { headers: { ...headers, ...JSON_BODY }, body: JSON.stringify(body) };
    return (await this.#transport.send<Body>({ method, path, isSafeToRepeat, ...sent }, options)).body;
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' } as const;

/** HTTP Basic, in UTF-8; null: none, because a page of the service has a session, whose cookie the browser adds. Throws RangeError for an e-mail with a colon, which ends the name there (RFC 7617). */
function basic(login: Login | null): Record<string, string> {
  if (login === null) return {};
  const { email, password } = login;
  if (email.includes(':')) throw new RangeError('An e-mail with a colon cannot be sent by HTTP Basic.');
  const bytes = new TextEncoder().encode(`${email}:${password}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}
