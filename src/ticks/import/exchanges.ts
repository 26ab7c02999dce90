import { writeTimestamp } from '../timestamps.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How a public stream of an exchange is opened and watched. The messages themselves are read by `exchangeMessages.ts`. */
export type Exchange = {
  readonly title: string;
  /** Of the symbol in the form of the exchange. */
  readonly address: (symbol: string) => string;
  /** From `BTC` and `USDT`. */
  readonly symbol: (base: string, quote: string) => string;
  /** Sent after the connection opens; undefined: the address names the stream. */
  readonly subscribe: (symbol: string) => object | undefined;
  /** Text that the exchange answers, so that an idle connection is told from a dead one; undefined: it sends messages of its own all the time. */
  readonly heartbeat: string | undefined;
  /** What the exchange says of a failure; undefined: the message is none. */
  readonly failure: (message: Fields) => unknown;
  /** Numbers of the trades of a message, if the exchange numbers the trades of a symbol without holes. */
  readonly numbers: (message: Fields) => readonly unknown[];
  /** Undefined: no one keeps what was before. */
  readonly history?: History | undefined;
  /** What is read and recorded of a message; undefined: all of it. */
  readonly partOf?: (message: Fields) => Fields;
};

/** The trades of an exchange, and its stream of best bid and ask, which sends both sides each time. */
type Market = Exchange & { readonly quotes: Pick<Exchange, 'address' | 'subscribe' | 'partOf'>; readonly history: History };

/** The last trades over REST, so that the first forecast does not wait for as many of the stream. */
type History = {
  readonly address: (symbol: string) => string;
  /** The trades of an answer as messages of the stream, oldest first. */
  readonly messages: (answer: unknown, symbol: string) => readonly Fields[];
};

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const rows = (data: unknown): readonly Fields[] => (Array.isArray(data) ? data : []);

