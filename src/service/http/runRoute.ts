import type { IncomingMessage, ServerResponse } from 'node:http';
import { ACCOUNT_BODY_LIMIT_BYTES, ROUTES, type RouteName, type RouteSpec } from '../../contract/routes.ts';
import { readTraceparent } from '../../core/observability/readTraceparent.ts';
import { callerAddress, clientOf } from './identify.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { RequestContext, type RouteContext, type Shared, type State } from './RequestContext.ts';
import type { Handlers } from './handlers/handlerParts.ts';

/** The steps of a request on its route, in order. */
export function runRoute(
  name: RouteName,
  handler: Handlers<typeof ROUTES>[RouteName],
  shared: Shared,
): (ctx: RouteContext) => Promise<void> {
  const spec: RouteSpec = ROUTES[name];
  const { bodyLimitBytes, batchBodyLimitBytes } = shared.options;
  const limits = { account: ACCOUNT_BODY_LIMIT_BYTES, forecast: bodyLimitBytes, batch: batchBodyLimitBytes };
  const route = { name, spec, bodyLimitBytes: limits[spec.body?.limit ?? 'forecast'] };
  const isQueued = spec.needsPassword === true || spec.isHeavy === true || spec.limit?.name === 'signUps';
  return async (ctx) => {
    ctx.state.route = name;
    const request = new RequestContext(ctx, route, shared);
    try {
      request.checkMediaType();
      if (isQueued) await request.waitInExecutor();
      await request.identify();
      await request.send(await handler(request));
    } catch (thrown) {
      await request.refund(thrown);
      throw thrown;
    } finally {
      request.release();
    }
  };
}

/** Logs the request when its answer was sent or its caller has disconnected. */
export function logAccess(
  { accessLog, clock }: HttpDeps,
  { trustProxy, logAddresses }: Pick<HttpOptions, 'trustProxy' | 'logAddresses'>,
  request: IncomingMessage,
  response: ServerResponse,
  state: State,
): void {
  const startMs = clock.monotonicMs();
  // Read now: a socket that has ended has no address.
  const address = logAddresses ? callerAddress(request, trustProxy) : null;
  const trace = readTraceparent(request.headers['traceparent'] as string | undefined);
  response.once('close', () =>
    accessLog({
      id: state.requestId,
      method: request.method ?? '',
      route: state.route === undefined ? null : ROUTES[state.route].path,
      status: response.writableFinished ? response.statusCode : null,
      code: state.code ?? null,
      ms: clock.monotonicMs() - startMs,
      stagesMs: state.stagesMs,
      bytes: Number(response.getHeader('Content-Length') ?? 0),
      keyPrefix: state.keyPrefix ?? null,
      address,
      client: clientOf(request),
      trace,
    }),
  );
}
