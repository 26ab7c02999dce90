import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { SESSION_SCHEME } from '../../accounts/accountKeys.ts';
import { subjectOfAddress } from '../../accounts/limits/createLimits.ts';
import { LIVE_PROTOCOL } from '../../../contract/live.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { checkHeaders } from '../checkHeaders.ts';
import { keyRefused, publicError, rawProblem } from '../failures.ts';
import type { HttpDeps, HttpOptions, HttpParts } from '../HttpParts.ts';
import { callerAddress, clientOf, keyOf, requestIdOf } from '../identify.ts';
import { checkOrigin, isOwnOrigin } from '../origins.ts';
import { sessionToken } from '../sessionCookie.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { closeSocket } from './closeSocket.ts';
import { LiveConnection } from './LiveConnection.ts';
import { errorMessage } from '../../../engine/live/liveMessages.ts';
import { LiveBudget } from './LiveBudget.ts';
import { IterationBudget } from '../../admission/IterationBudget.ts';
import { LiveWatch } from './LiveWatch.ts';
import { LIVE_CODES, type LiveCaller, type LiveShared } from './LiveShared.ts';

/** Largest message; 3,000 ticks take about 150 kB. */
const MESSAGE_BYTES = 1024 * 1024;
/** Frames of one message. */
const MOST_FRAGMENTS = 256;
/** How long a connection without a key may take to send one, and how many bytes may arrive until then. */
const AUTH_MS = 5000;
const AUTH_BYTES = 4096;
const PING_MS = 20_000;
/** Pings that may stay unanswered. */
const MOST_MISSED = 2;
/** How long a refused upgrade stays open so that its caller can read the answer. */
const LINGER_MS = 500;

/** A connection of the worker. */
type Peer = {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  readonly id: string;
  readonly address: string | null;
  readonly client: string | null;
  missed: number;
  connection: LiveConnection | undefined;
};

