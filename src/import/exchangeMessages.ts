import { parseTimestampUs } from '../ticks/timestamps.ts';

/** Called with each tick of a message. `timeUs`: undefined for messages without a time, such as `bookTicker` of Binance spot. */
export type AddExchangeTick = (symbol: string, timeUs: number | undefined, price: number) => void;

type Fields = Readonly<Record<string, unknown>>;

/** Milliseconds since 1970 have 13 digits until the year 2286; Binance sends microseconds on request. */
const LEAST_MICROSECONDS = 1e14;

/**
 * Whether a line begins a recording of raw messages: Binance `trade`, `aggTrade` and `bookTicker`, alone or as a combined stream; Coinbase
 * `ticker` of both APIs; Kraken v2 `ticker` and `trade`; or an answer to a subscription to them.
 */
export function isExchangeMessage(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { e, stream, channel, type, method, result, id, b, a, u } = value as Fields;
  return (
    (typeof e === 'string' && value !== null && 's' in value) ||
    typeof stream === 'string' ||
    typeof channel === 'string' ||
    type === 'ticker' ||
    type === 'subscriptions' ||
    method === 'subscribe' ||
    (result === null && id !== undefined) ||
    (u !== undefined && b !== undefined && a !== undefined)
  );
}

/** The ticks of a message: last prices of trades and tickers, mid prices of quotes. Messages without a price add none. */
export function addExchangeTicks(message: Fields, add: AddExchangeTick): void {
  const { stream, data, channel, type, events } = message;
  if (typeof stream === 'string' && isFields(data)) addBinance(data, add);
  else if (typeof channel === 'string') {
    if (Array.isArray(data)) for (const entry of data) addKraken(channel, entry, add);
    if (Array.isArray(events)) for (const event of events) addAdvanced(event, message, add);
  } else if (type === 'ticker') addTick(message['product_id'], timeOf(message['time']), numberOf(message['price']), add);
  else addBinance(message, add);
}

function addBinance({ e, s, p, b, a, T, E }: Fields, add: AddExchangeTick): void {
  if (e === 'trade' || e === 'aggTrade') addTick(s, binanceTime(T), numberOf(p), add);
  else if (e === 'bookTicker' || (e === undefined && b !== undefined && a !== undefined)) {
    addTick(s, binanceTime(T ?? E), midOf(b, a), add);
  }
}

/** Kraken v2: a ticker has both sides of the book, and a time only since 2025. */
function addKraken(channel: string, entry: unknown, add: AddExchangeTick): void {
  if (!isFields(entry)) return;
  const { symbol, timestamp, bid, ask, price } = entry;
  if (channel === 'ticker') addTick(symbol, timeOf(timestamp), midOf(bid, ask), add);
  else if (channel === 'trade') addTick(symbol, timeOf(timestamp), numberOf(price), add);
}

/** Coinbase Advanced Trade: the time is that of the message. */
function addAdvanced(event: unknown, { channel, timestamp }: Fields, add: AddExchangeTick): void {
  if (!isFields(event) || (channel !== 'ticker' && channel !== 'ticker_batch') || !Array.isArray(event['tickers'])) return;
  for (const ticker of event['tickers'] as unknown[])
    if (isFields(ticker)) addTick(ticker['product_id'], timeOf(timestamp), numberOf(ticker['price']), add);
}

function addTick(symbol: unknown, timeUs: number | undefined, price: number, add: AddExchangeTick): void {
  if (typeof symbol === 'string' && symbol !== '' && price > 0) add(symbol, timeUs, price);
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** NaN for anything but a number or a text of one. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN;

const midOf = (bid: unknown, ask: unknown): number => (numberOf(bid) + numberOf(ask)) / 2;

function binanceTime(value: unknown): number | undefined {
  return typeof value === 'number' ? (value >= LEAST_MICROSECONDS ? value : 1000 * value) : undefined;
}

function timeOf(value: unknown): number | undefined {
  const us = typeof value === 'string' ? parseTimestampUs(value) : -1;
  return us < 0 ? undefined : us;
}
