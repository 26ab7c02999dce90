import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type ParameterizedContext } from 'koa';
import type { Turn } from '../accounts/limits/RateLimit.ts';
import { subjectOfAddress } from '../accounts/limits/subjectOfAddress.ts';
import { problemOf } from '../contract/problem.ts';
import { readQuery } from '../contract/query.ts';
import { ROUTES, type RouteName, type RouteSpec } from '../contract/routes.ts';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { callerAddress } from './callerAddress.ts';
import { CallerGone } from './CallerGone.ts';
import { asServiceError, COMMON_HEADERS, PROBLEM_TYPE, problemHeaders } from './failures.ts';
import { createHandlers, type Handler } from './handlers.ts';
import type { ForecastOptions, HttpDeps, HttpOptions, HttpParts } from './HttpParts.ts';
import { identify } from './identify.ts';
import { SlowLane } from './SlowLane.ts';
import { discardBody, readBody, RequestAborted, requireJsonType } from './readBody.ts';

/** Node drops nothing with the limit off; more fields than this are answered 431 here, so that an Api-Key is never lost in silence. */
const MAX_HEADER_FIELDS = 100;

/** A preflight's answer is good for ten minutes. */
const CORS_MAX_AGE_S = 600;

const COMMON_FIELDS = Object.entries(COMMON_HEADERS);

type State = { requestId: string; route?: RouteName; keyPrefix?: string };
type Context = ParameterizedContext<State>;

function checkHeaders(ctx: Context): void {
  const fields = ctx.req.rawHeaders.length / 2;
  if (fields > MAX_HEADER_FIELDS) {
    throw new ServiceError('request.headers_too_large', `A request may have ${MAX_HEADER_FIELDS} header fields; it has ${fields}.`, {
      headers: { Connection: 'close' },
    });
  }
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) {
    throw new ServiceError('request.malformed_http', 'An HTTP/1.1 request needs a Host header.', { headers: { Connection: 'close' } });
  }
}

function requireParts({ state }: HttpDeps): HttpParts {
  if (state.parts === undefined) throw new ServiceError('service.not_ready', `The service is ${state.phase}.`);
  return state.parts;
}

/** The checks of a route in their order (media type, key or password, query; the handler reads the body), then its handler. */
function runRoute(name: RouteName, handler: Handler, deps: HttpDeps, options: HttpOptions, slowLane: SlowLane) {
  const spec: RouteSpec = ROUTES[name];
  // A crowd at these doors must not keep forecasts waiting.
  const isSlow = spec.needsPassword === true || spec.limit?.name === 'signUps';
  return async (ctx: Context & { params: Record<string, string> }): Promise<void> => {
    ctx.state.route = name;
    const startMs = deps.clock.monotonicMs();
    if (isSlow) await slowLane.enter();
    if (spec.body !== undefined) requireJsonType(ctx.req);
    const parts = (): HttpParts => requireParts(deps);
    const subject = subjectOfAddress(callerAddress(ctx.req, options.trustProxy));
    const { requestId } = ctx.state;
    const who = await identify(spec, ctx.req, parts, { subject, requestId });
    if (who.caller !== undefined) ctx.state.keyPrefix = who.caller.keyPrefix;
    const query = spec.query === undefined ? { detail: false } : readQuery(ctx.querystring, spec.query);
    const bytes = (): Promise<Buffer> => readBody(ctx.req, ctx.res, options.bodyLimitBytes);
    let turn: Turn | undefined;
    const admit = async (): Promise<Turn> => {
      const { limits } = parts();
      turn = await (spec.limit?.name === 'forecasts' ? limits.forecasts.take(who.caller?.keyId ?? subject) : limits.signUps.take(subject));
      ctx.set(turn.headers);
      return turn;
    };
    const asking = (): NonNullable<ForecastOptions['asking']> => ({
      owner: who.caller?.keyId ?? subject,
      deadlineMs: startMs + options.forecastDeadlineMs,
      signal: new CallerGone(ctx.res),
    });
    let answer: string | Buffer;
    try {
      answer = await handler({ query, params: ctx.params, ...who, requestId, parts, bytes, admit, asking });
    } catch (thrown) {
      // What was not served does not count, but for what the limit is there to slow down.
      const isCounted = spec.limit?.keepsOn4xx === true && asServiceError(thrown, name).status < 500;
      if (turn !== undefined && !isCounted) ctx.set(await turn.giveBack());
      throw thrown;
    }
    ctx.status = spec.answer.status;
    // Before the body: Koa looks for a type of its own otherwise.
    ctx.res.setHeader('Content-Type', 'application/json');
    ctx.body = typeof answer === 'string' ? Buffer.from(answer) : answer;
  };
}

