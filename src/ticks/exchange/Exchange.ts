import { parseTimestampUs } from '../timestamps.ts';

/** A message, or an object within one. */
export type Fields = Readonly<Record<string, unknown>>;

/** A tick of a message: the price of a trade, or bid and ask. `timeUs`: undefined for messages without a time, such as `bookTicker` of Binance spot. */
export type ExchangeTick = { readonly symbol: string; readonly timeUs: number | undefined } & (
  | { readonly price: number }
  | { readonly bid: number; readonly ask: number }
);
export type AddExchangeTick = (tick: ExchangeTick) => void;

/** Messages of one form: how they are told from others, and what is in them. */
export type MessageForm = {
  readonly holds: (message: Fields) => boolean;
  /** Adds nothing of a message without a price of the market, such as an answer to a subscription or a block trade. */
  readonly add: (message: Fields, add: AddExchangeTick) => void;
};

/** Messages that are lists: those of older interfaces. */
export type ListForm = {
  readonly holds: (message: readonly unknown[]) => boolean;
  /** `markets`: by the number of their channel. */
  readonly add: (message: readonly unknown[], add: AddExchangeTick, markets: ReadonlyMap<unknown, string>) => void;
};

/** How a public stream of an exchange is opened and watched. */
export type ExchangeStream = {
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
  readonly numbers?: ((message: Fields) => readonly unknown[]) | undefined;
  /** Undefined: no one keeps what was before. */
  readonly history?: History | undefined;
  /** Undefined: it has none of this kind. */
  readonly bars?: BarHistory | undefined;
  /** What is read and recorded of a message; undefined: all of it. */
  readonly partOf?: (message: Fields) => Fields;
};

/** A row of the table: an exchange, how its messages are read, its trades, and its stream of best bid and ask, which sends both sides each time. */
export type Exchange = ExchangeStream & {
  readonly forms: readonly MessageForm[];
  readonly lists?: ListForm;
  /** The messages that are read from a recording or a pipe, for the page of live feeds. */
  readonly recorded: string;
  readonly quotes: Pick<ExchangeStream, 'subscribe' | 'partOf'> & Partial<Pick<ExchangeStream, 'address'>>;
  readonly history: History;
  readonly bars: BarHistory;
};

/** The last trades over REST, so that the first forecast does not wait for as many of the stream. */
type History = {
  /** Most trades of an answer. */
  readonly trades: number;
  readonly address: (symbol: string) => string;
  /** The trades of an answer as messages of the stream, oldest first. */
  readonly messages: (answer: unknown, symbol: string) => readonly Fields[];
  /** Path of a page of the trades after one, oldest first; undefined: the exchange has no such page, or none of this trade. */
  readonly after?: (trade: { readonly number: number | undefined; readonly timeUs: number }, symbol: string) => string | undefined;
  /** Path of a page of the trades before one of `messages`. Without either, the exchange has only its last trades. */
  readonly before?: (message: Fields, symbol: string) => string;
};

/** A bar of an exchange in which there were trades; the last one of an answer may not have ended. */
export type ExchangeBar = {
  readonly startUs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
};

/** Bars over REST. */
type BarHistory = {
  /** Their lengths in seconds, by the names that the exchange gives them. */
  readonly periods: Readonly<Record<string, number>>;
  /** Path of a page of bars, the last of which contains the time `untilMs`. */
  readonly path: (symbol: string, period: string, untilMs: number) => string;
  readonly read: (answer: unknown) => readonly ExchangeBar[];
};

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The objects of a list. */
export const rows = (value: unknown): readonly Fields[] => list(value).filter(isFields);
/** The objects of a list, or the one object that stands in its place. */
export const records = (value: unknown): readonly Fields[] => (isFields(value) ? [value] : rows(value));

/** The price of a level of a book that is a list: price, size. */
export const firstOf = (levels: unknown): unknown => list(list(levels)[0])[0];

/** A price that is none above 0 is left out. */
export function addTrade(symbol: unknown, timeUs: number | undefined, value: unknown, add: AddExchangeTick): void {
  const price = numberOf(value);
  if (isText(symbol) && price > 0) add({ symbol, timeUs, price });
}

export function addQuote(symbol: unknown, timeUs: number | undefined, bidText: unknown, askText: unknown, add: AddExchangeTick): void {
  const [bid, ask] = [numberOf(bidText), numberOf(askText)];
  if (isText(symbol) && bid > 0 && ask > 0) add({ symbol, timeUs, bid, ask });
}

/** NaN for anything but a number or a text of one. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? Number(value) : NaN;

/** Rows of numbers or texts: the beginning of a bar in units of `unitUs`, then by place its open, high, low, close and volume. Other rows are left out. */
export const barsOf = (answer: unknown, unitUs: number, places: readonly number[] = [1, 2, 3, 4, 5]): ExchangeBar[] =>
  list(answer).flatMap((row) => {
    const startUs = unitUs * numberOf(list(row)[0]);
    const [open, high, low, close, volume] = places.map((place) => numberOf(list(row)[place]));
    const isBar = startUs > 0 && low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close) && high < Infinity && volume > 0;
    return isBar ? [{ startUs, open, high, low, close }] : [];
  });

/** Milliseconds since 1970 have 13 digits until the year 2286; Binance sends microseconds on request. */
const LEAST_MICROSECONDS = 1e14;

/** Milliseconds or microseconds, as numbers or in digits, or a stamp. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{12,17}$/.test(value))) {
    const time = Number(value);
    return time >= LEAST_MICROSECONDS ? time : 1000 * time;
  }
  const us = typeof value === 'string' ? parseTimestampUs(value) : -1;
  return us < 0 ? undefined : us;
}

/** Seconds with a fraction. */
export function secondsOf(value: unknown): number | undefined {
  const us = Math.round(numberOf(value) * 1e6);
  return us > 0 ? us : undefined;
}