const EXCHANGES: Readonly<Record<string, Market>> = {
  binance: {
    title: 'Binance',
    address: (symbol) => `wss://stream.binance.com:9443/ws/${symbol.toLowerCase()}@trade`,
    symbol: (base, quote) => base + quote,
    subscribe: () => undefined,
    quotes: {
      address: (symbol) => `wss://stream.binance.com:9443/ws/${symbol.toLowerCase()}@bookTicker`,
      subscribe: () => undefined,
    },
    heartbeat: '{"method":"LIST_SUBSCRIPTIONS","id":1}',
    failure: ({ error, code, msg }) => error ?? (code === undefined ? undefined : msg),
    numbers: ({ e, t }) => (e === 'trade' ? [t] : []),
    history: {
      address: (symbol) => `https://api.binance.com/api/v3/trades?symbol=${symbol}&limit=1000`,
      messages: (answer, symbol) =>
        rows(answer).map(({ id, price, qty, time }) => ({ e: 'trade', s: symbol, t: id, p: price, q: qty, T: time })),
    },
  },
  coinbase: {
    title: 'Coinbase',
    address: () => 'wss://ws-feed.exchange.coinbase.com',
    symbol: (base, quote) => `${base}-${quote}`,
    subscribe: (symbol) => ({ type: 'subscribe', product_ids: [symbol], channels: ['matches', 'heartbeat'] }),
    quotes: {
      address: () => 'wss://ws-feed.exchange.coinbase.com',
      subscribe: (symbol) => ({ type: 'subscribe', product_ids: [symbol], channels: ['ticker', 'heartbeat'] }),
      // With its price, a ticker is read as a trade.
      partOf: ({ price: _, ...message }) => message,
    },
    heartbeat: undefined,
    failure: ({ type, message, reason }) => (type === 'error' ? (reason ?? message) : undefined),
    numbers: ({ type, trade_id }) => (type === 'match' || type === 'last_match' ? [trade_id] : []),
    history: {
      address: (symbol) => `https://api.exchange.coinbase.com/products/${symbol}/trades?limit=1000`,
      messages: (answer, symbol) =>
        rows(answer)
          .toReversed()
          .map(({ trade_id, price, size, time }) => ({ type: 'match', trade_id, product_id: symbol, price, size, time })),
    },
  },
  kraken: {
    title: 'Kraken',
    address: () => 'wss://ws.kraken.com/v2',
    symbol: (base, quote) => `${base}/${quote}`,
    subscribe: (symbol) => ({ method: 'subscribe', params: { channel: 'trade', symbol: [symbol], snapshot: false } }),
    quotes: {
      address: () => 'wss://ws.kraken.com/v2',
      subscribe: (symbol) => ({
        method: 'subscribe',
        params: { channel: 'ticker', symbol: [symbol], event_trigger: 'bbo', snapshot: false },
      }),
    },
    heartbeat: '{"method":"ping"}',
    failure: ({ success, error }) => (success === false ? error : undefined),
    numbers: ({ channel, data }) => (channel === 'trade' ? rows(data).map((row) => row['trade_id']) : []),
    history: {
      // The older interface has a name of its own for Bitcoin, and for the pair in its answer.
      address: (symbol) => `https://api.kraken.com/0/public/Trades?count=1000&pair=${symbol.replace(/^BTC/, 'XBT').replace('/', '')}`,
      messages: (answer, symbol) => {
        const trades = Object.entries(fieldsOf(fieldsOf(answer)['result'])).find(([name]) => name !== 'last')?.[1];
        return (Array.isArray(trades) ? (trades as readonly unknown[][]) : []).map(([price, qty, seconds, , , , trade_id]) => {
          const timestamp = `${writeTimestamp(Math.round(Number(seconds) * 1e6)).replace(' ', 'T')}Z`;
          return { channel: 'trade', type: 'update', data: [{ symbol, price: Number(price), qty: Number(qty), trade_id, timestamp }] };
        });
      },
    },
  },
  bybit: {
    title: 'Bybit',
    address: () => 'wss://stream.bybit.com/v5/public/spot',
    symbol: (base, quote) => base + quote,
    subscribe: (symbol) => ({ op: 'subscribe', args: [`publicTrade.${symbol}`] }),
    quotes: {
      address: () => 'wss://stream.bybit.com/v5/public/spot',
      subscribe: (symbol) => ({ op: 'subscribe', args: [`orderbook.1.${symbol}`] }),
    },
    heartbeat: '{"op":"ping"}',
    failure: ({ success, ret_msg }) => (success === false ? ret_msg : undefined),
    numbers: () => [],
    history: {
      // Of spot markets, it has no more than 60.
      address: (symbol) => `https://api.bybit.com/v5/market/recent-trade?category=spot&symbol=${symbol}&limit=60`,
      messages: (answer, symbol) =>
        rows(fieldsOf(fieldsOf(answer)['result'])['list'])
          .toReversed()
          .map(({ execId, price, size, side, time, isBlockTrade: BT }) => ({
            ...{ topic: `publicTrade.${symbol}`, type: 'snapshot', ts: Number(time) },
            data: [{ T: Number(time), s: symbol, S: side, v: size, p: price, i: execId, BT }],
          })),
    },
  },
  okx: {
    title: 'OKX',
    address: () => 'wss://ws.okx.com:8443/ws/v5/public',
    symbol: (base, quote) => `${base}-${quote}`,
    subscribe: (symbol) => ({ op: 'subscribe', args: [{ channel: 'trades', instId: symbol }] }),
    quotes: {
      address: () => 'wss://ws.okx.com:8443/ws/v5/public',
      subscribe: (symbol) => ({ op: 'subscribe', args: [{ channel: 'bbo-tbt', instId: symbol }] }),
    },
    heartbeat: 'ping',
    failure: ({ event, msg }) => (event === 'error' ? msg : undefined),
    numbers: () => [],
    history: {
      address: (symbol) => `https://www.okx.com/api/v5/market/trades?instId=${symbol}&limit=500`,
      messages: (answer, symbol) =>
        rows(fieldsOf(answer)['data'])
          .toReversed()
          .map(({ tradeId, px, sz, side, ts }) => ({
            arg: { channel: 'trades', instId: symbol },
            data: [{ instId: symbol, tradeId, px, sz, side, ts }],
          })),
    },
  },
};

export const EXCHANGE_NAMES = Object.keys(EXCHANGES);

/** `name`: of the table; `isQuotes`: best bid and ask in place of trades, which no one numbers, and of which no one keeps those of the past. */
export function exchangeOf(name: string, isQuotes: boolean): Exchange {
  const trades = EXCHANGES[name]!;
  return isQuotes ? { ...trades, ...trades.quotes, numbers: () => [], history: undefined } : trades;
}

/** All that the console may open. */
export const exchangeAddresses = (): readonly string[] =>
  Object.values(EXCHANGES).flatMap(({ address, quotes, history }) => [address(''), quotes.address(''), history.address('')]);

/** Base and quote of `BTC/USDT`; undefined: the text is no market. */
export function marketOf(text: string): readonly [base: string, quote: string] | undefined {
  const [, base, quote] = /^([A-Z0-9]{1,20})\/([A-Z0-9]{1,20})$/.exec(text.trim().toUpperCase()) ?? [];
  return base === undefined || quote === undefined ? undefined : [base, quote];
}
