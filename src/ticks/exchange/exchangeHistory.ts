import { readText } from '../../../clients/typescript/src/readText.ts';
import { ExchangeLines } from './exchangeMessages.ts';
import type { FeedParts, Trade } from './FeedParts.ts';

/** Messages wait for earlier trades no longer. */
const HISTORY_MS = 5000;
/** A thousand trades take 0.2 MB. */
const MOST_BYTES = 8 * 1024 * 1024;

type Earlier = Trade & { readonly line: string };
type HistoryParts = Pick<FeedParts, 'exchange' | 'symbol' | 'historyUrl' | 'signal'>;

/** The last trades of the exchange, oldest first; why there are none; undefined: nothing is asked. */
async function lastTrades({ exchange, symbol, historyUrl, signal }: HistoryParts): Promise<readonly Earlier[] | string | undefined> {
  const { history, numbers } = exchange;
  if (historyUrl === undefined || history === undefined) return undefined;
  try {
    const response = await fetch(historyUrl, { signal: AbortSignal.any([signal, AbortSignal.timeout(HISTORY_MS)]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const trades: Earlier[] = [];
    for (const message of history.messages(JSON.parse(await readText(response, MOST_BYTES)), symbol)) {
      const line = JSON.stringify(message);
      const number = numbers?.(message).map(Number).find(Number.isSafeInteger);
      new ExchangeLines().read(line, ({ timeUs }) => timeUs !== undefined && trades.push({ line: `${line}\n`, number, timeUs }));
    }
    return trades;
  } catch (error) {
    if (signal.aborted) return undefined;
    // Of an exchange that does not answer pages of other origins, a browser says no more.
    const why = error instanceof TypeError ? 'no answer that may be read here' : (error as Error).message;
    return `No earlier trades from ${new URL(historyUrl).host}: ${why}.\n`;
  }
}

/** The lines of the trades before the first one of the stream, each once: by number without a hole, or else by stamp. Nothing where they cannot be had. */
export async function tradesBefore(first: Trade, parts: HistoryParts & Pick<FeedParts, 'say'>): Promise<string[]> {
  const trades = await lastTrades(parts);
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
 * The lines of the trades between two of the stream, between which some are missing; undefined: they cannot be had, because the last trades do not
 * reach back to the one or up to the other.
 */
export async function tradesBetween(last: Trade, first: Trade, parts: HistoryParts): Promise<string[] | undefined> {
  const trades = await lastTrades(parts);
  if (trades === undefined || typeof trades === 'string') return undefined;
  const place = ({ number, timeUs }: Trade): number => (first.number === undefined || last.number === undefined ? timeUs : (number ?? NaN));
  const places = trades.map(place);
  const isNumbered = first.number !== undefined && last.number !== undefined;
  // The trade of the stream itself, or the one before it by number.
  const [from, to] = [place(last) + (isNumbered ? 1 : 0), place(first) - (isNumbered ? 1 : 0)];
  if (!(Math.min(...places) <= from && Math.max(...places) >= to)) return undefined;
  return trades.filter((trade) => place(trade) > place(last) && place(trade) < place(first)).map(({ line }) => line);
}
