import { addQuote, addTrade, barsOf, type Exchange, fieldsOf, firstOf, isFields, isText, records, rows, timeOf } from './Exchange.ts';

export const bybit: Exchange = {
  title: 'Bybit',
  address: () => 'wss://stream.bybit.com/v5/public/spot',
  symbol: (base, quote) => base + quote,
  subscribe: (symbol) => ({ op: 'subscribe', args: [`publicTrade.${symbol}`] }),
  quotes: { subscribe: (symbol) => ({ op: 'subscribe', args: [`orderbook.1.${symbol}`] }) },
  heartbeat: '{"op":"ping"}',
  failure: ({ success, ret_msg }) => (success === false ? ret_msg : undefined),
  history: {
    // Of spot markets, it has no more.
    trades: 60,
    address: (symbol) => `https://api.bybit.com/v5/market/recent-trade?category=spot&symbol=${symbol}&limit=60`,
    messages: (answer, symbol) =>
      rows(fieldsOf(fieldsOf(answer)['result'])['list'])
        .toReversed()
        .map(({ execId, price, size, side, time, isBlockTrade: BT }) => ({
          ...{ topic: `publicTrade.${symbol}`, type: 'snapshot', ts: Number(time) },
          data: [{ T: Number(time), s: symbol, S: side, v: size, p: price, i: execId, BT }],
        })),
  },
  bars: {
    periods: {
      ...{ 1: 60, 3: 180, 5: 300, 15: 900, 30: 1800, 60: 3600, 120: 7200, 240: 14_400, 360: 21_600, 720: 43_200, D: 86_400 },
    },
    path: (symbol, period, untilMs) => `/v5/market/kline?category=spot&symbol=${symbol}&interval=${period}&limit=1000&end=${untilMs}`,
    read: (answer) => barsOf(fieldsOf(fieldsOf(answer)['result'])['list'], 1000),
  },
  recorded: '`publicTrade`, `orderbook.1`',
  forms: [
    {
      holds: ({ topic, data }) => isText(topic) && data !== undefined,
      add: ({ topic, ts, data }, add) => {
        if (String(topic).startsWith('publicTrade')) {
          for (const { s, T, p, BT, isBlockTrade } of records(data))
            if (BT !== true && isBlockTrade !== true) addTrade(s, timeOf(T), p, add);
        } else if (String(topic).startsWith('orderbook.1.') && isFields(data))
          addQuote(data['s'], timeOf(ts), firstOf(data['b']), firstOf(data['a']), add);
      },
    },
  ],
};