function createRouter(deps: HttpDeps, options: HttpOptions): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  const handlers = createHandlers(deps, options);
  const slowLane = new SlowLane();
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const path = ROUTES[name].path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [ROUTES[name].method], runRoute(name, handlers[name], deps, options, slowLane));
  }
  return router;
}

function noRoute(router: Router<State>, ctx: Context): ServiceError {
  const methods = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))].sort();
  if (methods.length === 0) return new ServiceError('route.not_found', `There is nothing at ${shown(ctx.path)}.`);
  const allow = methods.join(', ');
  return new ServiceError('route.method_not_allowed', `${ctx.path} answers to ${allow}; the method is ${ctx.method}.`, {
    headers: { Allow: allow },
  });
}

function answerProblem(ctx: Context, error: ServiceError): void {
  ctx.status = error.status;
  ctx.set(problemHeaders(error));
  ctx.set('Content-Type', PROBLEM_TYPE);
  ctx.body = JSON.stringify(problemOf(error, ctx.state.requestId));
}

/** Lets pages of these origins read the answers. Cookies play no part here: a page must bring the key or the password itself. */
function allowOrigins(origins: readonly string[]): Koa.Middleware<State> {
  const any = origins.includes('*');
  return cors({
    origin: (ctx) => (any ? '*' : origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'DELETE'],
    allowHeaders: ['Content-Type', 'Content-Encoding', 'Api-Key', 'Authorization'],
    exposeHeaders: ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'],
    maxAge: CORS_MAX_AGE_S,
  });
}

/** The Koa application: request ids, common headers, problem answers, the access log, and every route of the table. */
export function createApp(deps: HttpDeps, options: HttpOptions): Koa<State> {
  const { clock, logger, state } = deps;
  const app = new Koa<State>({ proxy: options.trustProxy });
  const router = createRouter(deps, options);

  const fail = async (ctx: Context, thrown: unknown): Promise<void> => {
    if (thrown instanceof RequestAborted) {
      ctx.respond = false;
      ctx.res.destroy();
      return;
    }
    const error = asServiceError(thrown, ctx.state.route);
    if (error.status >= 500 && error.status !== 503) {
      logger.error('request failed', { id: ctx.state.requestId, code: error.code, error: error.cause ?? error });
    } else if (error.cause !== undefined) logger.warn('request refused', { id: ctx.state.requestId, code: error.code, error: error.cause });
    deps.onProblem(error.code);
    answerProblem(ctx, error);
    if (!(await discardBody(ctx.req, clock))) ctx.set('Connection', 'close');
  };

  app.on('error', (error: unknown) => logger.error('answer failed', { error }));
  app.use(async (ctx, next) => {
    const startMs = clock.monotonicMs();
    ctx.state.requestId = randomUUID();
    for (const [name, value] of COMMON_FIELDS) ctx.res.setHeader(name, value);
    // Told by the proxy that ended TLS: from then on the browser comes by TLS only.
    if (ctx.secure) ctx.set('Strict-Transport-Security', 'max-age=31536000');
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    ctx.res.once('close', () => {
      deps.accessLog({
        id: ctx.state.requestId,
        method: ctx.method,
        route: ctx.state.route === undefined ? null : ROUTES[ctx.state.route].path,
        status: ctx.res.writableFinished ? ctx.res.statusCode : null,
        ms: clock.monotonicMs() - startMs,
        bytes: Number(ctx.res.getHeader('Content-Length') ?? 0),
        keyPrefix: ctx.state.keyPrefix ?? null,
      });
    });
    try {
      checkHeaders(ctx);
      await next();
    } catch (thrown) {
      await fail(ctx, thrown);
    }
    if (state.phase === 'stopping') ctx.set('Connection', 'close');
  });
  if (options.corsOrigins.length > 0) app.use(allowOrigins(options.corsOrigins));
  app.use(router.routes());
  app.use((ctx) => {
    throw noRoute(router, ctx);
  });
  return app;
}
