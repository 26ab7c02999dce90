import type { ParameterizedContext } from 'koa';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../accounts/limits/subjectOfAddress.ts';
import { readQuery, type ReadQuery } from '../contract/query.ts';
import { ROUTES, type RouteName, type RouteSpec } from '../contract/routes.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { callerAddress } from './callerAddress.ts';
import { CallerGone } from './CallerGone.ts';
import { asServiceError } from './failures.ts';
import { overloaded, type ForecastGate } from './ForecastGate.ts';
import type { Handler } from './handlers.ts';
import type { Asking, HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import { identify } from './identify.ts';
import type { LoopDelay } from './LoopDelay.ts';
import { readBody, requireJsonType } from './readBody.ts';
import type { SlowLane } from './SlowLane.ts';

export type State = { requestId: string; route?: RouteName; keyPrefix?: string; stagesMs: Record<string, number> };
export type Context = ParameterizedContext<State>;

function requireParts({ state }: HttpDeps): HttpParts {
  if (state.parts === undefined) throw new ServiceError('service.not_ready', `The service is ${state.phase}.`);
  return state.parts;
}

export type Rooms = {
  readonly deps: HttpDeps;
  readonly options: HttpOptions;
  readonly slowLane: SlowLane;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  readonly gate: ForecastGate;
};

/** The checks of a route in their order (media type, key or password, query; the handler reads the body), then its handler. */
export function runRoute(name: RouteName, handler: Handler, { deps, options, slowLane, loopDelay, gate }: Rooms) {
  const spec: RouteSpec = ROUTES[name];
  // A crowd at these doors must not keep forecasts waiting.
  const isForecast = spec.limit?.name === 'forecasts';
  const isSlow = spec.needsPassword === true || spec.limit?.name === 'signUps';
  return async (ctx: Context & { params: Record<string, string> }): Promise<void> => {
    ctx.state.route = name;
    const startMs = deps.clock.monotonicMs();
    if (isSlow) await slowLane.enter();
    if (spec.body !== undefined) requireJsonType(ctx.req);
    const parts = (): HttpParts => requireParts(deps);
    const subject = subjectOfAddress(callerAddress(ctx.req, options.trustProxy));
    // Before the store is asked for a key that is not known.
    const refusal = isForecast ? gate.refusalFor(subject) : undefined;
    if (refusal !== undefined) throw overloaded(refusal);
    const { requestId } = ctx.state;
    const who = await identify(spec, ctx.req, parts, { subject, requestId });
    if (who.caller !== undefined) ctx.state.keyPrefix = who.caller.keyPrefix;
    const query: ReadQuery = spec.query === undefined ? { detail: false } : readQuery(ctx.querystring, spec.query);
    const { stagesMs } = ctx.state;
    const bytes = async (): Promise<Buffer> => {
      const fromMs = deps.clock.monotonicMs();
      stagesMs['key'] = fromMs - startMs;
      const received = await readBody(ctx.req, ctx.res, options.bodyLimitBytes);
      stagesMs['read'] = deps.clock.monotonicMs() - fromMs;
      return received;
    };
    let turn: Turn | undefined;
    const admit = async (): Promise<Turn> => {
      const { limits } = parts();
      turn = await (isForecast ? limits.forecasts.take(who.caller?.keyId ?? subject) : limits.signUps.take(subject));
      ctx.set(turn.headers);
      return turn;
    };
    let hasEntered = false;
    const enter = async (length: number): Promise<Asking> => {
      const owner = who.caller?.keyId ?? subject;
      const deadlineMs = startMs - loopDelay.delayMs + options.forecastDeadlineMs;
      const asking = { owner, deadlineMs, signal: new CallerGone(ctx.res) };
      const fromMs = deps.clock.monotonicMs();
      await gate.enter({ ...asking, bytes: length });
      hasEntered = true;
      stagesMs['wait'] = deps.clock.monotonicMs() - fromMs;
      return asking;
    };
    let answer: string | Buffer;
    try {
      answer = await handler({ query, params: ctx.params, ...who, requestId, parts, bytes, enter, admit, stagesMs });
    } catch (thrown) {
      // What was not served does not count, but for what the limit is there to slow down.
      const isCounted = spec.limit?.keepsOn4xx === true && asServiceError(thrown, name).status < 500;
      if (turn !== undefined && !isCounted) ctx.set(await turn.giveBack());
      throw thrown;
    } finally {
      if (hasEntered) gate.leave();
    }
    if (query.timing === true) {
      const total = { ...stagesMs, total: deps.clock.monotonicMs() - startMs };
      const stages = Object.entries(total).map(([stage, ms]) => `${stage};dur=${ms.toFixed(3)}`);
      ctx.set('Server-Timing', stages.join(', '));
    }
    ctx.status = spec.answer.status;
    // Before the body: Koa looks for a type of its own otherwise.
    ctx.res.setHeader('Content-Type', 'application/json');
    ctx.body = typeof answer === 'string' ? Buffer.from(answer) : answer;
  };
}
