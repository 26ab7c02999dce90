import {
  addQuote,
  addTrade,
  type AddExchangeTick,
  barsOf,
  type Exchange,
  type Fields,
  isFields,
  isText,
  rows,
  timeOf,
} from './Exchange.ts';

export const binance: Exchange = {
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
    trades: 1000,
    address: (symbol) => `https://api.binance.com/api/v3/trades?symbol=${symbol}&limit=1000`,
    messages: (answer, symbol) =>
      rows(answer).map(({ id, price, qty, time }) => ({ e: 'trade', s: symbol, t: id, p: price, q: qty, T: time })),
    after: ({ number }, symbol) =>
      number === undefined ? undefined : `/api/v3/historicalTrades?symbol=${symbol}&limit=1000&fromId=${number + 1}`,
  },
  bars: {
    periods: {
      ...{ '1s': 1, '1m': 60, '3m': 180, '5m': 300, '15m': 900, '30m': 1800, '1h': 3600, '2h': 7200, '4h': 14_400 },
      ...{ '6h': 21_600, '8h': 28_800, '12h': 43_200, '1d': 86_400 },
    },
    path: (symbol, period, untilMs) => `/api/v3/klines?symbol=${symbol}&interval=${period}&limit=1000&endTime=${untilMs}`,
    read: (answer) => barsOf(answer, 1000),
  },
  recorded: '`trade`, `aggTrade`, `bookTicker`, alone or in combined streams',
  forms: [
    { holds: ({ stream }) => isText(stream), add: ({ data }, add) => isFields(data) && addMessage(data, add) },
    { holds: (message) => isText(message['e']) && 's' in message, add: addMessage },
    { holds: ({ u, b, a }) => u !== undefined && b !== undefined && a !== undefined, add: addMessage },
  ],
};

/** Trades with a mark other than MARKET are of the insurance fund, of deleveraging or blocks. */
function addMessage({ e, s, p, b, a, T, E, X }: Fields, add: AddExchangeTick): void {
  if (e === 'trade' || e === 'aggTrade') {
    if (!isText(X) || X === 'MARKET') addTrade(s, timeOf(T), p, add);
  } else if (e === 'bookTicker' || (e === undefined && b !== undefined && a !== undefined)) addQuote(s, timeOf(T ?? E), b, a, add);
}
