import { writeTimestamp } from '../timestamps.ts';
import { addQuote, addTrade, barsOf, type Exchange, fieldsOf, isText, list, records, secondsOf, timeOf } from './Exchange.ts';

/** Kinds of trades of futures whose price is none of the market. */
const OFF_MARKET: readonly unknown[] = ['assignment', 'termination', 'block'];

/** The older interface has a name of its own for Bitcoin, and for the pair in its answer. */
const pairOf = (symbol: string): string => symbol.replace(/^BTC/, 'XBT').replace('/', '');
const tradesPath = (symbol: string): string => `/0/public/Trades?count=1000&pair=${pairOf(symbol)}`;
const resultOf = (answer: unknown): unknown => Object.entries(fieldsOf(fieldsOf(answer)['result'])).find(([name]) => name !== 'last')?.[1];

export const kraken: Exchange = {
  title: 'Kraken',
  address: () => 'wss://ws.kraken.com/v2',
  symbol: (base, quote) => `${base}/${quote}`,
  subscribe: (symbol) => ({ method: 'subscribe', params: { channel: 'trade', symbol: [symbol], snapshot: false } }),
  quotes: {
    subscribe: (symbol) => ({
      method: 'subscribe',
      params: { channel: 'ticker', symbol: [symbol], event_trigger: 'bbo', snapshot: false },
    }),
  },
  heartbeat: '{"method":"ping"}',
  failure: ({ success, error }) => (success === false ? error : undefined),
  numbers: ({ channel, data }) => (channel === 'trade' ? records(data).map(({ trade_id }) => trade_id) : []),
  history: {
    trades: 1000,
    address: (symbol) => `https://api.kraken.com${tradesPath(symbol)}`,
    messages: (answer, symbol) =>
      list(resultOf(answer)).map((trade) => {
        const [price, qty, seconds, , , , trade_id] = list(trade);
        const timestamp = `${writeTimestamp(Math.round(Number(seconds) * 1e6)).replace(' ', 'T')}Z`;
        return { channel: 'trade', type: 'update', data: [{ symbol, price: Number(price), qty: Number(qty), trade_id, timestamp }] };
      }),
    // Nanoseconds; its stamps are finer than a microsecond.
    after: ({ timeUs }, symbol) => `${tradesPath(symbol)}&since=${timeUs - 1}000`,
  },
  bars: {
    periods: { 1: 60, 5: 300, 15: 900, 30: 1800, 60: 3600, 240: 14_400, 1440: 86_400 },
    // It has the last 720, whatever is asked.
    path: (symbol, period) => `/0/public/OHLC?pair=${pairOf(symbol)}&interval=${period}`,
    read: (answer) => barsOf(resultOf(answer), 1e6, [1, 2, 3, 4, 6]),
  },
  recorded: '`trade`, `ticker` of WebSocket v2; `trade`, `spread` of v1; `trade`, `ticker` of futures',
  forms: [
    {
      holds: ({ channel, data, events }) => isText(channel) && events === undefined && (data === undefined || Array.isArray(data)),
      // A ticker has a time only since 2025.
      add: ({ channel, data }, add) => {
        for (const { symbol, timestamp, price, bid, ask } of records(data)) {
          if (channel === 'trade') addTrade(symbol, timeOf(timestamp), price, add);
          else if (channel === 'ticker') addQuote(symbol, timeOf(timestamp), bid, ask, add);
        }
      },
    },
    {
      holds: ({ feed, product_id }) => isText(feed) && isText(product_id),
      add: ({ feed, type, product_id, time, price, bid, ask, suspended }, add) => {
        if (feed === 'trade' && !OFF_MARKET.includes(type)) addTrade(product_id, timeOf(time), price, add);
        else if (feed === 'ticker' && suspended !== true) addQuote(product_id, timeOf(time), bid, ask, add);
      },
    },
    { holds: ({ event }) => event === 'systemStatus' || event === 'subscriptionStatus', add: () => {} },
  ],
  /** Version 1: [channel, [[price, volume, seconds, side, type, misc]], "trade", "XBT/USD"], and lists of bid, ask and seconds for "spread". */
  lists: {
    holds: ({ length, 1: entries, 2: channel, 3: symbol }) =>
      length === 4 && Array.isArray(entries) && (channel === 'trade' || channel === 'spread') && isText(symbol),
    add: ([, entries, channel, symbol], add) => {
      const [bid, ask, seconds] = list(entries);
      if (channel === 'spread') addQuote(symbol, secondsOf(seconds), bid, ask, add);
      else for (const entry of list(entries)) addTrade(symbol, secondsOf(list(entry)[2]), list(entry)[0], add);
    },
  },
};
