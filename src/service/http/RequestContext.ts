import type { ParameterizedContext } from 'koa';
import type { Account } from '../accounts/AccountStore.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { LoginOrigin } from '../accounts/PasswordLogin.ts';
import type { Permit } from '../accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../accounts/limits/createLimits.ts';
import type { AdmissionQueue } from '../admission/AdmissionQueue.ts';
import type { Patience } from '../admission/whenGone.ts';
import type { BodyBudget, CountedBody } from '../admission/BodyBudget.ts';
import { readQuery, type ReadQuery } from '../../contract/query.ts';
import type { RouteName, RouteSpec } from '../../contract/routes.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { AnswerEncoder } from './AnswerEncoder.ts';
import { callerAddress, identify } from './identify.ts';
import { Disconnect } from './Disconnect.ts';
import { asServiceError } from './failures.ts';
import type { ErrorCode } from '../../core/errorTable.ts';
import type { HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import type { LoopDelay } from './LoopDelay.ts';
import { checkOwnPage, sessionCookie } from './sessionCookie.ts';
import { readBody, requireJsonType } from './readBody.ts';
import type { SerialExecutor } from './SerialExecutor.ts';

/** State of one request for the middleware, the route and the access log. */
export type State = { requestId: string; route?: RouteName; keyPrefix?: string; code?: ErrorCode; stagesMs: Record<string, number> };
export type Context = ParameterizedContext<State>;
export type RouteContext = Context & { params: Record<string, string> };

/** Dependencies of all routes. */
export type Shared = {
  readonly deps: HttpDeps;
  readonly options: HttpOptions;
  readonly executor: SerialExecutor;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  readonly admission: AdmissionQueue;
  readonly budget: BodyBudget;
  readonly encoder: AnswerEncoder;
};

/** A row of the route table with values derived from it. */
export type Route = { readonly name: RouteName; readonly spec: RouteSpec; readonly bodyLimitBytes: number };

/** One request on a route: the steps that a route may run, and the resources that the request uses until its end. */
export class RequestContext {
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** Duration of the stages, for the log; a handler may add its own. */
  readonly stagesMs: Record<string, number>;
  /** Set if the route needs a key. */
  caller: Identity | undefined;
  /** Set if the route needs a password. */
  owner: Account | undefined;
  query: ReadQuery = { options: {} };
  readonly #ctx: RouteContext;
  readonly #route: Route;
  readonly #shared: Shared;
  readonly #startMs: number;
  /** The address as the limits count it. */
  readonly #subject: string;
  readonly #gone: Disconnect;
  #body: CountedBody | undefined;
  #read: Promise<Buffer> | undefined;
  #permit: Permit | undefined;

  constructor(ctx: RouteContext, route: Route, shared: Shared) {
    this.params = ctx.params;
    this.requestId = ctx.state.requestId;
    this.stagesMs = ctx.state.stagesMs;
    this.#ctx = ctx;
    this.#route = route;
    this.#shared = shared;
    this.#startMs = shared.deps.clock.monotonicMs();
    this.#subject = subjectOfAddress(callerAddress(ctx.req, shared.options.trustProxy));
    // Created at the start: items of a batch start long after the request arrived.
    this.#gone = new Disconnect(ctx.res);
  }

  /** Throws ServiceError `service.not_ready` until the parts are loaded. */
  get parts(): HttpParts {
    const { parts, phase } = this.#shared.deps.state;
    if (parts === undefined) throw new ServiceError('service.not_ready', `The service is ${phase}.`);
    return parts;
  }

  get loginOrigin(): LoginOrigin {
    return { subject: this.#subject, requestId: this.requestId };
  }

  /** Throws ServiceError `session.origin_refused` for the request of a page of another origin. A program, which sends no Origin, is let in. */
  checkNoOtherPage(): void {
    const { origin, 'sec-fetch-site': site } = this.#ctx.req.headers;
    if ((origin ?? site) !== undefined) checkOwnPage(this.#ctx.req, this.#shared.options);
  }

  /** Gives the browser the token of a session; null: takes it back. */
  setSession(token: string | null): void {
    this.#ctx.set('Set-Cookie', sessionCookie(token, this.#ctx.req, this.#shared.options));
  }

  /** Throws ServiceError `request.media_type_unsupported`. */
  checkMediaType(): void {
    if (this.#route.spec.body !== undefined) requireJsonType(this.#ctx.req);
    // Otherwise Node.js would buffer the body until the answer is sent, outside the memory budget.
    else this.#ctx.req.resume();
  }

  /** Waits in a serial executor: many requests of this kind at once must not delay forecasts. */
  async waitInExecutor(): Promise<void> {
    // Node.js would buffer the bodies of waiting requests outside the memory budget; these bodies are small, so they are read first.
    if (this.#route.spec.body !== undefined) await this.#readFor(this.#subject);
    await this.#shared.executor.enter();
  }

  /** Checks the key or the password, then the query. */
  async identify(): Promise<void> {
    const { spec } = this.#route;
    const who = await identify(spec, this.#ctx.req, () => this.parts, this.loginOrigin, this.#shared.options);
    this.caller = who.caller;
    this.owner = who.owner;
    if (who.caller !== undefined) this.#ctx.state.keyPrefix = who.caller.keyPrefix;
    if (spec.body !== undefined)
      this.stagesMs['key'] = this.#shared.deps.clock.monotonicMs() - this.#startMs - (this.stagesMs['read'] ?? 0);
    if (spec.query !== undefined) this.query = readQuery(this.#ctx.querystring, spec.query, spec.body?.limit === 'batch');
  }

  /** Reads the body. */
  bytes(): Promise<Buffer> {
    return this.#read ?? this.#readFor(this.caller?.accountId ?? this.#subject);
  }

  /**
   * Takes a permit of the route's limit, for `count` forecasts; throws ServiceError `limit.exceeded`. The caller returns the permit if it
   * served nothing.
   */
  async takePermit(count = 1): Promise<Permit> {
    const { limits } = this.parts;
    const counted = this.caller ?? { keyId: this.#subject, accountId: this.#subject };
    const permit = await (this.#isForecast ? limits.forecasts.take(counted, count) : limits.signUps.take(this.#subject));
    this.#ctx.set(permit.headers);
    return permit;
  }

  /** Takes the permit of the whole request; it is returned if the request fails later. */
  async takeRequestPermit(count = 1): Promise<Permit> {
    return (this.#permit = await this.takePermit(count));
  }

  /** How long the caller of a forecast waits. An item of a batch has its own time limit, like a request that arrives when it is called. */
  patience(): Patience {
    const { deps, options, loopDelay } = this.#shared;
    const arrivedMs = this.#route.spec.body?.limit === 'batch' ? deps.clock.monotonicMs() : this.#startMs;
    return { deadlineMs: arrivedMs - loopDelay.delayMs + options.forecastDeadlineMs, signal: this.#gone };
  }

  /** Runs a part of a forecast in a slot; it must not wait for other requests, which may wait for a slot. Throws like `AdmissionQueue.enter`. */
  async admit<T>(patience: Patience, run: () => Promise<T>): Promise<T> {
    const { deps, admission } = this.#shared;
    if (this.#gone.reason !== undefined) throw this.#gone.reason;
    const fromMs = deps.clock.monotonicMs();
    let isFailed = true;
    try {
      await admission.enter({ owner: this.#counted, ...patience });
      isFailed = false;
    } finally {
      deps.tracer?.record('admission wait', deps.clock.monotonicMs() - fromMs, { isFailed });
    }
    try {
      this.stagesMs['wait'] = Math.max(this.stagesMs['wait'] ?? 0, deps.clock.monotonicMs() - fromMs);
      return await run();
    } finally {
      admission.leave();
    }
  }

  setHeaders(fields: Readonly<Record<string, string>>): void {
    this.#ctx.set(fields);
  }

  /** An object is sent as JSON. */
  async send(answer: unknown): Promise<void> {
    const ctx = this.#ctx;
    const { answer: spec } = this.#route.spec;
    if (this.query.timing === true) {
      const total = { ...this.stagesMs, total: this.#shared.deps.clock.monotonicMs() - this.#startMs };
      const stages = Object.entries(total).map(([stage, ms]) => `${stage};dur=${ms.toFixed(3)}`);
      ctx.set('Server-Timing', stages.join(', '));
    }
    ctx.status = spec.status;
    // Before the body: otherwise Koa sets its own type.
    ctx.res.setHeader('Content-Type', spec.type ?? 'application/json');
    const body = Buffer.isBuffer(answer) ? answer : Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
    if (spec.revalidates === undefined && spec.gzipFromBytes === undefined) ctx.body = body;
    // Routes that revalidate return a buffer only if the handler reuses it.
    else await this.#shared.encoder.send(ctx, body, spec, body === answer && spec.revalidates === true);
  }

  /** Returns the permit of a request that was not served, unless the limit also counts refused requests. */
  async refund(thrown: unknown): Promise<void> {
    const isCounted = this.#route.spec.limit?.keepsOn4xx === true && asServiceError(thrown, this.#route.name).status < 500;
    if (this.#permit !== undefined && !isCounted) this.#ctx.set(await this.#permit.giveBack());
  }

  release(): void {
    if (this.#body !== undefined) this.#shared.budget.release(this.#body);
  }

  get #isForecast(): boolean {
    return this.#route.spec.limit?.name === 'forecasts';
  }

  /** The owner of its forecasts. */
  get #counted(): string {
    return this.caller?.keyId ?? this.#subject;
  }

  #readFor(account: string): Promise<Buffer> {
    const { deps, budget } = this.#shared;
    const { req, res } = this.#ctx;
    const fromMs = deps.clock.monotonicMs();
    const body = (this.#body = budget.open(account, this.#subject));
    this.#read = readBody(req, res, { limitBytes: this.#route.bodyLimitBytes, budget, body }).then((bytes) => {
      this.stagesMs['read'] = deps.clock.monotonicMs() - fromMs;
      return bytes;
    });
    return this.#read;
  }
}
