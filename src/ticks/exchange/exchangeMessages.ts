import { midPrice } from '../midPrice.ts';
import { type AddExchangeTick, type ExchangeTick, type Fields, isFields, isText, timeOf } from './Exchange.ts';
import { EXCHANGES } from './exchanges.ts';
import { RECORDED_FORMS, RECORDED_LISTS } from './recordedForms.ts';

/** The price of a tick: of quotes the mid. */
export const priceOf = (tick: ExchangeTick): number => ('price' in tick ? tick.price : midPrice(tick.bid, tick.ask));

/** The first that holds reads a message. */
const FORMS = [...RECORDED_FORMS, ...Object.values(EXCHANGES).flatMap(({ forms }) => forms)];
const LISTS = [...RECORDED_LISTS, ...Object.values(EXCHANGES).flatMap(({ lists = [] }) => lists)];

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

/** Whether a line begins a recording of raw messages of an exchange, or is an answer to a subscription to them. */
export function isExchangeMessage(value: unknown): value is Fields | readonly unknown[] {
  return Array.isArray(value) ? LISTS.some(({ holds }) => holds(value)) : isFields(value) && FORMS.some(({ holds }) => holds(value));
}

/** The ticks of a message: prices of trades and last prices of tickers, bid and ask of quotes. Messages without a price add none. */
export function addExchangeTicks(message: unknown, add: AddExchangeTick, channels: Channels = new Map()): void {
  if (Array.isArray(message)) LISTS.find(({ holds }) => holds(message))?.add(message, add, channels);
  else if (isFields(message)) {
    const { event, channel, chanId, pair } = message;
    if (event === 'subscribed' && channel === 'trades' && isText(pair) && channels.size < MAX_CHANNELS) channels.set(chanId, pair);
    FORMS.find(({ holds }) => holds(message))?.add(message, add);
  }
}