/** The WebSockets of GET /auth/live (RFC 6455): upgrade, keys, pings, drain. `docs/how-to/live.md` describes the protocol. */
export class LiveServer {
  readonly #deps: HttpDeps;
  readonly #options: HttpOptions;
  readonly #shared: LiveShared;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_BYTES,
    perMessageDeflate: false,
    // Each message, ping and pong is handled in an iteration of its own, however many of them arrive in one piece.
    allowSynchronousEvents: false,
    maxFragments: MOST_FRAGMENTS,
    handleProtocols: (offered) => (offered.has(LIVE_PROTOCOL) ? LIVE_PROTOCOL : false),
  });
  readonly #peers = new Set<Peer>();
  /** Connections by account. */
  readonly #counts = new Map<string, number>();
  #cancelPing: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;
  #isClosing = false;

  constructor(deps: HttpDeps, options: HttpOptions, { admission, loopDelay }: Pick<LiveShared, 'admission' | 'loopDelay'>) {
    this.#deps = deps;
    this.#options = options;
    this.#sockets.on('wsClientError', (error, socket, request) =>
      this.#refuse(new ServiceError('request.malformed_http', `The upgrade is not valid: ${error.message}.`), socket, request),
    );
    const budget = new LiveBudget(options.live.memoryMb);
    const common = {
      watch: new LiveWatch(deps.clock, deps.watchLink),
      iterations: new IterationBudget(),
      budget,
      parts: () => this.#parts,
    };
    this.#shared = { deps, options, admission, loopDelay, ...common };
  }

  /** Takes over the socket of an upgrade request, which Node.js no longer watches. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const onError = (): unknown => socket.destroy();
    socket.on('error', onError);
    try {
      checkHeaders(request, this.#options.hostNames);
      checkOrigin(request, this.#options);
      const key = keyOf(request.headers);
      const caller = key === undefined ? await this.#ofSession(request) : await this.#identify(key, request);
      if (this.#isClosing) throw new ServiceError('service.not_ready', 'The service is stopping.');
      if (caller !== undefined) this.#checkCount(caller);
      if (socket.destroyed) return;
      socket.off('error', onError);
      this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#accept(opened, socket, request, caller));
    } catch (thrown) {
      this.#refuse(thrown, socket, request);
    }
  }

  /** Tells all clients that the service stops, and closes their connections. */
  close(): void {
    this.#isClosing = true;
    this.#shared.watch.close();
    this.#cancelPing?.();
    this.#cancelCheck?.();
    for (const { connection, socket } of this.#peers) {
      if (connection === undefined) closeSocket(socket, 1001, this.#deps.clock);
      else connection.goAway();
    }
  }

  /** Throws ServiceError `service.not_ready`. */
  get #parts(): HttpParts {
    const { parts, phase } = this.#deps.state;
    if (parts === undefined) throw new ServiceError('service.not_ready', `The service is ${phase}.`);
    return parts;
  }

  /** Throws ServiceError `auth.key_refused`, `limit.exceeded`, `store.unavailable`, `service.not_ready`. */
  async #identify(key: string, request: IncomingMessage): Promise<LiveCaller> {
    const subject = subjectOfAddress(callerAddress(request, this.#options.trustProxy));
    const identity = await this.#parts.authenticate(key, subject);
    if (identity === undefined) throw keyRefused();
    return { identity, key };
  }

  /** The owner of the session of a page of this service; undefined: none, and a key may follow in the first message. */
  async #ofSession(request: IncomingMessage): Promise<LiveCaller | undefined> {
    const token = sessionToken(request, this.#options);
    // Browsers send Origin with each WebSocket, and SameSite says nothing of other ports.
    if (token === undefined || !isOwnOrigin(request, this.#options)) return undefined;
    const identity = await this.#parts.authenticate(token, subjectOfAddress(callerAddress(request, this.#options.trustProxy)));
    return identity && { identity, key: token };
  }

  #checkCount({ identity }: LiveCaller): void {
    const { connectionsPerAccount } = this.#options.live;
    if ((this.#counts.get(identity.accountId) ?? 0) < connectionsPerAccount) return;
    throw new ServiceError('limit.exceeded', `The account has ${connectionsPerAccount} live connections, the most that are allowed.`, {
      headers: { 'Retry-After': '1' },
    });
  }

  #accept(socket: WebSocket, stream: Duplex, request: IncomingMessage, caller: LiveCaller | undefined): void {
    const peer: Peer = { socket, stream, ...this.#named(request), client: clientOf(request), missed: 0, connection: undefined };
    this.#peers.add(peer);
    this.#keepWatch();
    // The close event follows, which does the rest.
    socket.on('error', () => {});
    socket.on('pong', () => (peer.missed = 0));
    socket.once('close', () => this.#forget(peer));
    if (caller !== undefined) this.#begin(peer, caller);
    else this.#awaitKey(peer, request);
  }

  #begin(peer: Peer, caller: LiveCaller): void {
    const startMs = this.#deps.clock.monotonicMs();
    const { id, address } = peer;
    const connection = new LiveConnection(peer.socket, peer.stream, caller, this.#shared, randomUUID().slice(0, 8));
    peer.connection = connection;
    const { accountId, keyPrefix } = caller.identity;
    this.#counts.set(accountId, (this.#counts.get(accountId) ?? 0) + 1);
    this.#deps.logger.info('live connection opened', { id, keyPrefix, address, client: peer.client });
    this.#deps.onLive?.('opened');
    peer.socket.on('message', (data, isBinary) => {
      peer.missed = 0;
      connection.receive(data, isBinary);
    });
    peer.socket.once('close', (code) =>
      this.#deps.logger.info('live connection closed', {
        ...{ id, keyPrefix, address, code },
        ms: Math.round(this.#deps.clock.monotonicMs() - startMs),
      }),
    );
  }

  /** A caller that cannot set headers sends its key in the first message. */
  #awaitKey(peer: Peer, request: IncomingMessage): void {
    const { socket, stream, id, address } = peer;
    const { clock, logger } = this.#deps;
    const cancel = clock.after(AUTH_MS, () => {
      logger.info('connection refused', { id, code: keyRefused().code, address, cause: 'no key message' });
      closeSocket(socket, 4401, clock);
    });
    socket.once('close', cancel);
    // Memory for larger messages is only for callers with a key.
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      // A message is handled in the iteration after its piece, which may hold more messages than the key.
      if ((bytes += chunk.length) > AUTH_BYTES) setImmediate(() => bytes > 0 && socket.terminate());
    };
    stream.on('data', count);
    socket.once('message', (data, isBinary) => {
      stream.off('data', count);
      bytes = 0;
      // Until the key is checked, further messages wait in the socket and in this list.
      const early: [typeof data, boolean][] = [];
      const keep = (...message: [typeof data, boolean]): unknown => early.push(message);
      socket.pause();
      socket.on('message', keep);
      void this.#readKey(data as Buffer, isBinary, request).then(
        (caller) => {
          cancel();
          socket.off('message', keep);
          socket.resume();
          if (socket.readyState !== socket.OPEN) return;
          this.#begin(peer, caller);
          for (const message of early) peer.connection?.receive(...message);
        },
        (thrown: unknown) => {
          // Refused already: its end may take longer than the wait for a key.
          cancel();
          socket.resume();
          const error = publicError(thrown, LIVE_CODES);
          this.#deps.onProblem(error.code);
          logger.info('connection refused', { id, code: error.code, address, cause: 'key message' });
          if (socket.readyState !== socket.OPEN) return;
          socket.send(JSON.stringify(errorMessage(error, id, undefined)));
          closeSocket(socket, error.code === 'limit.exceeded' ? 4429 : error.status === 503 ? 1013 : 4401, clock);
        },
      );
    });
  }

  async #readKey(data: Buffer, isBinary: boolean, request: IncomingMessage): Promise<LiveCaller> {
    if (isBinary) throw keyRefused();
    const message = parseJsonBody(data);
    if ((message as { type?: unknown } | null)?.type !== 'auth') throw keyRefused();
    const { api_key: key } = this.#deps.checks.live.auth(message);
    if (key.startsWith(SESSION_SCHEME)) throw keyRefused();
    const caller = await this.#identify(key, request);
    this.#checkCount(caller);
    return caller;
  }

  #forget(peer: Peer): void {
    this.#peers.delete(peer);
    if (peer.connection === undefined) return;
    peer.connection.close();
    this.#deps.onLive?.('closed');
    const { accountId } = peer.connection.caller.identity;
    const left = (this.#counts.get(accountId) ?? 1) - 1;
    if (left === 0) this.#counts.delete(accountId);
    else this.#counts.set(accountId, left);
  }

  /** Pings and checks keys while there is a connection. */
  #keepWatch(): void {
    const { clock } = this.#deps;
    this.#cancelPing ??= clock.after(PING_MS, () => {
      this.#cancelPing = undefined;
      for (const peer of this.#peers) {
        if (peer.missed++ < MOST_MISSED) peer.socket.ping();
        else peer.socket.terminate();
      }
      if (this.#peers.size > 0) this.#keepWatch();
    });
    this.#cancelCheck ??= clock.after(this.#options.keyCheckMs, () => {
      void this.#checkKeys().finally(() => {
        this.#cancelCheck = undefined;
        if (this.#peers.size > 0 && !this.#isClosing) this.#keepWatch();
      });
    });
  }

  /** Closes the connections whose key was revoked or has ended. */
  async #checkKeys(): Promise<void> {
    const byKey = new Map<string, LiveConnection[]>();
    for (const { connection } of this.#peers) {
      if (connection !== undefined) byKey.set(connection.caller.key, [...(byKey.get(connection.caller.key) ?? []), connection]);
    }
    for (const [key, connections] of byKey) {
      try {
        if ((await this.#parts.authenticate(key, '')) !== undefined) continue;
      } catch {
        // A store that does not answer refuses no key.
        continue;
      }
      for (const connection of connections) connection.end(4401);
    }
  }

  /** What the log calls the connection by. */
  #named(request: IncomingMessage): Pick<Peer, 'id' | 'address'> {
    const { logAddresses, trustProxy } = this.#options;
    return { id: requestIdOf(request), address: logAddresses ? callerAddress(request, trustProxy) : null };
  }

  #refuse(thrown: unknown, socket: Duplex, request: IncomingMessage): void {
    const { clock, logger, onProblem } = this.#deps;
    const error = publicError(thrown, LIVE_CODES);
    const { id, address } = this.#named(request);
    onProblem(error.code);
    logger.info('connection refused', { id, code: error.code, address, cause: 'upgrade' });
    if (!socket.writable) return;
    socket.end(rawProblem(error, id, new Date(clock.nowMs()).toUTCString()));
    const cancel = clock.after(LINGER_MS, () => socket.destroy());
    socket.once('close', cancel);
  }
}
