import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { US_PER_MS } from '../../core/units.ts';
import { ExchangeLines, GAP_LINE, isExchangeMessage, messageIn } from './exchangeMessages.ts';
import type { Exchange } from './exchanges.ts';

/** A WebSocket of a browser or of the package `ws`, whose `terminate` does not wait for the other end. */
export type FeedSocket = {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
  terminate?(): void;
};

export type FeedParts = {
  readonly open: (url: string) => FeedSocket;
  readonly exchange: Exchange;
  /** In the form of the exchange. */
  readonly symbol: string;
  readonly url: string;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  /** Uniform in [0, 1): the jitter. */
  readonly random: () => number;
  readonly say: (text: string) => void;
  /** Ends the feed. */
  readonly signal: AbortSignal;
  /** Where the last trades before the stream are asked for; undefined: nowhere. */
  readonly historyUrl?: string | undefined;
};

/** Begins what is said of the first tick of each connection. */
export const CONNECTED = 'First tick of the connection';

/** Connections that end in a row without a trade. */
const MOST_FAILURES = 8;
const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;
const HEARTBEAT_MS = 20_000;
/** Messages wait for earlier trades no longer. */
const HISTORY_MS = 5000;
/** Heartbeats in a row after which nothing at all was received. */
const MOST_SILENT_BEATS = 3;
/** Messages that were received and not yet read: a reader that is so late has lost the market. */
const MOST_WAITING = 100_000;

/**
 * The messages of an exchange, one in a line, as a recording has them. Where trades are missing, or may be, stands a `GAP_LINE`.
 *
 * @throws ServiceError feed.failed: the exchange refuses, or cannot be reached
 */
