type Fields = Readonly<Record<string, unknown>>;

/** How the public trade stream of an exchange is opened and watched. The messages themselves are read by `exchangeMessages.ts`. */
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
};

const rows = (data: unknown): readonly Fields[] => (Array.isArray(data) ? data : []);

export const EXCHANGES: Readonly<Record<string, Exchange>> = {
  binance: {
    title: 'Binance',
    address: (symbol) => `wss://stream.binance.com:9443/ws/${symbol.toLowerCase()}@trade`,
    symbol: (base, quote) => base + quote,
    subscribe: () => undefined,
    heartbeat: '{"method":"LIST_SUBSCRIPTIONS","id":1}',
    failure: ({ error, code, msg }) => error ?? (code === undefined ? undefined : msg),
    numbers: ({ e, t }) => (e === 'trade' ? [t] : []),
  },
  coinbase: {
    title: 'Coinbase',
    address: () => 'wss://ws-feed.exchange.coinbase.com',
    symbol: (base, quote) => `${base}-${quote}`,
    subscribe: (symbol) => ({ type: 'subscribe', product_ids: [symbol], channels: ['matches', 'heartbeat'] }),
    heartbeat: undefined,
    failure: ({ type, message, reason }) => (type === 'error' ? (reason ?? message) : undefined),
    numbers: ({ type, trade_id }) => (type === 'match' || type === 'last_match' ? [trade_id] : []),
  },
  kraken: {
    title: 'Kraken',
    address: () => 'wss://ws.kraken.com/v2',
    symbol: (base, quote) => `${base}/${quote}`,
    subscribe: (symbol) => ({ method: 'subscribe', params: { channel: 'trade', symbol: [symbol], snapshot: false } }),
    heartbeat: '{"method":"ping"}',
    failure: ({ success, error }) => (success === false ? error : undefined),
    numbers: ({ channel, data }) => (channel === 'trade' ? rows(data).map((row) => row['trade_id']) : []),
  },
  bybit: {
    title: 'Bybit',
    address: () => 'wss://stream.bybit.com/v5/public/spot',
    symbol: (base, quote) => base + quote,
    subscribe: (symbol) => ({ op: 'subscribe', args: [`publicTrade.${symbol}`] }),
    heartbeat: '{"op":"ping"}',
    failure: ({ success, ret_msg }) => (success === false ? ret_msg : undefined),
    numbers: () => [],
  },
  okx: {
    title: 'OKX',
    address: () => 'wss://ws.okx.com:8443/ws/v5/public',
    symbol: (base, quote) => `${base}-${quote}`,
    subscribe: (symbol) => ({ op: 'subscribe', args: [{ channel: 'trades', instId: symbol }] }),
    heartbeat: 'ping',
    failure: ({ event, msg }) => (event === 'error' ? msg : undefined),
    numbers: () => [],
  },
};

/** Base and quote of `BTC/USDT`; undefined: the text is no market. */
export function marketOf(text: string): readonly [base: string, quote: string] | undefined {
  const [, base, quote] = /^([A-Z0-9]{1,20})\/([A-Z0-9]{1,20})$/.exec(text.trim().toUpperCase()) ?? [];
  return base === undefined || quote === undefined ? undefined : [base, quote];
}
