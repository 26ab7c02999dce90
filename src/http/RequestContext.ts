import type { ParameterizedContext } from 'koa';
import type { Account } from '../accounts/AccountStore.ts';
import type { Identity } from '../accounts/KeyAuthenticator.ts';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../accounts/limits/subjectOfAddress.ts';
import type { AdmissionQueue } from '../admission/AdmissionQueue.ts';
import type { BodyBudget, HeldBody } from '../admission/BodyBudget.ts';
import { readQuery, type ReadQuery } from '../contract/query.ts';
import type { RouteName, RouteSpec } from '../contract/routes.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { AnswerEncoder } from './AnswerEncoder.ts';
import { callerAddress } from './callerAddress.ts';
import { CallerGone } from './CallerGone.ts';
import { asServiceError } from './failures.ts';
import type { HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import { identify } from './identify.ts';
import type { LoopDelay } from './LoopDelay.ts';
import { readBody, requireJsonType } from './readBody.ts';
import type { SlowLane } from './SlowLane.ts';

/** What the middleware, the route and the access log share of one request. */
export type State = { requestId: string; route?: RouteName; keyPrefix?: string; stagesMs: Record<string, number> };
export type Context = ParameterizedContext<State>;
export type RouteContext = Context & { params: Record<string, string> };

/** What all routes share. */
export type Shared = {
  readonly deps: HttpDeps;
  readonly options: HttpOptions;
  readonly slowLane: SlowLane;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  readonly admission: AdmissionQueue;
  readonly budget: BodyBudget;
  readonly encoder: AnswerEncoder;
};

/** A row of the route table with what follows from it. */
export type Route = { readonly name: RouteName; readonly spec: RouteSpec; readonly bodyLimitBytes: number };

/** One request on a route: the steps that the route may take with it, and what it holds until its end. */
export class RequestContext {
  readonly params: Readonly<Record<string, string>>;
  readonly requestId: string;
  /** What the stages of this request took, for the log; a handler adds its own. */
  readonly stagesMs: Record<string, number>;
  /** Set where the route needs a key. */
  caller: Identity | undefined;
  /** Set where the route needs a password. */
  owner: Account | undefined;
  query: ReadQuery = { detail: false };
  readonly #ctx: RouteContext;
  readonly #route: Route;
  readonly #shared: Shared;
  readonly #startMs: number;
  /** What its address is counted as. */
  readonly #subject: string;
  readonly #gone: CallerGone;
  #body: HeldBody | undefined;
  #read: Promise<Buffer> | undefined;
  #permit: Turn | undefined;

  constructor(ctx: RouteContext, route: Route, shared: Shared) {
    this.params = ctx.params;
    this.requestId = ctx.state.requestId;
    this.stagesMs = ctx.state.stagesMs;
    this.#ctx = ctx;
    this.#route = route;
    this.#shared = shared;
    this.#startMs = shared.deps.clock.monotonicMs();
    this.#subject = subjectOfAddress(callerAddress(ctx.req, shared.options.trustProxy));
    // From the start: items of a batch begin long after it came.
    this.#gone = new CallerGone(ctx.res);
  }

  /** Throws ServiceError `service.not_ready` until the parts are loaded. */
  get parts(): HttpParts {
    const { parts, phase } = this.#shared.deps.state;
    if (parts === undefined) throw new ServiceError('service.not_ready', `The service is ${phase}.`);
    return parts;
  }

  /** Throws ServiceError `request.media_type_unsupported`. */
  checkMediaType(): void {
    if (this.#route.spec.body !== undefined) requireJsonType(this.#ctx.req);
    // Node.js would buffer what arrives of it until the answer, and nothing counts that.
    else this.#ctx.req.resume();
  }

  /** Waits for those that came before: many requests of these kinds at once must not delay forecasts. */
  async waitItsTurn(): Promise<void> {
    // Node.js would buffer the bodies of requests that wait, and nothing counts that: they are small and are read first.
    if (this.#route.spec.body !== undefined) await this.#readFor(this.#subject);
    await this.#shared.slowLane.enter();
  }

  /** Checks key or password, then the query. */
  async identify(): Promise<void> {
    const { spec } = this.#route;
    const who = await identify(spec, this.#ctx.req, () => this.parts, { subject: this.#subject, requestId: this.requestId });
    this.caller = who.caller;
    this.owner = who.owner;
    if (who.caller !== undefined) this.#ctx.state.keyPrefix = who.caller.keyPrefix;
    if (spec.body !== undefined)
      this.stagesMs['key'] = this.#shared.deps.clock.monotonicMs() - this.#startMs - (this.stagesMs['read'] ?? 0);
    if (spec.query !== undefined) this.query = readQuery(this.#ctx.querystring, spec.query);
  }

  /** The body. */
  bytes(): Promise<Buffer> {
    return this.#read ?? this.#readFor(this.caller?.accountId ?? this.#subject);
  }

  /** Takes a permit of the route's limit; throws ServiceError `limit.exceeded`. The one that takes it gives it back where it served nothing. */
  async takePermit(): Promise<Turn> {
    const { limits } = this.parts;
    const permit = await (this.#isForecast ? limits.forecasts.take(this.#counted) : limits.signUps.take(this.#subject));
    this.#ctx.set(permit.headers);
    return permit;
  }

  /** Takes the permit of the whole request, which is given back where the request fails later. */
  async takeOnePermit(): Promise<Turn> {
    return (this.#permit = await this.takePermit());
  }

  /** Runs a forecast as soon as it is admitted; `run` is told when its answer is due. Throws as `AdmissionQueue.enter` does. */
  async admit<T>(run: (deadlineMs: number) => Promise<T>): Promise<T> {
    const { deps, options, admission, loopDelay } = this.#shared;
    if (this.#gone.reason !== undefined) throw this.#gone.reason;
    const fromMs = deps.clock.monotonicMs();
    // An item of a batch has its own time: it is as a request that comes when the ones before it are answered.
    const arrivedMs = this.#route.spec.body?.limit === 'batch' ? fromMs : this.#startMs;
    const deadlineMs = arrivedMs - loopDelay.delayMs + options.forecastDeadlineMs;
    await admission.enter({ owner: this.#counted, deadlineMs, signal: this.#gone });
    try {
      this.stagesMs['wait'] = Math.max(this.stagesMs['wait'] ?? 0, deps.clock.monotonicMs() - fromMs);
      return await run(deadlineMs);
    } finally {
      admission.leave();
    }
  }

  setHeaders(fields: Readonly<Record<string, string>>): void {
    this.#ctx.set(fields);
  }

  async send(answer: string | Buffer): Promise<void> {
    const ctx = this.#ctx;
    const { answer: spec } = this.#route.spec;
    if (this.query.timing === true) {
      const total = { ...this.stagesMs, total: this.#shared.deps.clock.monotonicMs() - this.#startMs };
      const stages = Object.entries(total).map(([stage, ms]) => `${stage};dur=${ms.toFixed(3)}`);
      ctx.set('Server-Timing', stages.join(', '));
    }
    ctx.status = spec.status;
    // Before the body: Koa looks for a type of its own otherwise.
    ctx.res.setHeader('Content-Type', spec.type ?? 'application/json');
    const body = typeof answer === 'string' ? Buffer.from(answer) : answer;
    if (spec.revalidates === undefined && spec.gzipFromBytes === undefined) ctx.body = body;
    // Only a handler that keeps its bytes gives them where the route is revalidated.
    else await this.#shared.encoder.send(ctx, body, spec, body === answer && spec.revalidates === true);
  }

  /** What was not served does not count, but for what the limit is there to slow down. */
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

  /** What its forecasts are counted as. */
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
