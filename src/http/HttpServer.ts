import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../core/ServiceError.ts';
import { ConnectionLimit } from './ConnectionLimit.ts';
import { createApp } from './createApp.ts';
import { rawProblem } from './failures.ts';
import { LoadShedder } from './LoadShedder.ts';
import { AdmissionQueue } from '../admission/AdmissionQueue.ts';
import type { HttpDeps, HttpOptions } from './HttpParts.ts';
import { LoopDelay } from './LoopDelay.ts';

/** Longest time that a refused connection is kept open for its caller to read the answer. */
const LINGER_MS = 500;
const MAX_HEADERS_TIMEOUT_MS = 10_000;
/** Above the idle time of common proxies' pools (60 s), so that the proxy, not we, closes first. */
const KEEP_ALIVE_MS = 65_000;
/**
 * Connections that may wait to be taken; the system may allow fewer. Node.js takes one in each turn of its event loop, and where more wait than may,
 * a crowd that connects anew tries again after 1, 3 and 7 s.
 */
const BACKLOG = 4096;

function refusalOf(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('request.headers_too_large', 'The headers are larger than the limit.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request.timeout', 'The whole request must arrive within the time limit.');
    default:
      return new ServiceError('request.malformed_http', 'The bytes received are not a valid HTTP/1.1 request.');
  }
}

function connectRefused(): ServiceError {
  return new ServiceError('route.method_not_allowed', 'The service is no proxy: it does not answer to CONNECT.', {
    headers: { Allow: 'DELETE, GET, HEAD, POST' },
  });
}

/**
 * Listens and answers. `listen` before the parts are loaded: until then only /health/live, /openapi.json and / answer 200.
 * `close` is idempotent: no new connections, whole requests are answered with `Connection: close`, what is left after the grace is cut.
 */
export class HttpServer {
  readonly #deps: HttpDeps;
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #loopDelay: LoopDelay;
  /** Answers that are being worked on, by connection. */
  readonly #pending = new WeakMap<Duplex, ServerResponse>();
  readonly #refused = new WeakSet<Duplex>();
  readonly #silent = new Set<Socket>();
  #closing: Promise<void> | undefined;

  constructor(deps: HttpDeps, options: HttpOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#server = createServer({
      maxHeaderSize: options.headerLimitBytes,
      headersTimeout: Math.min(MAX_HEADERS_TIMEOUT_MS, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: options.checkIntervalMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Checked in the application, where the answer can be a problem document.
      requireHostHeader: false,
      noDelay: true,
    });
    // 0: none is dropped in silence. The application counts them.
    this.#server.maxHeadersCount = 0;
    this.#loopDelay = new LoopDelay(deps.clock, deps.onLoopDelay);
    const admission = new AdmissionQueue({
      clock: deps.clock,
      loopDelay: this.#loopDelay,
      maxQueued: options.forecastQueue,
      deadlineMs: options.forecastDeadlineMs,
    });
    const shedder = new LoadShedder(deps, options, admission);
    const answer = createApp(deps, options, { loopDelay: this.#loopDelay, admission }).callback();
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      this.#silent.delete(socket);
      this.#pending.set(socket, response);
      response.once('close', () => this.#pending.delete(socket));
      if (!shedder.refuses(request, response)) void answer(request, response);
    };
    this.#server.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest);
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuse(refusalOf(error), error.code ?? error.message, socket),
    );
    this.#server.on('connect', (_request, socket) => {
      // Node.js gives the socket up with its listeners.
      socket.on('error', () => socket.destroy()).resume();
      this.#refuse(connectRefused(), 'CONNECT', socket);
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
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      const onError = (cause: Error): void => {
        reject(new ServiceError('server.cannot_listen', `Cannot listen on ${host}, port ${port}: ${cause.message}`, { cause }));
      };
      this.#server.once('error', onError);
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
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
    this.#deps.state.phase = 'stopping';
    this.#loopDelay.close();
    if (!this.#server.listening) return;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Connections on which nothing was ever sent are no requests: they are not waited for.
    for (const socket of this.#silent) if (socket.bytesRead === 0) socket.destroy();
    const cancel = this.#deps.clock.after(this.#options.shutdownGraceMs, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  /** Bytes that are no request, a late one, headers over the limit, CONNECT: a problem answer where one can still be read, then the end. */
  #refuse(error: ServiceError, cause: string, socket: Duplex): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const pending = this.#pending.get(socket);
    // A whole request before the broken bytes gets its own answer; the connection ends with it.
    if (pending?.req.complete === true && !pending.writableEnded) {
      if (pending.headersSent) return;
      pending.shouldKeepAlive = false;
      pending.once('finish', () => socket.end());
      return;
    }
    if (!socket.writable || cause === 'ECONNRESET' || pending?.headersSent === true) {
      socket.destroy();
      return;
    }
    const { code } = error;
    const id = randomUUID();
    this.#deps.onProblem(code);
    this.#deps.logger.info('connection refused', { id, code, cause });
    socket.end(rawProblem(error, id, new Date(this.#deps.clock.nowMs()).toUTCString()));
    const cancel = this.#deps.clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
