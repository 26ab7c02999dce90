import type Koa from 'koa';
import { ROUTES } from '../../contract/routes.ts';
import type { Tracer } from '../../core/Tracer.ts';
import type { State } from './RequestContext.ts';

/** A span for each request, in the trace that its caller names in `traceparent`; health probes have none. */
export function traceRequests(tracer: Tracer): Koa.Middleware<State> {
  return (ctx, next) => {
    if (ctx.path.startsWith('/health/')) return next();
    const span = tracer.start('request', { parent: ctx.get('traceparent'), isServer: true });
    if (span === undefined) return next();
    const { req, res } = ctx;
    res.once('close', () => {
      const { route, requestId, stagesMs = {} } = ctx.state;
      // The pattern of the route, never the path or the query as sent.
      const path = route === undefined ? undefined : ROUTES[route].path;
      const stages = Object.entries(stagesMs).map(([stage, ms]) => [`tickmark.stage.${stage}_ms`, ms] as const);
      const isAnswered = res.writableFinished;
      span.end({
        name: path === undefined ? 'request' : `${req.method} ${path}`,
        attributes: {
          'http.request.method': req.method ?? '',
          ...(path === undefined ? {} : { 'http.route': path }),
          ...(isAnswered ? { 'http.response.status_code': res.statusCode } : {}),
          'tickmark.request_id': requestId,
          ...Object.fromEntries(stages),
        },
        isFailed: !isAnswered || res.statusCode >= 500,
      });
    });
    return tracer.within(span, next);
  };
}
