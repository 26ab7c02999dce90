import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { GAP_LINE } from './exchangeMessages.ts';

type CcxtTrade = { readonly id?: string; readonly timestamp: number; readonly price: number; readonly amount?: number };
/** What is used of an exchange of ccxt. */
type CcxtExchange = {
  readonly has: Readonly<Record<string, unknown>>;
  /** The trades since the call before. */
  watchTrades(symbol: string): Promise<readonly CcxtTrade[]>;
  fetchTrades(symbol: string): Promise<readonly CcxtTrade[]>;
  close(): Promise<unknown>;
};
/** The package, which the user has installed. */
export type Ccxt = {
  readonly pro: Readonly<Record<string, new () => CcxtExchange>>;
  readonly NetworkError: new (...args: never[]) => Error;
};

/** Failures in a row, as of the feeds of our own. */
const MOST_FAILURES = 8;
const WAIT_MS = 1000;
/** Trades that are known again: more than an exchange sends twice. */
const MOST_KNOWN = 10_000;

/** @throws ServiceError command.invalid: it is not installed in the folder or above it */
export async function loadCcxt(folder = process.cwd()): Promise<Ccxt> {
  try {
    const file = createRequire(path.join(folder, 'package.json')).resolve('ccxt');
    const loaded = (await import(pathToFileURL(file).href)) as Ccxt & { readonly default?: Ccxt };
    return loaded.default ?? loaded;
  } catch {
    throw new ServiceError('command.invalid', '--exchange ccxt:NAME needs the package ccxt in this folder: npm install ccxt.');
  }
}

export type CcxtParts = {
  readonly ccxt: Ccxt;
  readonly name: string;
  /** As ccxt writes it: `BTC/USDT`, `BTC/USDT:USDT`. */
  readonly symbol: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
};

/**
 * Trades of any exchange that ccxt connects to, in the lines of a recording, as `exchangeFeed` gives them. ccxt numbers no trades: after a lost
 * connection begins a series of its own, unless the last trades of the exchange reach back to one that is known.
 *
 * @throws ServiceError command.invalid: no such exchange, or none with a stream of trades; feed.failed: what ccxt says
 */
export async function* ccxtFeed({ ccxt, name, symbol, clock, say, signal }: CcxtParts): AsyncGenerator<string> {
  const Exchange = Object.hasOwn(ccxt.pro, name) ? ccxt.pro[name] : undefined;
  if (Exchange === undefined) throw new ServiceError('command.invalid', `ccxt streams no exchange ${JSON.stringify(name)}.`);
  const exchange = new Exchange();
  const close = (): void => void exchange.close().catch(() => {});
  signal.addEventListener('abort', close, { once: true });
  // By what names a trade: a stamp that is wrong once must not make later ones old.
  const known = new Set<string>();
  const isNew = (trade: CcxtTrade): boolean => {
    const name = nameOf(trade);
    if (known.has(name)) return false;
    known.add(name);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value!);
    return true;
  };
  const lines = (trades: readonly CcxtTrade[]): string =>
    trades
      .filter(isNew)
      .map((trade) => lineOf(symbol, trade))
      .join('');
  let [hasTrades, isLost] = [false, false];
  try {
    for (let failures = 0; !signal.aborted;) {
      try {
        const trades = await exchange.watchTrades(symbol);
        const [first] = trades;
        if (first === undefined) continue;
        failures = 0;
        const before = hasTrades
          ? isLost
            ? await missedTrades(exchange, symbol, first.timestamp, known)
            : []
          : await earlierTrades(exchange, symbol, first.timestamp, say);
        if (before === undefined) say('Gap: the connection was lost. A new series begins.\n');
        else if (hasTrades && isLost) say(`The connection was lost, and ${before.length} trades were read from the exchange.\n`);
        yield `${before === undefined ? `${GAP_LINE}\n` : lines(before)}${lines(trades)}`;
        [hasTrades, isLost] = [true, false];
      } catch (error) {
        if (signal.aborted) return;
        isLost = true;
        const text = `ccxt ${name}: ${(error as Error).message}`;
        if (!(error instanceof ccxt.NetworkError) || ++failures > MOST_FAILURES)
          throw new ServiceError('feed.failed', text, { cause: error });
        say(`${text}. Connects again.\n`);
        await new Promise<void>((resolve) => void clock.after(WAIT_MS * failures, resolve));
      }
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** Trades before a time; none where they cannot be had. */
async function earlierTrades(
  exchange: CcxtExchange,
  symbol: string,
  beforeMs: number,
  say: CcxtParts['say'],
): Promise<readonly CcxtTrade[]> {
  if (exchange.has['fetchTrades'] !== true) return [];
  try {
    const earlier = (await exchange.fetchTrades(symbol)).filter(({ timestamp }) => timestamp < beforeMs);
    say(`${earlier.length} earlier trades.\n`);
    return earlier;
  } catch (error) {
    say(`No earlier trades: ${(error as Error).message}.\n`);
    return [];
  }
}

/** Trades of a lost connection, before those that came next; undefined: they cannot be had, or do not reach back to a known one. */
async function missedTrades(
  exchange: CcxtExchange,
  symbol: string,
  beforeMs: number,
  known: ReadonlySet<string>,
): Promise<readonly CcxtTrade[] | undefined> {
  const last = exchange.has['fetchTrades'] === true ? await exchange.fetchTrades(symbol).catch(() => []) : [];
  const isKnown = (trade: CcxtTrade): boolean => known.has(nameOf(trade));
  if (!last.some(isKnown) || !last.some(({ timestamp }) => timestamp >= beforeMs)) return undefined;
  return last.filter((trade) => trade.timestamp < beforeMs && !isKnown(trade));
}

const nameOf = ({ id, timestamp, price, amount }: CcxtTrade): string => id ?? `${timestamp} ${price} ${amount ?? ''}`;

/** In the form of Coinbase, which has all that is known of a trade. */
const lineOf = (symbol: string, { id, timestamp, price }: CcxtTrade): string =>
  `${JSON.stringify({ type: 'match', trade_id: id, product_id: symbol.replaceAll('/', '-'), price, time: timestamp })}\n`;
