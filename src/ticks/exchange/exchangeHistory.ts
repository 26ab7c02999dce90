import { readText } from '../../../clients/typescript/src/readText.ts';
import type { Fields } from './Exchange.ts';
import { ExchangeLines } from './exchangeMessages.ts';
import type { FeedParts, Trade } from './FeedParts.ts';

/** Messages wait for the answer to one request no longer. */
const HISTORY_MS = 5000;
/** A thousand trades take 0.2 MB. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Requests for one gap, and the wait between two of them: Kraken answers one a second. */
export const MOST_PAGES = 20;
const PAGE_WAIT_MS = 1000;

type Earlier = Trade & { readonly line: string; readonly message: Fields };
type HistoryParts = Pick<FeedParts, 'exchange' | 'symbol' | 'historyUrl' | 'signal'>;

/** The answer of an exchange over REST. Throws an error that says what is wrong. */
export async function askExchange(url: string | URL, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(HISTORY_MS)]) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return JSON.parse(await readText(response, MOST_BYTES));
}

/** Before the request for another page. */
export const waitForPage = ({ clock }: Pick<FeedParts, 'clock'>): Promise<void> =>
  new Promise((resolve) => void clock.after(PAGE_WAIT_MS, resolve, true));

/** Of an exchange that does not answer pages of other origins, a browser says no more. */
export const whyNone = (what: string, url: string, error: unknown): string =>
  `No ${what} from ${new URL(url).host}: ${error instanceof TypeError ? 'no answer that may be read here' : (error as Error).message}.\n`;

/** The last trades of the exchange, or those of a page, oldest first; why there are none; undefined: nothing is asked. */
async function tradesOf({ exchange, symbol, historyUrl, signal }: HistoryParts, page?: string): Promise<Earlier[] | string | undefined> {
  const { history, numbers } = exchange;
  if (historyUrl === undefined || history === undefined) return undefined;
  try {
    const answer = await askExchange(page === undefined ? historyUrl : new URL(page, historyUrl), signal);
    const trades: Earlier[] = [];
    for (const message of history.messages(answer, symbol)) {
      const line = JSON.stringify(message);
      const number = numbers?.(message).map(Number).find(Number.isSafeInteger);
      new ExchangeLines().read(line, ({ timeUs }) => timeUs !== undefined && trades.push({ line: `${line}\n`, number, timeUs, message }));
    }
    return trades;
  } catch (error) {
    return signal.aborted ? undefined : whyNone('earlier trades', historyUrl, error);
  }
}

/** The lines of the trades before the first one of the stream, each once: by number without a hole, or else by stamp. Nothing where they cannot be had. */
export async function tradesBefore(first: Trade, parts: HistoryParts & Pick<FeedParts, 'say'>): Promise<string[]> {
  const trades = await tradesOf(parts);
  if (trades === undefined) return [];
  if (typeof trades === 'string') {
    parts.say(trades);
    return [];
  }
  const lines: string[] = [];
  let next = first;
  for (const trade of trades.toReversed()) {
    const { number, timeUs, line } = trade;
    const afterNumber = number === undefined ? undefined : next.number;
    if (afterNumber === undefined ? !(timeUs < first.timeUs) : number! >= afterNumber) continue;
    if (timeUs > next.timeUs || (afterNumber !== undefined && number !== afterNumber - 1)) break;
    lines.unshift(line);
    next = trade;
  }
  parts.say(
    lines.length === 0 ? `No earlier trades: none stands before the first one of the stream.\n` : `${lines.length} earlier trades.\n`,
  );
  return lines;
}

/**
 * The lines of the trades between two of the stream, between which some are missing, page by page; undefined: they cannot be had, because those of
 * the exchange do not reach back to the one and up to the other.
 */
export async function tradesBetween(
  last: Trade,
  first: Trade,
  parts: HistoryParts & Pick<FeedParts, 'clock'>,
): Promise<string[] | undefined> {
  const { symbol, exchange } = parts;
  const { after, before } = exchange.history ?? {};
  const isNumbered = first.number !== undefined && last.number !== undefined;
  const place = ({ number, timeUs }: Trade): number => (isNumbered ? (number ?? NaN) : timeUs);
  // The trade of the stream itself, or the one before it by number.
  const [from, to] = [place(last) + (isNumbered ? 1 : 0), place(first) - (isNumbered ? 1 : 0)];
  const known = new Set<string>();
  let trades: Earlier[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = after?.(trades.at(-1) ?? last, symbol) ?? (trades[0] && before?.(trades[0].message, symbol));
    if (pages > 0) {
      if (page === undefined) return undefined;
      await waitForPage(parts);
    }
    const some = await tradesOf(parts, page);
    if (some === undefined || typeof some === 'string') return undefined;
    const fresh = some.filter(({ line }) => !known.has(line));
    if (fresh.length === 0) return undefined;
    for (const { line } of fresh) known.add(line);
    trades = after === undefined ? [...fresh, ...trades] : [...trades, ...fresh];
    const places = trades.map(place);
    // A page may hold more trades than a call takes arguments.
    const least = places.reduce((a, b) => Math.min(a, b), Infinity);
    const most = places.reduce((a, b) => Math.max(a, b), -Infinity);
    if (least <= from && most >= to)
      return trades.filter((trade) => place(trade) > place(last) && place(trade) < place(first)).map(({ line }) => line);
  }
  return undefined;
}
