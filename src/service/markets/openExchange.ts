import { WebSocket } from 'ws';
import type { Settings } from '../../core/config/settings.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { type Ccxt, ccxtFeed, loadCcxt } from '../../ticks/exchange/ccxtFeed.ts';
import { barsSince } from '../../ticks/exchange/exchangeBars.ts';
import { exchangeFeed } from '../../ticks/exchange/exchangeFeed.ts';
import { ExchangeLines, GAP_LINE } from '../../ticks/exchange/exchangeMessages.ts';
import { type ExchangeMarket, marketOf, pairOf } from '../../ticks/exchange/exchanges.ts';
import type { FeedSocket } from '../../ticks/exchange/FeedParts.ts';
import type { Market } from './Market.ts';
import type { OpenExchange, ReadBars } from './MarketFeed.ts';

const MOST_MESSAGE_BYTES = 1024 * 1024;
const HANDSHAKE_MS = 20_000;
/** Before the name of an exchange that ccxt connects to. */
const CCXT = 'ccxt:';

/** How a market of the table is reached. */
export type FindMarket = (feed: Pick<Market, 'exchange' | 'symbol' | 'kind'>) => ExchangeMarket;
export const marketOfTable: FindMarket = ({ exchange, symbol, kind }) => marketOf(exchange, pairOf(symbol)!, kind === 'quotes');

/** Why the settings do not let the service watch a market; undefined: they do. */
export function refusalOf(
  { isOn, hosts }: Pick<Settings['markets'], 'isOn' | 'hosts'>,
  find: FindMarket,
): (market: Market) => string | undefined {
  return (market) => {
    if (!isOn) return 'FEEDS is off.';
    if (hosts.length === 0) return undefined;
    const host = hostsOf(market, find).find((one) => !hosts.includes(one));
    return host === undefined ? undefined : `FEED_HOSTS does not name ${host}.`;
  };
}

function hostsOf(market: Market, find: FindMarket): readonly string[] {
  if (market.exchange.startsWith(CCXT)) return [market.exchange];
  const { url, historyUrl } = find(market);
  return [url, historyUrl].flatMap((one) => (one === undefined ? [] : [new URL(one).hostname]));
}

/** The bars of an exchange of the table. */
export const readBars =
  (find: FindMarket): ReadBars =>
  async (feed, { fromUs, periodUs }, parts) =>
    feed.exchange.startsWith(CCXT) ? undefined : barsSince(fromUs, periodUs, { ...find(feed), ...parts });

/** Connects to an exchange of the table, or to one of ccxt. */
export function openExchange(find: FindMarket, load: () => Promise<Ccxt> = loadCcxt): OpenExchange {
  const open = (url: string): FeedSocket => new WebSocket(url, { maxPayload: MOST_MESSAGE_BYTES, handshakeTimeout: HANDSHAKE_MS });
  return (feed, parts) => (feed.exchange.startsWith(CCXT) ? ccxtLines(feed, parts, load) : exchangeFeed({ ...find(feed), ...parts, open }));
}

/** ccxt does not know where an earlier feed ended: unless its trades reach back there, some are missing. */
async function* ccxtLines(
  { exchange, symbol }: Parameters<OpenExchange>[0],
  parts: Parameters<OpenExchange>[1],
  load: () => Promise<Ccxt>,
): AsyncGenerator<string> {
  let fromUs = parts.place.last?.timeUs;
  const ccxt = await load().catch((cause: unknown) => {
    throw new ServiceError('feed.failed', `${exchange} needs the package ccxt in the folder of the service: npm install ccxt.`, { cause });
  });
  for await (const lines of ccxtFeed({ ...parts, ccxt, name: exchange.slice(CCXT.length), symbol })) {
    let isKnown = fromUs === undefined;
    for (const line of lines.split('\n'))
      new ExchangeLines().read(line, ({ timeUs = 0 }) => {
        isKnown ||= timeUs <= fromUs!;
        parts.place.last = { timeUs, number: undefined };
      });
    yield isKnown ? lines : `${GAP_LINE}\n${lines}`;
    fromUs = undefined;
  }
}
