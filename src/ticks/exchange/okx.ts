import { addQuote, addTrade, type Exchange, fieldsOf, firstOf, isText, records, rows, timeOf } from './Exchange.ts';

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
