import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../../core/ServiceError.ts';
import { acceptWaiting } from './acceptWaiting.ts';
import { ConnectionLimit } from './ConnectionLimit.ts';
import { createApp } from './createApp.ts';
import { rawProblem } from './failures.ts';
import { LiveServer } from './live/LiveServer.ts';
import { UpgradeRequest } from './live/UpgradeRequest.ts';
import { LoadShedder } from './LoadShedder.ts';
import { AdmissionQueue } from '../admission/AdmissionQueue.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { LoopDelay } from './LoopDelay.ts';
import { MOST_UNANSWERED, Pipeline } from './Pipeline.ts';

/** Maximum time that a refused connection stays open so that its caller can read the answer. */
const LINGER_MS = 500;
const MAX_HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time of common proxies (60 s), so that the proxy closes first. */
const KEEP_ALIVE_MS = 65_000;
/**
 * Connections that may wait to be accepted; the system may allow fewer. Node.js accepts one per iteration of the event loop. When this
 * backlog is full, clients retry after 1, 3 and 7 s.
 */
const BACKLOG = 4096;

function refusalOf(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('request.headers_too_large', 'The headers are larger than the limit.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request.timeout', 'The whole request must arrive within the time limit.');
    case undefined:
    default:
      return new ServiceError('request.malformed_http', 'The bytes received are not a valid HTTP/1.1 request.');
  }
}

const CONNECT_REFUSED = ['route.method_not_allowed', 'The service is not a proxy: it does not support CONNECT.'] as const;
const UPGRADE_REFUSED = ['request.malformed_http', 'An upgrade must wait for the answers to the requests before it.'] as const;
const PIPELINE_REFUSED = [
  'limit.exceeded',
  `A connection may have ${MOST_UNANSWERED} requests without an answer; wait for answers, or open more connections.`,
] as const;

/**
 * Listens and answers. `listen` may run before the parts are loaded: until then only /health/live, /openapi.json and / answer 200. `close`
 * is idempotent: after a delay, it reads what callers have sent until then, accepts no new connections, answers with `Connection: close`, and closes
 * the rest after the grace time.
 */
export class HttpServer {
  readonly #deps: HttpDeps;
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #loopDelay: LoopDelay;
  readonly #live: LiveServer;
  readonly #refused = new WeakSet<Duplex>();
  readonly #silent = new Set<Socket>();
  #closing: Promise<void> | undefined;

