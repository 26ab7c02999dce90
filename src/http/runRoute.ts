import { ACCOUNT_BODY_LIMIT_BYTES, ROUTES, type RouteName, type RouteSpec } from '../contract/routes.ts';
import type { Handler } from './handlers.ts';
import { RequestContext, type RouteContext, type Shared } from './RequestContext.ts';

/** The steps of a request on its route, in order. */
export function runRoute(name: RouteName, handler: Handler, shared: Shared): (ctx: RouteContext) => Promise<void> {
  const spec: RouteSpec = ROUTES[name];
  const { bodyLimitBytes, batchBodyLimitBytes } = shared.options;
  const limits = { account: ACCOUNT_BODY_LIMIT_BYTES, forecast: bodyLimitBytes, batch: batchBodyLimitBytes };
  const route = { name, spec, bodyLimitBytes: limits[spec.body?.limit ?? 'forecast'] };
  const isQueued = spec.needsPassword === true || spec.limit?.name === 'signUps';
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