export async function* exchangeFeed(parts: FeedParts): AsyncGenerator<string> {
  const { clock, say, signal, random, url } = parts;
  const order = new TradeOrder(parts);
  for (let failures = 0; !signal.aborted;) {
    let reason = '';
    for await (const item of connection(parts)) {
      if ('ended' in item) {
        reason = item.ended;
        break;
      }
      const isFirst = order.first === undefined;
      const lines = order.linesOf(item.text);
      if (order.isReceiving) failures = 0;
      // What comes meanwhile waits.
      if (isFirst && order.first !== undefined) yield* tradesBefore(order.first, parts);
      if (lines !== '') yield lines;
    }
    if (signal.aborted) return;
    order.onLost();
    if (++failures > MOST_FAILURES) throw failed(`${url}: ${reason}; ${failures} connections in a row brought no tick.`);
    const waitMs = Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.5 + 0.5 * random());
    say(`Lost ${url}: ${reason}. Connects again in ${(waitMs / 1000).toFixed(1)} s.\n`);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(waitMs, done, true);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

/** A trade of the stream; `number`: undefined where the exchange numbers none. */
type FirstTrade = { readonly number: number | undefined; readonly timeUs: number };

/** The trades of the exchange before the first one of the stream, each once: by number without a hole, or else by stamp. Nothing where they cannot be had. */
async function* tradesBefore(first: FirstTrade, { exchange, symbol, historyUrl, say, signal }: FeedParts): AsyncGenerator<string> {
  const { history, numbers } = exchange;
  if (historyUrl === undefined || history === undefined) return;
  let messages: ReturnType<typeof history.messages>;
  try {
    const response = await fetch(historyUrl, { signal: AbortSignal.any([signal, AbortSignal.timeout(HISTORY_MS)]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    messages = history.messages(await response.json(), symbol);
  } catch (error) {
    // Of an exchange that does not answer pages of other origins, a browser says no more.
    const why = error instanceof TypeError ? 'no answer that may be read here' : (error as Error).message;
    if (!signal.aborted) say(`No earlier trades from ${new URL(historyUrl).host}: ${why}.\n`);
    return;
  }
  const lines: string[] = [];
  let next = first;
  for (const message of messages.toReversed()) {
    const line = JSON.stringify(message);
    let timeUs = NaN;
    new ExchangeLines().read(line, (tick) => (timeUs = tick.timeUs ?? NaN));
    const number = first.number === undefined ? undefined : Number(numbers(message)[0]);
    const isLater = number === undefined ? !(timeUs < first.timeUs) : number >= next.number!;
    if (isLater || Number.isNaN(timeUs)) continue;
    if (timeUs > next.timeUs || (number !== undefined && number !== next.number! - 1)) break;
    lines.push(`${line}\n`);
    next = { number, timeUs };
  }
  say(lines.length === 0 ? `No earlier trades: none stands before the first one of the stream.\n` : `${lines.length} earlier trades.\n`);
  for (const line of lines.toReversed()) yield line;
}

const failed = (detail: string): ServiceError => new ServiceError('feed.failed', detail);

type Item = { readonly text: string } | { readonly ended: string };

/** The messages of one connection, then why it ended. */
async function* connection({ exchange, symbol, url, open, clock, signal }: FeedParts): AsyncGenerator<Item> {
  const waiting: Item[] = [];
  let wake = (): void => {};
  const add = (item: Item): void => {
    waiting.push(item);
    wake();
  };
  const socket = open(url);
  let fault = '';
  let silent = 0;
  let cancelBeat = (): void => {};
  const beat = (): void => {
    if (++silent > MOST_SILENT_BEATS) return add({ ended: 'silent' });
    if (exchange.heartbeat !== undefined) socket.send(exchange.heartbeat);
    cancelBeat = clock.after(HEARTBEAT_MS, beat);
  };
  socket.onopen = () => {
    const subscribe = exchange.subscribe(symbol);
    if (subscribe !== undefined) socket.send(JSON.stringify(subscribe));
    cancelBeat = clock.after(HEARTBEAT_MS, beat);
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    silent = 0;
    add(waiting.length < MOST_WAITING ? { text: String(data) } : { ended: `${MOST_WAITING} messages wait to be read` });
  };
  socket.onerror = ({ message = '' }: { readonly message?: string }) => (fault = message);
  socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
    add({ ended: fault || `closed with ${code}${reason === '' ? '' : ` (${reason})`}` });
  const stop = (): void => add({ ended: 'stopped' });
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      for (const item of waiting.splice(0)) yield item;
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    cancelBeat();
    signal.removeEventListener('abort', stop);
    if (socket.terminate === undefined) socket.close();
    else socket.terminate();
  }
}

/** Leaves out trades that came before, marks those that are missing, and measures the clock. */
class TradeOrder {
  readonly #parts: FeedParts;
  readonly #lines = new ExchangeLines();
  #last: number | undefined;
  #isLost = false;
  /** Of the feed; undefined: none has come. */
  first: FirstTrade | undefined;
  /** Whether this connection has brought a trade. */
  isReceiving = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  onLost(): void {
    this.#isLost = this.first !== undefined;
    this.isReceiving = false;
  }

  /** What is kept of a message: empty, the message, or a gap and the message. */
  linesOf(text: string): string {
    const { exchange, say, clock } = this.#parts;
    const received = messageIn(text) as Readonly<Record<string, unknown>> | undefined;
    if (typeof received !== 'object' || received === null) return '';
    const failure = exchange.failure(received);
    if (failure !== undefined) throw failed(`The exchange says: ${typeof failure === 'string' ? failure : JSON.stringify(failure)}`);
    if (!isExchangeMessage(received)) return '';
    const message = exchange.partOf?.(received) ?? received;
    const read = message === received ? text.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim() : JSON.stringify(message);
    let timeUs: number | undefined;
    let hasTick = false;
    this.#lines.read(read, (tick) => {
      hasTick = true;
      timeUs ??= tick.timeUs;
    });
    const isStamped = timeUs !== undefined;
    // As a recorder writes it: quotes of Binance carry no time.
    const arrival = hasTick && !isStamped ? `${Math.floor(clock.nowMs())} ` : '';
    const line = `${arrival}${read}\n`;
    if (!hasTick) return line;
    timeUs ??= Math.floor(clock.nowMs()) * US_PER_MS;
    const numbers = exchange.numbers(message).map(Number).filter(Number.isSafeInteger);
    const isNumbered = numbers.length > 0;
    const last = this.#last;
    if (isNumbered && last !== undefined && Math.max(...numbers) <= last) return '';
    if (!this.isReceiving && isStamped) {
      const offsetMs = clock.nowMs() - timeUs / US_PER_MS;
      say(`${CONNECTED}: stamped ${Math.abs(offsetMs).toFixed(0)} ms ${offsetMs < 0 ? 'after' : 'before'} this clock.\n`);
    }
    const missed = isNumbered && last !== undefined ? Math.min(...numbers) - last - 1 : undefined;
    const isGap = missed === undefined ? this.#isLost : missed > 0;
    if (isNumbered) this.#last = Math.max(...numbers);
    this.isReceiving = true;
    this.first ??= { number: isNumbered ? Math.min(...numbers) : undefined, timeUs };
    this.#isLost = false;
    if (!isGap) return line;
    say(`Gap: ${missed === undefined ? 'the connection was lost' : `${missed} trades are missing`}. A new series begins.\n`);
    return `${GAP_LINE}\n${line}`;
  }
}
