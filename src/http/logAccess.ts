import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '../contract/routes.ts';
import { readTraceparent } from '../observability/readTraceparent.ts';
import type { HttpDeps } from './HttpParts.ts';
import type { State } from './RequestContext.ts';

/** Logs the request when its answer was sent or its caller has disconnected. */
export function logAccess({ accessLog, clock }: HttpDeps, request: IncomingMessage, response: ServerResponse, state: State): void {
  const startMs = clock.monotonicMs();
  const trace = readTraceparent(request.headers['traceparent'] as string | undefined);
  response.once('close', () =>
    accessLog({
      id: state.requestId,
      method: request.method ?? '',
      route: state.route === undefined ? null : ROUTES[state.route].path,
      status: response.writableFinished ? response.statusCode : null,
      ms: clock.monotonicMs() - startMs,
      stagesMs: state.stagesMs,
      bytes: Number(response.getHeader('Content-Length') ?? 0),
      keyPrefix: state.keyPrefix ?? null,
      ...(trace === undefined ? {} : { trace }),
    }),
  );
}
