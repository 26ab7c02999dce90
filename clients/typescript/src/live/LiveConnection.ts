import { ApiError, ConnectionError, LiveRefusedError } from '../errors.ts';
import { PASSING_CODES } from '../Transport.ts';
import { fieldsOf } from '../Forecast.ts';
import { ASK_OPTIONS } from '../options.ts';
import type { Tick } from '../tickBody.ts';
import { AGENT_HEADERS } from '../version.ts';
import type { Problem } from '../wire.ts';
import type { AskRequest, LiveSetup } from './LiveOptions.ts';
import { LiveResume } from './LiveResume.ts';
import { MessageQueue } from './MessageQueue.ts';
import type { Bar } from '../barBody.ts';
import { BarBuffer } from './BarBuffer.ts';
import { TickBuffer } from './TickBuffer.ts';
import type { WebSocketConstructor, WebSocketLike } from './WebSocketLike.ts';
import { type LiveMessage, messageOf } from './messages.ts';
import { openText, type OpenRequest, type Series } from './OpenSeries.ts';

const PROTOCOL = 'tickmark.v1';
const OPEN = 1;
/** Above this, ticks wait in the window of their series instead of the socket. */
const MOST_UNSENT_BYTES = 1024 * 1024;
const DRAIN_MS = 20;
/** Ticks of one message. */
const MOST_TICKS = 3000;
/** Requests that wait for a connection. */
const MOST_REQUESTS = 64;
const KEY_REFUSED = 4401;
/** Close codes from here on are those of tickmark: it refuses the connection. */
const REFUSED_FROM = 4000;
const SERIES = /^[A-Za-z0-9._:-]{1,64}$/;

/**
 * A connection to live series. A first connection that fails, a refused key and a refused `open` end the iteration with ConnectionError,
 * LiveRefusedError and ApiError. A connection that once worked is made again, with exponential backoff and jitter; its series are opened again,
 * and their last 3,000 ticks and all that were not sent yet are sent. Forecasts and outcomes that were read before do not come again.
 */
export class LiveConnection implements AsyncIterable<LiveMessage> {
  readonly #setup: LiveSetup;
  readonly #WebSocket: WebSocketConstructor;
  readonly #queue: MessageQueue<LiveMessage>;
  readonly #series = new Map<string, Series>();
  /** Closed ones that are not sent in full: before the others, which may have the same names. */
  readonly #closing = new Set<Series>();
  readonly #resume = new LiveResume();
  /** By series, who asked for the scores that come on this connection: a series that waits for the service, or the program with this message. */
  readonly #asked = new Map<string, (Series | string)[]>();
  #isWatching = false;
  #isWatchSent = false;
  #socket: WebSocketLike | undefined;
  /** Attempts since the last message of the service that was no error. */
  #attempts = 0;
  #connections = 0;
  /** Whether the service has sent something that was no error. */
  #hasWorked = false;
  /** When the connection was lost; undefined: it was not, since it worked last. */
  #lostAtMs: number | undefined;
  #reason = '';
  #failure: { readonly reason: unknown } | undefined;
  #isFlushing = false;
  /** Those who wait for `drained`. */
  #drains: (() => void)[] = [];
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onAbort = (): void => this.#end(this.#setup.options.signal?.reason);

  /** Connects at once. @throws RangeError without a WebSocket, or the reason of an aborted signal */
  constructor(setup: LiveSetup) {
    const { options } = setup;
    const found = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
    if (found === undefined)
      throw new RangeError('There is no global WebSocket here. Install the package ws and pass its class: client.live({ WebSocket })');
    options.signal?.throwIfAborted();
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#setup = setup;
    this.#WebSocket = found;
    this.#queue = new MessageQueue(options.maxWaiting ?? 10_000, (count) => ({ type: 'dropped', count }));
    this.#connect();
  }

