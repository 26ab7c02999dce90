import { tradesBefore, tradesBetween } from './exchangeHistory.ts';
import { GAP_LINE } from './exchangeMessages.ts';
import { failed, type Step, TradeOrder } from './TradeOrder.ts';
import type { FeedParts, Trade } from './FeedParts.ts';

/** Connections that end in a row without a trade. */
const MOST_FAILURES = 8;
const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;
const HEARTBEAT_MS = 20_000;
/** Heartbeats in a row after which nothing at all was received. */
const MOST_SILENT_BEATS = 3;
/** Messages that were received and not yet read: a reader that is so late has lost the market. */
const MOST_WAITING = 100_000;

/**
 * The messages of an exchange, one in a line, as a recording has them. Where trades are missing, or may be, and
 * cannot be had from the exchange, stands a `GAP_LINE`.
 *
 * @throws ServiceError feed.failed: the exchange refuses, or cannot be reached
 */
export async function* exchangeFeed(parts: FeedParts): AsyncGenerator<string> {
  const { clock, say, signal, random, url, place } = parts;
  const order = new TradeOrder(parts, place?.last);
  let hasBegun = order.last !== undefined;
  for (let failures = 0; !signal.aborted;) {
    let reason = '';
    for await (const item of connection(parts)) {
      if ('ended' in item) {
        reason = item.ended;
        break;
      }
      // What comes meanwhile waits.
      for (const { line, first, gap } of order.stepsOf(item.text)) {
        if (first !== undefined && !hasBegun) yield* await tradesBefore(first, parts);
        if (first !== undefined && gap !== undefined) yield* await linesOfGap(gap, first, parts);
        hasBegun ||= first !== undefined;
        if (place !== undefined) place.last = order.last;
        yield line;
      }
      if (order.isReceiving) failures = 0;
    }
    if (signal.aborted) return;
    order.onLost();
    parts.onLost?.(reason);
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

/** What stands where trades are missing: those that the exchange has kept, or else a gap. */
async function linesOfGap({ last, why }: NonNullable<Step['gap']>, first: Trade, parts: FeedParts): Promise<string[]> {
  const between = await tradesBetween(last, first, parts);
  if (between === undefined) parts.say(`Gap: ${why}. A new series begins.\n`);
  else parts.say(`Closed a gap: ${why}, and ${between.length} were read from ${new URL(parts.historyUrl!).host}.\n`);
  return between ?? [`${GAP_LINE}\n`];
}

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