  constructor(deps: HttpDeps, options: HttpOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#server = createServer({
      IncomingMessage: UpgradeRequest,
      maxHeaderSize: options.headerLimitBytes,
      headersTimeout: Math.min(MAX_HEADERS_TIMEOUT_MS, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: options.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The application checks it, so that the answer is a problem document.
      requireHostHeader: false,
      noDelay: true,
    });
    // 0: Node.js drops no headers silently. The application counts them.
    this.#server.maxHeadersCount = 0;
    this.#loopDelay = new LoopDelay(deps.clock, deps.onLoopDelay);
    const admission = new AdmissionQueue({
      clock: deps.clock,
      loopDelay: this.#loopDelay,
      maxInFlight: options.maxInFlight,
      maxQueued: options.forecastQueue,
      deadlineMs: options.forecastDeadlineMs,
    });
    const shedder = new LoadShedder(deps, options, admission);
    const answer = createApp(deps, options, { loopDelay: this.#loopDelay, admission }).callback();
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      this.#silent.delete(socket);
      // Its headers may have promised, before the stop, that the connection stays open.
      response.once('close', () => this.#server.listening || this.#server.closeIdleConnections());
      Pipeline.of(socket).add(response, () => {
        if (!shedder.refuses(request, response)) void answer(request, response);
      });
    };
    this.#server.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest);
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuse(refusalOf(error), error.code ?? error.message, socket),
    );
    this.#server.on('connect', (_request, socket) => {
      // Node.js detaches its listeners from this socket.
      socket.on('error', () => socket.destroy()).resume();
      this.#refuse(new ServiceError(...CONNECT_REFUSED, { headers: { Allow: 'DELETE, GET, HEAD, PATCH, POST' } }), 'CONNECT', socket);
    });
    this.#live = new LiveServer(deps, options, { admission, loopDelay: this.#loopDelay });
    this.#server.on('upgrade', (request, socket: Socket, head) => {
      this.#silent.delete(socket);
      const { last, isFull } = Pipeline.of(socket);
      if (last === undefined) return void this.#live.upgrade(request, socket, head);
      // The answers before it would end up between its frames.
      socket.on('error', () => socket.destroy());
      // Not read any further: to discard what a flood sends would cost as much as reading it.
      if (isFull)
        return this.#refuse(new ServiceError(...PIPELINE_REFUSED, { headers: { 'Retry-After': '1' } }), 'pipelined requests', socket);
      socket.resume();
      this.#refuse(new ServiceError(...UPGRADE_REFUSED), 'upgrade', socket);
    });
    const limit = new ConnectionLimit(deps, options.maxConnections);
    this.#server.on('connection', (socket) => {
      if (!limit.accepts(socket)) return;
      this.#silent.add(socket);
      socket.once('close', () => this.#silent.delete(socket));
    });
  }

  /** Resolves to the port. Throws ServiceError `server.cannot_listen`. */
  listen(): Promise<number> {
    const { host, port, isPrivate = false } = this.#options;
    return new Promise((resolve, reject) => {
      const onError = (cause: Error): void => {
        reject(new ServiceError('server.cannot_listen', `Cannot listen on ${host}, port ${port}: ${cause.message}`, { cause }));
      };
      this.#server.once('error', onError);
      this.#server.listen({ port, host, backlog: BACKLOG, exclusive: isPrivate }, () => {
        this.#server.off('error', onError);
        this.#server.on('error', (error) => this.#deps.logger.error('server failed', { error }));
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { shutdownDelayMs = 0 } = this.#options;
    const isServing = this.#deps.state.phase === 'ready';
    this.#deps.state.phase = 'stopping';
    // A proxy that has not seen the 503 of /health/ready yet still sends requests.
    if (isServing && shutdownDelayMs > 0) await new Promise<void>((resolve) => void this.#deps.clock.after(shutdownDelayMs, resolve, true));
    this.#loopDelay.close();
    if (!this.#server.listening) return;
    // In a worker, the primary has done this (startFleet).
    if (!cluster.isWorker) await acceptWaiting(this.#options.host, (this.#server.address() as AddressInfo).port, this.#deps.clock);
    // The first iteration may already have polled its sockets; the second reads everything that they have received.
    for (let i = 0; i < 2; i++) await new Promise(setImmediate);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#live.close();
    // Connections without a single byte carry no request: do not wait for them.
    for (const socket of this.#silent) if (socket.bytesRead === 0) socket.destroy();
    const cancel = this.#deps.clock.after(this.#options.shutdownGraceMs, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  /** Refuses invalid bytes, slow requests, too large headers and CONNECT: sends a problem if the caller can still read it, then closes. */
  #refuse(error: ServiceError, cause: string, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const pending = Pipeline.of(socket).last;
    // A complete request before the invalid bytes gets its own answer; then the connection closes.
    if (pending?.req.complete === true && !pending.writableEnded) {
      socket.once(
        'close',
        this.#deps.clock.after(this.#options.requestTimeoutMs, () => socket.destroy()),
      );
      if (error.code === 'limit.exceeded') {
        pending.once('finish', () => this.#endWith(error, cause, socket));
        return;
      }
      if (pending.headersSent) return;
      pending.shouldKeepAlive = false;
      pending.once('finish', () => socket.end());
      return;
    }
    if (!socket.writable || cause === 'ECONNRESET' || pending?.headersSent === true) {
      socket.destroy();
      return;
    }
    this.#endWith(error, cause, socket);
  }

  /** Logs and counts a refusal, and closes the connection with it. */
  #endWith(error: ServiceError, cause: string, socket: Duplex): void {
    const { code } = error;
    const id = randomUUID();
    this.#deps.onProblem(code);
    // Its headers could not be read, so behind a proxy this is the proxy.
    const address = this.#options.logAddresses && socket instanceof Socket ? (socket.remoteAddress ?? null) : null;
    this.#deps.logger.info('connection refused', { id, code, address, cause });
    socket.end(rawProblem(error, id, new Date(this.#deps.clock.nowMs()).toUTCString()));
    const cancel = this.#deps.clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
