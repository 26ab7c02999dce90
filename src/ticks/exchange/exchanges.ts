import { binance } from './binance.ts';
import { bybit } from './bybit.ts';
import { coinbase } from './coinbase.ts';
import type { Exchange, ExchangeStream } from './Exchange.ts';
import { kraken } from './kraken.ts';
import { okx } from './okx.ts';

/** The exchanges that the console, the command line and the service connect to, by the names that their users write. */
export const EXCHANGES: Readonly<Record<string, Exchange>> = { binance, coinbase, kraken, bybit, okx };

export const EXCHANGE_NAMES = Object.keys(EXCHANGES);

/** `Binance, Coinbase or Kraken`, for sentences. */
export const EXCHANGE_TITLES = Object.values(EXCHANGES)
  .map(({ title }) => title)
  .join(', ')
  .replace(/, ([^,]+)$/, ' or $1');

/** One market of an exchange: how it is opened and watched. */
export type ExchangeMarket = {
  readonly exchange: ExchangeStream;
  /** In the form of the exchange. */
  readonly symbol: string;
  readonly url: string;
  /** Where the last trades before the stream are asked for; undefined: nowhere. */
  readonly historyUrl: string | undefined;
};

/** `name`: of the table; `isQuotes`: best bid and ask in place of trades, which no one numbers, and of which no one keeps those of the past. */
export function marketOf(name: string, [base, quote]: readonly [base: string, quote: string], isQuotes: boolean): ExchangeMarket {
  const trades = EXCHANGES[name];
  const exchange: ExchangeStream = isQuotes ? { ...trades, ...trades.quotes, numbers: undefined, history: undefined } : trades;
  const symbol = exchange.symbol(base, quote);
  return { exchange, symbol, url: exchange.address(symbol), historyUrl: exchange.history?.address(symbol) };
}

/** Origins of all streams and histories: what a page or a firewall has to allow. */
export const exchangeOrigins = (): readonly string[] => [
  ...new Set(
    Object.values(EXCHANGES)
      .flatMap(({ address, quotes, history }) => [address(''), (quotes.address ?? address)(''), history.address('')])
      .map((url) => new URL(url).origin),
  ),
];

/** Base and quote of `BTC/USDT`; undefined: the text is no market. */
export function pairOf(text: string): readonly [base: string, quote: string] | undefined {
  const [, base, quote] = /^([A-Z0-9]{1,20})\/([A-Z0-9]{1,20})$/.exec(text.trim().toUpperCase()) ?? [];
  return base === undefined || quote === undefined ? undefined : [base, quote];
}
