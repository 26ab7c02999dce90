import {
  addQuote,
  addTrade,
  isFields,
  fieldsOf,
  isText,
  list,
  type ListForm,
  type MessageForm,
  numberOf,
  records,
  timeOf,
} from './Exchange.ts';

const hasId = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Messages of exchanges that are read from recordings and pipes, and to which nothing here connects. */
export const RECORDED_FORMS: readonly MessageForm[] = [
  // KuCoin
  {
    holds: ({ topic, subject }) => isText(topic) && isText(subject),
    add: ({ topic, data }, add) => {
      const { symbol, time, price } = fieldsOf(data);
      if (String(topic).startsWith('/market/match')) addTrade(symbol, timeOf(String(time).slice(0, 16)), price, add);
    },
  },
  // HTX
  {
    holds: ({ ch, tick }) => isText(ch) && isFields(tick),
    add: ({ ch, tick }, add) => {
      const [, symbol, kind] = String(ch).split('.');
      if (kind === 'trade') for (const { ts, price } of records(fieldsOf(tick)['data'])) addTrade(symbol, timeOf(ts), price, add);
    },
  },
  // Bitstamp
  {
    holds: ({ event, channel, data }) => isText(event) && isText(channel) && isFields(data),
    add: ({ event, channel, data }, add) => {
      const { microtimestamp, price } = fieldsOf(data);
      if (event === 'trade') addTrade(String(channel).replace('live_trades_', ''), timeOf(microtimestamp), price, add);
    },
  },
  // Gate.io
  {
    holds: ({ channel, result }) => isText(channel) && channel.includes('.') && result !== undefined,
    add: ({ channel, result }, add) => {
      for (const { currency_pair, contract, create_time_ms, price, is_internal } of records(result))
        if (String(channel).endsWith('.trades') && is_internal !== true)
          addTrade(currency_pair ?? contract, timeOf(numberOf(create_time_ms)), price, add);
    },
  },
  // OANDA: best price first
  {
    holds: ({ type, time }) => (type === 'PRICE' || type === 'HEARTBEAT') && isText(time),
    add: ({ type, instrument, time, bids, asks, tradeable, status }, add) => {
      const isClosed = tradeable === false || status === 'non-tradeable' || status === 'invalid';
      if (type === 'PRICE' && !isClosed) addQuote(instrument, timeOf(time), records(bids)[0]?.['price'], records(asks)[0]?.['price'], add);
    },
  },
  // Finnhub
  {
    holds: ({ type, data }) => (type === 'trade' && Array.isArray(data)) || type === 'ping',
    add: ({ data }, add) => {
      for (const { s, t, p } of records(data)) addTrade(s, timeOf(t), p, add);
    },
  },
  // Hyperliquid
  {
    holds: ({ channel, data }) => (channel === 'trades' || channel === 'bbo' || channel === 'l2Book') && data !== undefined,
    add: ({ channel, data }, add) => {
      for (const { coin, time, px, bbo, levels } of records(data)) {
        const [bid, ask] = channel === 'bbo' ? list(bbo) : list(levels).map((side) => list(side)[0]);
        if (channel === 'trades') addTrade(coin, timeOf(time), px, add);
        else addQuote(coin, timeOf(time), fieldsOf(bid)['px'], fieldsOf(ask)['px'], add);
      }
    },
  },
  // BitMEX
  {
    holds: ({ table, data }) => isText(table) && Array.isArray(data),
    add: ({ table, data }, add) => {
      for (const { symbol, timestamp, price, bidPrice, askPrice, trdType } of records(data)) {
        if (table === 'trade' && (!isText(trdType) || trdType === 'Regular')) addTrade(symbol, timeOf(timestamp), price, add);
        else if (table === 'quote') addQuote(symbol, timeOf(timestamp), bidPrice, askPrice, add);
      }
    },
  },
  // Deribit
  {
    holds: ({ method, params }) => method === 'subscription' && isFields(params),
    add: ({ params }, add) => {
      const { channel, data } = fieldsOf(params);
      for (const entry of records(data)) {
        const { instrument_name, timestamp, price, best_bid_price, best_ask_price } = entry;
        const isAgreed = ['block_trade_id', 'block_rfq_id', 'combo_trade_id'].some((name) => hasId(entry[name]));
        if (String(channel).startsWith('trades.') && !isAgreed) addTrade(instrument_name, timeOf(timestamp), price, add);
        else if (String(channel).startsWith('quote.')) addQuote(instrument_name, timeOf(timestamp), best_bid_price, best_ask_price, add);
      }
    },
  },
  // What Bitfinex says about a connection
  { holds: ({ event }) => event === 'info' || event === 'conf' || event === 'subscribed', add: () => {} },
  // Answers to a subscription
  { holds: ({ method, result, id }) => method === 'subscribe' || (result === null && id !== undefined), add: () => {} },
];

export const RECORDED_LISTS: readonly ListForm[] = [
  // Bitfinex: [channel, "te", [id, milliseconds, signed amount, price]], and once more with "tu"
  {
    holds: ({ length, 0: channel, 1: kind, 2: trade }) =>
      length === 3 && typeof channel === 'number' && (kind === 'te' || kind === 'tu') && list(trade).length === 4,
    add: ([channel, kind, trade], add, markets) => {
      const [, timeMs, , price] = list(trade);
      if (kind === 'te') addTrade(markets.get(channel) ?? `channel ${String(channel)}`, timeOf(timeMs), price, add);
    },
  },
];
