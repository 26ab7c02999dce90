import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { systemClock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { ccxtFeed, type CcxtParts, loadCcxt } from '../ticks/exchange/ccxtFeed.ts';
import { exchangeFeed } from '../ticks/exchange/exchangeFeed.ts';
import type { FeedParts, FeedSocket } from '../ticks/exchange/FeedParts.ts';
import { EXCHANGE_NAMES, marketOf, pairOf } from '../ticks/exchange/exchanges.ts';
import { textThat } from './parseOptions.ts';

const MOST_MESSAGE_BYTES = 1024 * 1024;
const HANDSHAKE_MS = 20_000;
/** Before the name of an exchange that ccxt connects to. */
const CCXT = 'ccxt:';

export type ExchangeFlags = {
  readonly file?: string | undefined;
  readonly exchange?: string;
  readonly symbol?: string;
  readonly feedUrl?: string;
  readonly historyUrl?: string;
  readonly quotes?: boolean;
  readonly record?: string;
};
export type Feed = { readonly name: string; readonly chunks: AsyncIterable<Uint8Array>; close(): Promise<void> };

/** The feed of `--exchange`; undefined: a file is read. */
export function openFeed(
  { file, exchange: name, symbol, feedUrl, historyUrl, quotes, record }: ExchangeFlags,
  say: (text: string) => void,
  signal: AbortSignal,
): Feed | undefined {
  if ((file === undefined) === (name === undefined))
    throw invalid(
      `live reads either FILE or --exchange (${EXCHANGE_NAMES.join(', ')}); ${file === undefined ? 'neither is' : 'both are'} given.`,
    );
  if (name === undefined) {
    if (feedUrl ?? historyUrl ?? quotes ?? record)
      throw invalid('--feed-url, --history-url, --quotes and --record belong to --exchange, and FILE is given.');
    return undefined;
  }
  if (symbol === undefined) throw invalid(`--exchange ${name} needs --symbol, such as --symbol BTC/USDT.`);
  // Makes the file, once nothing is wrong.
  const feedOf = (chunks: AsyncIterable<Uint8Array>): Feed => {
    const recorder = record === undefined ? undefined : openRecorder(record);
    return {
      name: `${name} ${symbol}`,
      chunks: recorder === undefined ? chunks : recorder.keep(chunks),
      close: async () => recorder?.close(),
    };
  };
  if (name.startsWith(CCXT)) {
    if (feedUrl ?? historyUrl ?? quotes)
      throw invalid(`--feed-url, --history-url and --quotes are of ${EXCHANGE_NAMES.join(', ')}, not of ccxt.`);
    return feedOf(ccxtBytes({ name: name.slice(CCXT.length), symbol, clock: systemClock, say, signal }));
  }
  const pair = pairOf(symbol);
  if (pair === undefined)
    throw invalid(`--symbol of --exchange is base and quote with a slash, such as BTC/USDT, not ${JSON.stringify(symbol)}.`);
  const market = marketOf(name, pair, quotes === true);
  // Trades of another server have other numbers.
  const earlier = historyUrl ?? (feedUrl === undefined ? market.historyUrl : undefined);
  // The shortest delays of several commands differ.
  const random = (): number => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
  return feedOf(bytesOf({ ...market, url: feedUrl ?? market.url, historyUrl: earlier, clock: systemClock, random, say, signal }));
}

async function* ccxtBytes(parts: Omit<CcxtParts, 'ccxt'>): AsyncGenerator<Uint8Array> {
  const ccxt = await loadCcxt();
  for await (const lines of ccxtFeed({ ...parts, ccxt })) yield Buffer.from(lines);
}

async function* bytesOf(parts: Omit<FeedParts, 'open'>): AsyncGenerator<Uint8Array> {
  const { WebSocket } = await import('ws');
  const open = (url: string): FeedSocket => new WebSocket(url, { maxPayload: MOST_MESSAGE_BYTES, handshakeTimeout: HANDSHAKE_MS });
  for await (const lines of exchangeFeed({ ...parts, open })) yield Buffer.from(lines);
}

const invalid = (detail: string): ServiceError => new ServiceError('command.invalid', detail);

function openRecorder(path: string): { keep(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>; close(): Promise<void> } {
  const gzip = createGzip();
  let fault: Error | undefined;
  const file = gzip.pipe(createWriteStream(path, { flags: 'wx' }));
  for (const stream of [gzip, file]) stream.on('error', (error: Error) => (fault = error));
  return {
    /** A message is written before it is read, and the disk holds up the feed. */
    async *keep(chunks) {
      for await (const chunk of chunks) {
        if (fault === undefined) await new Promise<void>((resolve) => gzip.write(chunk, () => resolve()));
        if (fault !== undefined) throw invalid(`--record ${path}: ${fault.message}`);
        yield chunk;
      }
    },
    async close() {
      gzip.end();
      if (fault === undefined) await finished(file);
    },
  };
}

export const parseExchange = textThat(
  (text) => EXCHANGE_NAMES.includes(text) || /^ccxt:[a-z0-9]+$/.test(text),
  `Write one of ${EXCHANGE_NAMES.join(', ')}, or ccxt:NAME for any exchange of ccxt.`,
);
export const parseRecord = textThat((text) => text.endsWith('.ndjson.gz'), 'Write a name that ends with .ndjson.gz.');
