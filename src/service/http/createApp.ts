import cors from '@koa/cors';
import Router from '@koa/router';
import Koa from 'koa';
import { LIVE_PATH } from '../../contract/live.ts';
import { ROUTES, type RouteName } from '../../contract/routes.ts';
import { RATE_HEADERS } from '../accounts/limits/RateLimit.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { asServiceError, COMMON_HEADERS, problemAnswer, TLS_FIELD, TLS_VALUE } from './failures.ts';
import { serveConsole } from './console/serveConsole.ts';
import { checkHeaders } from './checkHeaders.ts';
import { AnswerEncoder } from './AnswerEncoder.ts';
import { BodyBudget } from '../admission/BodyBudget.ts';
import { createHandlers } from './handlers/handlers.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { logAccess, runRoute } from './runRoute.ts';
import { discardBody, RequestAborted } from './readBody.ts';
import type { Context, Shared, State } from './RequestContext.ts';
import { originRefused } from './origins.ts';
import { SerialExecutor } from './SerialExecutor.ts';
import { traceRequests } from './traceRequests.ts';
import { requestIdOf, watchForProxy } from './identify.ts';
import { Pipeline } from './Pipeline.ts';

/** Browsers may cache a preflight answer for ten minutes. */
const CORS_MAX_AGE_S = 600;

/** Minimum memory for request bodies; more if eight of the largest bodies need more. */
const LEAST_BUDGET_BYTES = 128 * 1024 * 1024;
const LARGEST_BODIES = 8;

const COMMON_FIELDS = Object.entries(COMMON_HEADERS);

/** Admission control. */
export type Throttles = Pick<Shared, 'loopDelay' | 'admission'>;

type Routes = { readonly router: Router<State>; readonly forecast: ReturnType<typeof runRoute> };

function createRoutes(deps: HttpDeps, options: HttpOptions, { loopDelay, admission }: Throttles): Routes {
  const router = new Router<State>({ sensitive: true, strict: true });
  const handlers = createHandlers(deps, options);
  const largestBytes = Math.max(options.bodyLimitBytes, options.batchBodyLimitBytes);
  const budget = new BodyBudget(deps.clock, Math.max(LEAST_BUDGET_BYTES, LARGEST_BODIES * largestBytes));
  const shared = { deps, options, executor: new SerialExecutor(), loopDelay, admission, budget, encoder: new AnswerEncoder() };
  for (const name of Object.keys(ROUTES) as RouteName[]) {
    const path = ROUTES[name].path.replace(/\{(\w+)\}/g, ':$1');
    router.register(path, [ROUTES[name].method], runRoute(name, handlers[name], shared));
  }
  return { router, forecast: runRoute('tickForecast', handlers.tickForecast, shared) };
}

/** The answer to the preflight request of a browser whose origin is not listed; undefined for other requests. */
function preflightRefusal(ctx: Context, origins: readonly string[]): ServiceError | undefined {
  const origin = ctx.get('Origin');
  if (ctx.method !== 'OPTIONS' || origin === '' || ctx.get('Access-Control-Request-Method') === '') return undefined;
  return originRefused(origin, origins);
}

function noRoute(router: Router<State>, ctx: Context, origins: readonly string[]): ServiceError {
  const methods = [...new Set(router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods))].sort();
  if (ctx.path === LIVE_PATH) {
    const detail = `${LIVE_PATH} is a WebSocket: connect with GET and the header Upgrade: websocket.`;
    return new ServiceError('route.not_found', detail);
  }
  if (methods.length === 0) return new ServiceError('route.not_found', `There is nothing at ${quoteValue(ctx.path)}.`);
  const preflight = preflightRefusal(ctx, origins);
  if (preflight !== undefined) return preflight;
  const allow = methods.join(', ');
  return new ServiceError('route.method_not_allowed', `${ctx.path} supports ${allow}; the method is ${ctx.method}.`, {
    headers: { Allow: allow },
  });
}

function answerProblem(ctx: Context, error: ServiceError): void {
  const { fields, body } = problemAnswer(error, ctx.state.requestId);
  ctx.status = error.status;
  ctx.set(fields);
  ctx.body = body;
}

/** Allows pages of these origins to read the answers. No cookie counts for them: such a page must send the key or the password itself. */
function allowOrigins(origins: readonly string[]): Koa.Middleware<State> {
  const any = origins.includes('*');
  return cors({
    origin: (ctx) => (any ? '*' : origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type', 'Content-Encoding', 'Api-Key', 'Authorization', 'If-None-Match'],
    exposeHeaders: ['ETag', ...RATE_HEADERS, 'Retry-After', 'Server-Timing', 'X-Request-Id'],
    maxAge: CORS_MAX_AGE_S,
  });
}

/** The Koa application: request ids, common headers, problem answers, the access log, and the routes of the table. */
export function createApp(deps: HttpDeps, options: HttpOptions, throttles: Throttles): Koa<State> {
  const { clock, logger, state } = deps;
  const app = new Koa<State>({ proxy: options.trustProxy });
  const { router, forecast } = createRoutes(deps, options, throttles);
  const lookForProxy = watchForProxy(deps, options);

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
    ctx.state.code = error.code;
    answerProblem(ctx, error);
    if (!(await discardBody(ctx.req, clock))) ctx.set('Connection', 'close');
  };

  app.on('error', (error: unknown) => logger.error('answer failed', { error }));
  app.use(async (ctx, next) => {
    lookForProxy(ctx.req);
    ctx.state.requestId = requestIdOf(ctx.req);
    ctx.state.stagesMs = {};
    for (const [name, value] of COMMON_FIELDS) ctx.res.setHeader(name, value);
    // The proxy that ended TLS says so; from then on, the browser uses TLS only.
    if (ctx.secure) ctx.set(TLS_FIELD, TLS_VALUE);
    ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
    logAccess(deps, options, ctx.req, ctx.res, ctx.state);
    try {
      checkHeaders(ctx.req, options.hostNames);
      await next();
    } catch (thrown) {
      await fail(ctx, thrown);
    }
    // After that, Node.js drops further requests of the connection.
    if (state.phase === 'stopping' && Pipeline.of(ctx.req.socket).last === ctx.res) ctx.set('Connection', 'close');
  });
  if (deps.tracer !== undefined) app.use(traceRequests(deps.tracer));
  if (options.corsOrigins.length > 0) app.use(allowOrigins(options.corsOrigins));
  // Skips the router, which costs 8 µs per forecast (npm run bench -- profile of commit b83d2cde).
  const { method, path } = ROUTES.tickForecast;
  app.use((ctx, next) => (ctx.method === method && ctx.path === path ? forecast(Object.assign(ctx, { params: {} })) : next()));
  if (options.console !== undefined) app.use(serveConsole(options.console));
  app.use(router.routes());
  app.use((ctx) => {
    throw noRoute(router, ctx, options.corsOrigins);
  });
  return app;
}
