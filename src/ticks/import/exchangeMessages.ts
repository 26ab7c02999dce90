import { midPrice } from '../midPrice.ts';
import { parseTimestampUs } from '../timestamps.ts';

/** A tick of a message: the price of a trade, or bid and ask. `timeUs`: undefined for messages without a time, such as `bookTicker` of Binance spot. */
export type ExchangeTick = { readonly symbol: string; readonly timeUs: number | undefined } & (
  | { readonly price: number }
  | { readonly bid: number; readonly ask: number }
);
export type AddExchangeTick = (tick: ExchangeTick) => void;

/** The price of a tick: of quotes the mid. */
export const priceOf = (tick: ExchangeTick): number => ('price' in tick ? tick.price : midPrice(tick.bid, tick.ask));

type Fields = Readonly<Record<string, unknown>>;
/** How the messages of one exchange are told, and what is in them. */
type Exchange = { readonly holds: (message: Fields) => boolean; readonly add: (message: Fields, add: AddExchangeTick) => void };

/** Milliseconds since 1970 have 13 digits until the year 2286; Binance sends microseconds on request. */
const LEAST_MICROSECONDS = 1e14;
/** What stands before each message where a recorder wrote when it came: nanoseconds, a stamp. */
const RECORDED = /^(?:\d{10,19}|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)[\s,;]+(?=[[{])/;

/** Stands in a recording where trades are missing: what follows is a series of its own. */
export const GAP_LINE = '{"event":"tickmark.gap"}';

/** The message of a line, without the time at which a recorder wrote it. Undefined: it is no JSON. */
export function messageIn(line: string): unknown {
  try {
    return JSON.parse(line.replace(RECORDED, ''));
  } catch {
    return undefined;
  }
}

/** Markets by the number of their channel. */
type Channels = Map<unknown, string>;
/** A stream of more is none. */
const MAX_CHANNELS = 10_000;

/** Reads the lines of one recording or stream, for files and for live series alike. */
export class ExchangeLines {
  readonly #channels: Channels = new Map();

  /** Adds the ticks of a line; of a message without a time, at that which a recorder wrote in front of it. False: the line is no message. */
  read(line: string, add: AddExchangeTick): boolean {
    const message = messageIn(line);
    if (typeof message !== 'object' || message === null) return false;
    addExchangeTicks(message, (tick) => add(tick.timeUs === undefined ? { ...tick, timeUs: recordedUs(line) } : tick), this.#channels);
    return true;
  }
}

/** When a recorder wrote the line, microseconds. */
function recordedUs(line: string): number | undefined {
  const stamp = RECORDED.exec(line)?.[0].replace(/[\s,;]+$/, '');
  if (stamp === undefined) return undefined;
  if (!/^\d+$/.test(stamp)) return timeOf(stamp);
  // Seconds, milliseconds and nanoseconds of these years have 10, 13 and 19 digits.
  return [10, 13, 16, 19].includes(stamp.length) ? Number(stamp.slice(0, 16).padEnd(16, '0')) : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const EXCHANGES: readonly Exchange[] = [
  // Binance as a combined stream, then alone.
  { holds: ({ stream }) => isText(stream), add: ({ data }, add) => isFields(data) && addBinance(data, add) },
  { holds: (message) => isText(message['e']) && 's' in message, add: addBinance },
  { holds: ({ u, b, a }) => u !== undefined && b !== undefined && a !== undefined, add: addBinance },
  // KuCoin
  {
    holds: ({ topic, subject }) => isText(topic) && isText(subject),
    add: ({ topic, data }, add) => {
      if (!String(topic).startsWith('/market/match') || !isFields(data)) return;
      addTrade(data['symbol'], timeOf(String(data['time']).slice(0, 16)), data['price'], add);
    },
  },
  // HTX
  {
    holds: ({ ch, tick }) => isText(ch) && isFields(tick),
    add: ({ ch, tick }, add) => {
      const [, symbol, kind] = String(ch).split('.');
      if (kind === 'trade') for (const { ts, price } of records((tick as Fields)['data'])) addTrade(symbol, timeOf(ts), price, add);
    },
  },
  // Bybit
  {
    holds: ({ topic, data }) => isText(topic) && data !== undefined,
    add: ({ topic, ts, data }, add) => {
      if (String(topic).startsWith('publicTrade')) for (const { s, T, p } of records(data)) addTrade(s, timeOf(T), p, add);
      else if (/^orderbook\.1\./.test(String(topic)) && isFields(data))
        addQuote(data['s'], timeOf(ts), list(list(data['b'])[0])[0], list(list(data['a'])[0])[0], add);
    },
  },
  // OKX
  {
    holds: ({ arg }) => isFields(arg) && isText(arg['channel']),
    add: ({ arg, data }, add) => {
      const channel = String((arg as Fields)['channel']);
      for (const { instId, ts, px, bidPx, askPx, bids, asks } of records(data)) {
        const symbol = instId ?? (arg as Fields)['instId'];
        if (channel.startsWith('trades')) addTrade(symbol, timeOf(ts), px, add);
        else if (channel === 'tickers') addQuote(symbol, timeOf(ts), bidPx, askPx, add);
        else if (channel === 'bbo-tbt') addQuote(symbol, timeOf(ts), list(list(bids)[0])[0], list(list(asks)[0])[0], add);
      }
    },
  },
  // Bitstamp
  {
    holds: ({ event, channel, data }) => isText(event) && isText(channel) && isFields(data),
    add: ({ event, channel, data }, add) => {
      const { microtimestamp, price } = data as Fields;
      if (event === 'trade' && isText(channel)) addTrade(channel.replace('live_trades_', ''), timeOf(microtimestamp), price, add);
    },
  },
  // Gate.io
  {
    holds: ({ channel, result }) => isText(channel) && channel.includes('.') && result !== undefined,
    add: ({ channel, result }, add) => {
      for (const { currency_pair, contract, create_time_ms, price } of records(result))
        if (String(channel).endsWith('.trades')) addTrade(currency_pair ?? contract, timeOf(numberOf(create_time_ms)), price, add);
    },
  },
  // OANDA: best price first
  {
    holds: ({ type, time }) => (type === 'PRICE' || type === 'HEARTBEAT') && isText(time),
    add: ({ type, instrument, time, bids, asks }, add) => {
      const [bid] = records(bids);
      const [ask] = records(asks);
      if (type === 'PRICE') addQuote(instrument, timeOf(time), bid?.['price'], ask?.['price'], add);
    },
  },
  // Finnhub
  {
    holds: ({ type, data }) => (type === 'trade' && Array.isArray(data)) || type === 'ping',
    add: ({ data }, add) => {
      for (const { s, t, p } of records(data)) addTrade(s, timeOf(t), p, add);
    },
  },
  // Kraken v2, Hyperliquid and Coinbase Advanced Trade
  {
    holds: ({ channel }) => isText(channel),
    add: (message, add) => {
      const { channel, data, events } = message;
      for (const entry of records(data)) addChannelEntry(String(channel), entry, add);
      for (const event of records(events)) addAdvanced(event, message, add);
    },
  },
  // Coinbase Exchange
  {
    holds: ({ type }) => type === 'ticker' || type === 'match' || type === 'last_match' || type === 'subscriptions' || type === 'heartbeat',
    add: ({ type, product_id, time, price, best_bid, best_ask }, add) => {
      if (type === 'ticker' && price === undefined) addQuote(product_id, timeOf(time), best_bid, best_ask, add);
      else if (type === 'ticker' || type === 'match' || type === 'last_match') addTrade(product_id, timeOf(time), price, add);
    },
  },
  // Kraken futures
  {
    holds: ({ feed, product_id }) => isText(feed) && isText(product_id),
    add: ({ feed, product_id, time, price, bid, ask }, add) => {
      if (feed === 'trade') addTrade(product_id, timeOf(time), price, add);
      else if (feed === 'ticker') addQuote(product_id, timeOf(time), bid, ask, add);
    },
  },
  // BitMEX
  {
    holds: ({ table, data }) => isText(table) && Array.isArray(data),
    add: ({ table, data }, add) => {
      for (const { symbol, timestamp, price, bidPrice, askPrice } of records(data)) {
        if (table === 'trade') addTrade(symbol, timeOf(timestamp), price, add);
        else if (table === 'quote') addQuote(symbol, timeOf(timestamp), bidPrice, askPrice, add);
      }
    },
  },
  // Deribit
  {
    holds: ({ method, params }) => method === 'subscription' && isFields(params),
    add: ({ params }, add) => {
      const { channel, data } = params as Fields;
      if (String(channel).startsWith('trades.'))
        for (const { instrument_name, timestamp, price } of records(data)) addTrade(instrument_name, timeOf(timestamp), price, add);
      else if (String(channel).startsWith('quote.') && isFields(data))
        addQuote(data['instrument_name'], timeOf(data['timestamp']), data['best_bid_price'], data['best_ask_price'], add);
    },
  },
  // What Bitfinex and Kraken v1 say about a connection
  {
    holds: ({ event }) =>
      event === 'info' || event === 'conf' || event === 'subscribed' || event === 'systemStatus' || event === 'subscriptionStatus',
    add: () => {},
  },
  // Answers to a subscription
  { holds: ({ method, result, id }) => method === 'subscribe' || (result === null && id !== undefined), add: () => {} },
];

/**
 * Whether a line begins a recording of raw messages of one of these exchanges or of Bitfinex and Kraken v1, or is an answer to a subscription to them.
 */
export function isExchangeMessage(value: unknown): value is Fields | readonly unknown[] {
  if (Array.isArray(value)) return isKrakenList(value) || isBitfinexTrade(value);
  return isFields(value) && EXCHANGES.some(({ holds }) => holds(value));
}

/** Kraken v1: [channel, [[price, volume, seconds, side, type, misc]], "trade", "XBT/USD"], and lists of bid, ask and seconds for "spread". */
const isKrakenList = (value: readonly unknown[]): boolean =>
  value.length === 4 && Array.isArray(value[1]) && (value[2] === 'trade' || value[2] === 'spread') && isText(value[3]);

/** Bitfinex: [channel, "te", [id, milliseconds, signed amount, price]], and once more with "tu". */
const isBitfinexTrade = (value: readonly unknown[]): boolean =>
  value.length === 3 && typeof value[0] === 'number' && (value[1] === 'te' || value[1] === 'tu') && list(value[2]).length === 4;

/** The ticks of a message: prices of trades and last prices of tickers, bid and ask of quotes. Messages without a price add none. */
export function addExchangeTicks(message: unknown, add: AddExchangeTick, channels: Channels = new Map()): void {
  if (Array.isArray(message)) {
    if (message[1] === 'te' && isBitfinexTrade(message)) {
      const [, timeMs, , price] = list(message[2]);
      addTrade(channels.get(message[0]) ?? `channel ${message[0]}`, timeOf(timeMs), price, add);
    }
    if (!isKrakenList(message)) return;
    const [, entries, channel, symbol] = message as [unknown, readonly unknown[], string, string];
    if (channel === 'spread') addQuote(symbol, secondsOf(entries[2]), entries[0], entries[1], add);
    else for (const entry of entries) addTrade(symbol, secondsOf(list(entry)[2]), list(entry)[0], add);
  } else if (isFields(message)) {
    if (isOffMarket(message) || (isFields(message['data']) && isOffMarket(message['data']))) return;
    const { event, channel, chanId, pair } = message;
    if (event === 'subscribed' && channel === 'trades' && isText(pair) && channels.size < MAX_CHANNELS) channels.set(chanId, pair);
    EXCHANGES.find(({ holds }) => holds(message))?.add(message, add);
  }
}

function addBinance({ e, s, p, b, a, T, E }: Fields, add: AddExchangeTick): void {
  if (e === 'trade' || e === 'aggTrade') addTrade(s, timeOf(T), p, add);
  else if (e === 'bookTicker' || (e === undefined && b !== undefined && a !== undefined)) addQuote(s, timeOf(T ?? E), b, a, add);
}

/** Kraken v2: a ticker has both sides of the book, and a time only since 2025. Hyperliquid: `coin` and `px`. */
function addChannelEntry(channel: string, entry: Fields, add: AddExchangeTick): void {
  const { symbol, coin, timestamp, time, bid, ask, price, px, bbo, levels } = entry;
  if (channel === 'ticker') addQuote(symbol, timeOf(timestamp), bid, ask, add);
  else if (channel === 'trade') addTrade(symbol, timeOf(timestamp), price, add);
  else if (channel === 'trades') addTrade(coin, timeOf(time), px, add);
  else if (channel === 'bbo') addQuote(coin, timeOf(time), first(bbo, 0), first(bbo, 1), add);
  else if (channel === 'l2Book') addQuote(coin, timeOf(time), first(list(levels)[0], 0), first(list(levels)[1], 0), add);
}

const first = (sides: unknown, at: number): unknown => (isFields(list(sides)[at]) ? (list(sides)[at] as Fields)['px'] : undefined);

/** Coinbase Advanced Trade: the time of a ticker is that of the message. */
function addAdvanced(event: Fields, { channel, timestamp }: Fields, add: AddExchangeTick): void {
  if (channel === 'ticker' || channel === 'ticker_batch')
    for (const { product_id, price } of records(event['tickers'])) addTrade(product_id, timeOf(timestamp), price, add);
  else if (channel === 'market_trades')
    for (const { product_id, price, time } of records(event['trades'])) addTrade(product_id, timeOf(time), price, add);
}

/** The objects of a list, or the one object that stands in its place; but for those that are no prices of the market. */
const records = (value: unknown): readonly Fields[] =>
  (isFields(value) ? [value] : list(value).filter(isFields)).filter((entry) => !isOffMarket(entry));

const hasId = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const OFF_MARKET_TYPES: readonly unknown[] = ['assignment', 'termination', 'block'];

/**
 * Whether an entry says that its price is none of the market: agreed in a block, taken over by the insurance fund or by deleveraging, settled, or of a
 * market that is closed or halted. Liquidations and retail orders trade with the book, so their prices are.
 */
function isOffMarket(entry: Fields): boolean {
  const { e, X, BT, isBlockTrade, is_internal, trdType, feed, type, suspended, tradeable, status } = entry;
  return (
    // Binance: MARKET, or INSURANCE_FUND, ADL, NA, of options BLOCK
    ((e === 'trade' || e === 'aggTrade') && isText(X) && X !== 'MARKET') ||
    // Bybit
    BT === true ||
    isBlockTrade === true ||
    // Gate.io
    is_internal === true ||
    // BitMEX
    (isText(trdType) && trdType !== 'Regular') ||
    // Deribit
    ['block_trade_id', 'block_rfq_id', 'combo_trade_id'].some((name) => hasId(entry[name])) ||
    // Kraken futures
    (feed === 'trade' && OFF_MARKET_TYPES.includes(type)) ||
    (feed === 'ticker' && suspended === true) ||
    // OANDA
    (type === 'PRICE' && (tradeable === false || status === 'non-tradeable' || status === 'invalid'))
  );
}

function addTrade(symbol: unknown, timeUs: number | undefined, value: unknown, add: AddExchangeTick): void {
  const price = numberOf(value);
  if (isText(symbol) && price > 0) add({ symbol, timeUs, price });
}

function addQuote(symbol: unknown, timeUs: number | undefined, bidText: unknown, askText: unknown, add: AddExchangeTick): void {
  const [bid, ask] = [numberOf(bidText), numberOf(askText)];
  if (isText(symbol) && bid > 0 && ask > 0) add({ symbol, timeUs, bid, ask });
}

/** NaN for anything but a number or a text of one. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN;

/** Milliseconds or microseconds, as numbers or in digits, or a stamp. */
function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{12,17}$/.test(value))) {
    const time = Number(value);
    return time >= LEAST_MICROSECONDS ? time : 1000 * time;
  }
  const us = typeof value === 'string' ? parseTimestampUs(value) : -1;
  return us < 0 ? undefined : us;
}

/** Seconds with a fraction. */
function secondsOf(value: unknown): number | undefined {
  const us = Math.round(numberOf(value) * 1e6);
  return us > 0 ? us : undefined;
}
