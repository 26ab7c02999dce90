import type { ParameterizedContext } from 'koa';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../accounts/limits/subjectOfAddress.ts';
import { readQuery, type ReadQuery } from '../contract/query.ts';
import { ACCOUNT_BODY_LIMIT_BYTES, ROUTES, type RouteName, type RouteSpec } from '../contract/routes.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { AnswerEncoder } from './AnswerEncoder.ts';
import type { BodyBudget, HeldBody } from '../admission/BodyBudget.ts';
import { callerAddress } from './callerAddress.ts';
import { CallerGone } from './CallerGone.ts';
import { asServiceError } from './failures.ts';
import { overloaded, type AdmissionQueue } from '../admission/AdmissionQueue.ts';
import type { Handler } from './handlers.ts';
import type { Asking, HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import { identify } from './identify.ts';
import type { LoopDelay } from './LoopDelay.ts';
import { readBody, requireJsonType } from './readBody.ts';
import type { SlowLane } from './SlowLane.ts';

export type State = { requestId: string; route?: RouteName; keyPrefix?: string; stagesMs: Record<string, number> };
export type Context = ParameterizedContext<State>;
type RouteContext = Context & { params: Record<string, string> };

function requireParts({ state }: HttpDeps): HttpParts {
  if (state.parts === undefined) throw new ServiceError('service.not_ready', `The service is ${state.phase}.`);
  return state.parts;
}

export type RouteParts = {
  readonly deps: HttpDeps;
  readonly options: HttpOptions;
  readonly slowLane: SlowLane;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  readonly admission: AdmissionQueue;
  readonly budget: BodyBudget;
  readonly encoder: AnswerEncoder;
};

/** The checks of a route in their order (media type, key or password, query), then its handler. An account route reads its small body before the password. */
export function runRoute(
  name: RouteName,
  handler: Handler,
  { deps, options, slowLane, loopDelay, admission, budget, encoder }: RouteParts,
) {
  const spec: RouteSpec = ROUTES[name];
  // Many requests of these kinds at once must not delay forecasts.
  const isForecast = spec.limit?.name === 'forecasts';
  const isBatch = spec.body?.limit === 'batch';
  const limits = { account: ACCOUNT_BODY_LIMIT_BYTES, forecast: options.bodyLimitBytes, batch: options.batchBodyLimitBytes };
  const limitBytes = limits[spec.body?.limit ?? 'forecast'];
  const isPlain = spec.answer.revalidates === undefined && spec.answer.gzipFromBytes === undefined;
  const isSlow = spec.needsPassword === true || spec.limit?.name === 'signUps';
  const run = async (ctx: RouteContext, subject: string, read: (account: string) => Promise<Buffer>): Promise<void> => {
    const startMs = deps.clock.monotonicMs();
    if (spec.body !== undefined) requireJsonType(ctx.req);
    // Node.js would buffer what arrives of it until the answer, and nothing counts that.
    else ctx.req.resume();
    // The same holds for small bodies of requests that wait: they are read first.
    const early = isSlow && spec.body !== undefined ? await read(subject) : undefined;
    if (isSlow) await slowLane.enter();
    const parts = (): HttpParts => requireParts(deps);
    // Before the store is asked for a key that is not known.
    const refusal = isForecast ? admission.refusalFor(subject) : undefined;
    if (refusal !== undefined) throw overloaded(refusal);
    const { requestId } = ctx.state;
    const who = await identify(spec, ctx.req, parts, { subject, requestId });
    if (who.caller !== undefined) ctx.state.keyPrefix = who.caller.keyPrefix;
    const query: ReadQuery = spec.query === undefined ? { detail: false } : readQuery(ctx.querystring, spec.query);
    const { stagesMs } = ctx.state;
    const owner = who.caller?.keyId ?? subject;
    const bytes = (): Promise<Buffer> => {
      stagesMs['key'] = deps.clock.monotonicMs() - startMs - (stagesMs['read'] ?? 0);
      return early === undefined ? read(who.caller?.accountId ?? subject) : Promise.resolve(early);
    };
    const setHeaders = (fields: Readonly<Record<string, string>>): void => ctx.set(fields);
    const take = async (): Promise<Turn> => {
      const { limits } = parts();
      const taken = await (isForecast ? limits.forecasts.take(owner) : limits.signUps.take(subject));
      ctx.set(taken.headers);
      return taken;
    };
    let turn: Turn | undefined;
    const admit = async (): Promise<Turn> => (turn = await take());
    // The items of a batch begin long after it came: whoever left by then was missed by one that looks only from then on.
    let signal = isBatch ? new CallerGone(ctx.res) : undefined;
    const inTurn = async <T>(run: (asking: Asking) => Promise<T>): Promise<T> => {
      signal ??= new CallerGone(ctx.res);
      if (signal.reason !== undefined) throw signal.reason;
      const fromMs = deps.clock.monotonicMs();
      // An item has its own time: it is as a request that comes when the ones before it are answered.
      const deadlineMs = (isBatch ? fromMs : startMs) - loopDelay.delayMs + options.forecastDeadlineMs;
      const asking = { owner, deadlineMs, signal };
      await admission.enter(asking);
      try {
        stagesMs['wait'] = Math.max(stagesMs['wait'] ?? 0, deps.clock.monotonicMs() - fromMs);
        return await run(asking);
      } finally {
        admission.leave();
      }
    };
    let answer: string | Buffer;
    try {
      answer = await handler({ query, params: ctx.params, ...who, requestId, parts, bytes, inTurn, admit, take, setHeaders, stagesMs });
    } catch (thrown) {
      // What was not served does not count, but for what the limit is there to slow down.
      const isCounted = spec.limit?.keepsOn4xx === true && asServiceError(thrown, name).status < 500;
      if (turn !== undefined && !isCounted) ctx.set(await turn.giveBack());
      throw thrown;
    }
    if (query.timing === true) {
      const total = { ...stagesMs, total: deps.clock.monotonicMs() - startMs };
      const stages = Object.entries(total).map(([stage, ms]) => `${stage};dur=${ms.toFixed(3)}`);
      ctx.set('Server-Timing', stages.join(', '));
    }
    ctx.status = spec.answer.status;
    // Before the body: Koa looks for a type of its own otherwise.
    ctx.res.setHeader('Content-Type', spec.answer.type ?? 'application/json');
    const body = typeof answer === 'string' ? Buffer.from(answer) : answer;
    if (isPlain) ctx.body = body;
    // Only a handler that keeps its bytes gives them where the route is revalidated.
    else await encoder.send(ctx, body, spec.answer, body === answer && spec.answer.revalidates === true);
  };
  return async (ctx: RouteContext): Promise<void> => {
    ctx.state.route = name;
    const subject = subjectOfAddress(callerAddress(ctx.req, options.trustProxy));
    let body: HeldBody | undefined;
    const read = async (account: string): Promise<Buffer> => {
      const fromMs = deps.clock.monotonicMs();
      body = budget.open(account, subject);
      const bytes = await readBody(ctx.req, ctx.res, { limitBytes, budget, body });
      ctx.state.stagesMs['read'] = deps.clock.monotonicMs() - fromMs;
      return bytes;
    };
    try {
      await run(ctx, subject, read);
    } finally {
      if (body !== undefined) budget.release(body);
    }
  };
}
