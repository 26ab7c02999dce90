import { addQuote, addTrade, barsOf, type Exchange, fieldsOf, firstOf, isText, records, rows, timeOf } from './Exchange.ts';

export const okx: Exchange = {
  title: 'OKX',
  address: () => 'wss://ws.okx.com:8443/ws/v5/public',
  symbol: (base, quote) => `${base}-${quote}`,
  subscribe: (symbol) => ({ op: 'subscribe', args: [{ channel: 'trades', instId: symbol }] }),
  quotes: { subscribe: (symbol) => ({ op: 'subscribe', args: [{ channel: 'bbo-tbt', instId: symbol }] }) },
  heartbeat: 'ping',
  failure: ({ event, msg }) => (event === 'error' ? msg : undefined),
  history: {
    trades: 500,
    address: (symbol) => `https://www.okx.com/api/v5/market/trades?instId=${symbol}&limit=500`,
    messages: (answer, symbol) =>
      rows(fieldsOf(answer)['data'])
        .toReversed()
        .map(({ tradeId, px, sz, side, ts }) => ({
          arg: { channel: 'trades', instId: symbol },
          data: [{ instId: symbol, tradeId, px, sz, side, ts }],
        })),
    // By time, as type 2: with those of the same millisecond, some of which are known.
    before: ({ data }, symbol) =>
      `/api/v5/market/history-trades?instId=${symbol}&type=2&limit=100&after=${Number(records(data)[0]?.['ts']) + 1}`,
  },
  bars: {
    periods: {
      ...{ '1s': 1, '1m': 60, '3m': 180, '5m': 300, '15m': 900, '30m': 1800, '1H': 3600, '2H': 7200, '4H': 14_400 },
      // Without utc, they begin at the hours of Hong Kong.
      ...{ '6Hutc': 21_600, '12Hutc': 43_200, '1Dutc': 86_400 },
    },
    path: (symbol, period, untilMs) => `/api/v5/market/candles?instId=${symbol}&bar=${period}&limit=300&after=${untilMs + 1}`,
    read: (answer) => barsOf(fieldsOf(answer)['data'], 1000),
  },
  recorded: '`trades`, `trades-all`, `tickers`, `bbo-tbt`',
  forms: [
    {
      holds: ({ arg }) => isText(fieldsOf(arg)['channel']),
      add: ({ arg, data }, add) => {
        const { channel, instId: market } = fieldsOf(arg);
        for (const { instId = market, ts, px, bidPx, askPx, bids, asks } of records(data)) {
          if (String(channel).startsWith('trades')) addTrade(instId, timeOf(ts), px, add);
          else if (channel === 'tickers') addQuote(instId, timeOf(ts), bidPx, askPx, add);
          else if (channel === 'bbo-tbt') addQuote(instId, timeOf(ts), firstOf(bids), firstOf(asks), add);
        }
      },
    },
  ],
};