  /** Opens a series; it stays open over reconnections. @throws RangeError for a name that is wrong or open already */
  open(request: OpenRequest): void {
    const { series } = request;
    if (!SERIES.test(series)) throw new RangeError(`series must be 1 to 64 of A-Z a-z 0-9 . _ : -; it is ${JSON.stringify(series)}`);
    if (this.#series.has(series)) throw new RangeError(`series ${series} is open already`);
    const ticks = request.bars === undefined ? new TickBuffer(MOST_TICKS) : new BarBuffer(MOST_TICKS);
    this.#series.set(series, { request, ticks, requests: [], openedOn: undefined, told: 0 });
    this.#flushSoon();
  }

  /**
   * Sends ticks of an open series. All or nothing. A tick before the last one is left out, and so is one far ahead of it that no other tick
   * confirms; `ticks_left_out` counts them. Nothing that was accepted is lost, with a connection or without. Throws the error that has ended the
   * connection, if one has.
   *
   * @returns how many ticks of the series are not sent yet: wait for `drained` where they are many
   * @throws TickError that names the bad tick; RangeError for a series that is not open, or with a million unsent ticks
   */
  push(series: string, ticks: Tick | readonly Tick[]): number {
    const open = this.#seriesOf(series);
    if (open.ticks.type !== 'ticks') throw new RangeError(`series ${series} is one of bars: pushBars sends them`);
    open.ticks.push('timeMs' in ticks || 'timeUs' in ticks ? [ticks] : ticks);
    return this.#pushed(open);
  }

  /**
   * Sends bars of an open series of bars, in order. All or nothing. Each bar is sent once: those up to the last one that was pushed are left out, so
   * a list of ccxt may be pushed again and again. Push bars that have ended. If the last one changes afterwards, its newest form counts: the
   * series is opened again with it, and from then on each last bar waits until the next one begins. Otherwise as `push`.
   *
   * @returns how many bars of the series are not sent yet
   * @throws TickError that names the bad bar; RangeError for a series that is not open, or not of bars
   */
  pushBars(series: string, bars: readonly Bar[]): number {
    const open = this.#seriesOf(series);
    if (open.ticks.type !== 'bars') throw new RangeError(`series ${series} is one of ticks: open it with bars`);
    open.ticks.push(bars);
    return this.#pushed(open);
  }

  /** Resolves when all ticks are sent. Rejects with the error that has ended the connection. */
  async drained(): Promise<void> {
    while (this.#unsent().some(({ ticks }) => ticks.unsent > 0) && !this.#isClosed)
      await new Promise<void>((resolve) => this.#drains.push(resolve));
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  /** Asks for one forecast now: a `forecast` message with the id `ask`. @throws RangeError if too many requests wait for a connection */
  ask(series: string, { horizon, detail, ...options }: AskRequest): void {
    this.#request({ type: 'ask', series, horizon, ...fieldsOf(ASK_OPTIONS, options), detail });
  }

  /** Asks for the running score: a `score` message. @throws RangeError if too many requests wait for a connection */
  score(series: string): void {
    this.#request({ type: 'score', series });
  }

  /**
   * Closes a series: a last `score` message, in which pending outcomes are unscored. There is none if the connection was lost, which has
   * closed the series. @throws RangeError if too many requests wait for a connection
   */
  closeSeries(series: string): void {
    const closed = this.#seriesOf(series);
    // What it was asked is not asked of another one with this name.
    this.#asked.set(
      series,
      (this.#asked.get(series) ?? []).map((asker) => (typeof asker === 'string' ? '' : asker)),
    );
    if (closed.openedOn === undefined || closed.openedOn === this.#socket) {
      this.#request({ type: 'close', series });
      this.#closing.add(closed);
    }
    this.#series.delete(series);
    this.#resume.forget(series);
    this.#flush();
  }

  /**
   * Asks for copies of what all connections of the key send, those of other programs too: `watched` messages, also over reconnections. The
   * service may drop some, and says how many.
   */
  watch(): void {
    this.#isWatching = true;
    this.#flushSoon();
  }

  /** Ends the connection and the iteration. */
  close(): void {
    this.#end();
  }

  /** Leaving the loop closes the connection. */
  async *[Symbol.asyncIterator](): AsyncGenerator<LiveMessage, void, undefined> {
    try {
      for (let next = await this.#queue.take(); next !== undefined; next = await this.#queue.take()) yield next;
    } finally {
      this.close();
    }
  }

  #seriesOf(name: string): Series {
    if (this.#failure !== undefined) throw this.#failure.reason;
    const series = this.#series.get(name);
    if (series === undefined) throw new RangeError(`series ${JSON.stringify(name)} is not open`);
    return series;
  }

  #request(message: { readonly type: string; readonly series: string } & Record<string, unknown>): void {
    const { requests } = this.#seriesOf(message.series);
    if (this.#unsent().reduce((count, series) => count + series.requests.length, 0) >= MOST_REQUESTS)
      throw new RangeError(`${MOST_REQUESTS} requests wait for a connection; ${message.type} is one too many`);
    requests.push(JSON.stringify(message));
    this.#flushSoon();
  }

  #pushed(series: Series): number {
    const { request, ticks } = series;
    const { late, ahead, crossed } = ticks.leftOut;
    // At 1, 2, 4, 8, …: a reader that is told of each would read nothing else.
    if (late + ahead + crossed >= Math.max(1, 2 * series.told)) {
      series.told = late + ahead + crossed;
      this.#queue.put({ type: 'ticks_left_out', series: request.series, late, ahead, crossed });
    }
    this.#flushSoon();
    return ticks.unsent;
  }

  /** In the order in which they are sent. */
  #unsent(): Series[] {
    return [...this.#closing, ...this.#series.values()];
  }

  #connect(): void {
    if (this.#isClosed) return;
    const socket = new this.#WebSocket(this.#setup.url, [PROTOCOL], { headers: { ...AGENT_HEADERS } });
    this.#socket = socket;
    this.#reason = '';
    socket.onopen = () => {
      const { apiKey } = this.#setup;
      if (apiKey !== undefined) socket.send(JSON.stringify({ type: 'auth', api_key: apiKey }));
      this.#resume.restart();
      // Scores that did not come are asked for again.
      for (const [name, askers] of this.#asked)
        this.#series.get(name)?.requests.unshift(...askers.filter((asker) => typeof asker === 'string' && isScore(asker)).map(String));
      this.#asked.clear();
      this.#isWatchSent = false;
      this.#queue.put({ type: 'connected', is_resumed: this.#connections++ > 0 });
      for (const { ticks } of this.#unsent()) ticks.rewind();
      this.#flush();
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => this.#receive(String(data));
    // A close event follows; of a failed handshake, only this one may have the reason.
    socket.onerror = ({ message }: { readonly message?: unknown }) => {
      if (typeof message === 'string') this.#reason = message;
    };
    socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) => this.#lost(socket, code, reason);
  }

  #lost(socket: WebSocketLike, code: number, reason: string): void {
    if (this.#socket !== socket || this.#isClosed) return;
    this.#socket = undefined;
    for (const series of this.#closing) if (series.openedOn !== undefined) this.#closing.delete(series);
    if (code === KEY_REFUSED || (code >= REFUSED_FROM && !this.#hasWorked)) return this.#end(new LiveRefusedError(code, reason));
    const why = reason || this.#reason || `closed with ${code}`;
    if (this.#connections === 0) return this.#end(new ConnectionError(`${this.#setup.url}: ${why}`));
    const { firstWaitMs = 250, longestWaitMs = 30_000, giveUpMs = Infinity } = this.#setup.options;
    this.#lostAtMs = this.#attempts === 0 ? performance.now() : (this.#lostAtMs ?? performance.now());
    const mostMs = Math.min(firstWaitMs * 2 ** Math.min(this.#attempts++, 30), longestWaitMs);
    const waitMs = mostMs * (0.5 + this.#setup.random() / 2);
    if (performance.now() + waitMs - this.#lostAtMs > giveUpMs)
      return this.#end(new ConnectionError(`${this.#setup.url}: no connection for ${giveUpMs} ms: ${why}`));
    this.#queue.put({ type: 'disconnected', code, reason: reason || this.#reason, wait_ms: waitMs });
    this.#timer = setTimeout(() => this.#connect(), waitMs);
  }

  #receive(text: string): void {
    const message = messageOf(text);
    if (message === undefined)
      return this.#end(new ConnectionError(`A message is not of tickmark: ${JSON.stringify(text.slice(0, 100))}.`));
    // A service that starts accepts connections and refuses what they send.
    if (message.type !== 'error') [this.#attempts, this.#hasWorked] = [0, true];
    // Without its series, no series would take the ticks. What passes by itself is tried again.
    if (message.type === 'error' && message.message === 'open') {
      const error = new ApiError({ ...message, type: `urn:tickmark:error:${message.code}` } as unknown as Problem);
      if (!this.#hasWorked || !error.has(...PASSING_CODES)) return this.#end(error);
      this.#reason = error.message;
      return this.#socket?.close(1000);
    }
    if (message.type === 'score' || (message.type === 'error' && message.message === 'score')) {
      const asker = this.#asked.get(message.series ?? '')?.shift();
      if (typeof asker === 'object') return asker.ticks.answered(message.type === 'score');
    }
    const known = this.#resume.read(message);
    if (known !== undefined) this.#queue.put(known);
  }

  /** In a microtask: ticks that are pushed one by one in a loop go in one message. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState !== OPEN) return;
    if (this.#isWatching && !this.#isWatchSent) socket.send('{"type":"watch"}');
    this.#isWatchSent = this.#isWatching;
    for (const series of this.#unsent()) {
      if (!this.#flushSeries(socket, series)) return;
      this.#closing.delete(series);
    }
    for (const resolve of this.#drains.splice(0)) resolve();
  }

  /** Whether all of the series is sent. */
  #flushSeries(socket: WebSocketLike, series: Series): boolean {
    const { request, ticks, requests } = series;
    if (ticks.isRestarted) this.#restart(socket, series);
    if (series.openedOn !== socket) socket.send(openText(series, this.#resume));
    series.openedOn = socket;
    // What the service has is no longer right: all is sent again.
    if (ticks.isChanged) {
      socket.close(1000, 'a bar has changed');
      return false;
    }
    while (ticks.unsent > 0) {
      if (socket.bufferedAmount > MOST_UNSENT_BYTES) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#flush(), DRAIN_MS);
        return false;
      }
      socket.send(JSON.stringify({ type: ticks.type, series: request.series, ...ticks.take(MOST_TICKS) }));
      if (ticks.asks()) this.#ask(socket, request.series, JSON.stringify({ type: 'score', series: request.series }), series);
    }
    for (const text of requests.splice(0)) this.#ask(socket, request.series, text, text);
    return true;
  }

  #ask(socket: WebSocketLike, name: string, text: string, asker: Series | string): void {
    if (isScore(text) || text.startsWith('{"type":"close"')) this.#asked.set(name, [...(this.#asked.get(name) ?? []), asker]);
    socket.send(text);
  }

  /** Its times have begun again: at the service, it is closed and opened. */
  #restart(socket: WebSocketLike, series: Series): void {
    const name = series.request.series;
    if (series.openedOn === socket) this.#ask(socket, name, JSON.stringify({ type: 'close', series: name }), '');
    series.openedOn = undefined;
    series.ticks.isRestarted = false;
    this.#resume.forget(name);
    this.#queue.put({ type: 'restarted', series: name });
  }

  #end(reason?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (reason !== undefined) this.#failure = { reason };
    clearTimeout(this.#timer);
    this.#setup.options.signal?.removeEventListener('abort', this.#onAbort);
    this.#socket?.close(1000);
    this.#queue.end(reason);
    for (const resolve of this.#drains.splice(0)) resolve();
  }
}

const isScore = (text: string): boolean => text.startsWith('{"type":"score"');
