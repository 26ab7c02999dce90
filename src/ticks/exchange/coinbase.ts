import { addQuote, addTrade, barsOf, type Exchange, isText, records, rows, timeOf } from './Exchange.ts';

/** Of an answer: of more, it refuses the request. */
const MOST_BARS = 299;
const TYPES: readonly unknown[] = ['ticker', 'match', 'last_match', 'subscriptions', 'heartbeat'];

export const coinbase: Exchange = {
  title: 'Coinbase',
  address: () => 'wss://ws-feed.exchange.coinbase.com',
  symbol: (base, quote) => `${base}-${quote}`,
  subscribe: (symbol) => ({ type: 'subscribe', product_ids: [symbol], channels: ['matches', 'heartbeat'] }),
  quotes: {
    subscribe: (symbol) => ({ type: 'subscribe', product_ids: [symbol], channels: ['ticker', 'heartbeat'] }),
    // With its price, a ticker is read as a trade.
    partOf: ({ price: _, ...message }) => message,
  },
  heartbeat: undefined,
  failure: ({ type, message, reason }) => (type === 'error' ? (reason ?? message) : undefined),
  numbers: ({ type, trade_id }) => (type === 'match' || type === 'last_match' ? [trade_id] : []),
  history: {
    trades: 1000,
    address: (symbol) => `https://api.exchange.coinbase.com/products/${symbol}/trades?limit=1000`,
    messages: (answer, symbol) =>
      rows(answer)
        .toReversed()
        .map(({ trade_id, price, size, time }) => ({ type: 'match', trade_id, product_id: symbol, price, size, time })),
    // What Coinbase calls after is older.
    before: ({ trade_id }, symbol) => `/products/${symbol}/trades?limit=1000&after=${String(trade_id)}`,
  },
  bars: {
    periods: { 60: 60, 300: 300, 900: 900, 3600: 3600, 21600: 21_600, 86400: 86_400 },
    path: (symbol, period, untilMs) => {
      const end = Math.floor(untilMs / 1000);
      return `/products/${symbol}/candles?granularity=${period}&start=${end - MOST_BARS * Number(period)}&end=${end}`;
    },
    read: (answer) => barsOf(answer, 1e6, [3, 2, 1, 4, 5]),
  },
  recorded: '`match` and `ticker` of the Exchange, `market_trades` and `ticker` of the Advanced Trade API',
  forms: [
    {
      holds: ({ type }) => TYPES.includes(type),
      add: ({ type, product_id, time, price, best_bid, best_ask }, add) => {
        if (type === 'ticker' && price === undefined) addQuote(product_id, timeOf(time), best_bid, best_ask, add);
        else if (type === 'ticker' || type === 'match' || type === 'last_match') addTrade(product_id, timeOf(time), price, add);
      },
    },
    // Advanced Trade: the time of a ticker is that of the message.
    {
      holds: ({ channel, events }) => isText(channel) && events !== undefined,
      add: ({ channel, timestamp, events }, add) => {
        for (const { tickers, trades } of records(events)) {
          if (channel === 'ticker' || channel === 'ticker_batch')
            for (const { product_id, price } of records(tickers)) addTrade(product_id, timeOf(timestamp), price, add);
          else if (channel === 'market_trades')
            for (const { product_id, price, time } of records(trades)) addTrade(product_id, timeOf(time), price, add);
        }
      },
    },
  ],
};
