import { PRICE_LIMIT } from '../TickSeries.ts';
import { parseTimestampUs, timestampFault } from '../timestamps.ts';
import { fileChunks, STANDARD_INPUT } from './bytes/fileChunks.ts';
import { NODE_DECODERS } from './bytes/nodeDecoders.ts';
import { joinBytes, peekBytes, unpack } from './bytes/unpack.ts';
import { midPrice } from '../midPrice.ts';
import { ExchangeLines, GAP_LINE, isExchangeMessage, messageIn, priceOf } from '../exchange/exchangeMessages.ts';
import type { BarWindow } from '../BarWindow.ts';
import { FeedBatch, type FeedCounts, type FeedTicks } from './FeedBatch.ts';
import { fileFault } from './ImportReport.ts';
import { importTicks } from './importTicks.ts';
import { columnName, isSymbolName } from './plan/names.ts';
import type { TickFileOptions } from './streamTickFile.ts';

export type FeedOptions = {
  /** What the file itself does not state. */
  readonly file: TickFileOptions;
  /** Name of the series of ticks that name no symbol. */
  readonly series: string;
  /** The wall clock, for messages without a time on standard input. */
  readonly nowMs: () => number;
  /** What is left out of the feed, at once: a live one has no end. */
  readonly say?: (text: string) => void;
};

/** The first line is looked for in so many bytes. */
const HEAD_BYTES = 64 * 1024;
/** No message of a feed is longer. */
const MAX_LINE_CHARS = 1024 * 1024;
/** The header of tickmark's own CSV. */
const PLAIN_HEADER = /^timestamp,(?:price|bid,ask)$/i;

/**
 * Reads a recorded or live feed and passes on its ticks as they come; the next bytes are read when `use` is done.
 *
 * Raw messages of exchanges are read line by line, with one series for each symbol; on standard input, also CSV with the header
 * `timestamp,price` or `timestamp,bid,ask` and lines of JSON with these fields. Everything else is read by `importTicks`, in large blocks. Ticks
 * before the last one of their series, and those far ahead of it that no other one confirms, are left out and counted.
 *
 * @throws ServiceError file.unreadable, file.malformed
 */
export async function readTickFeed(
  source: string | { readonly name: string; readonly chunks: AsyncIterable<Uint8Array> },
  options: FeedOptions,
  use: (ticks: FeedTicks) => Promise<void>,
): Promise<FeedCounts> {
  const { name, chunks } = typeof source === 'string' ? await fileChunks(source) : source;
  const unpacked = await unpack(chunks, name, NODE_DECODERS.gunzip);
  let head = '';
  const { chunks: again } = await peekBytes(unpacked.chunks, HEAD_BYTES, (held) => {
    head = new TextDecoder().decode(joinBytes(held));
    return /\S.*\n/.test(head);
  });
  const line = head.trim().split(/\r?\n/, 1)[0];
  const isInput = source === STANDARD_INPUT;
  const batch = new FeedBatch(options.say);
  const readLine = lineReader(line, { ...options, name, isInput }, batch);
  if (readLine === undefined) {
    let quotes: readonly [bids: Float64Array, asks: Float64Array] | undefined;
    let ranges: BarWindow['ranges'];
    const sink = {
      addQuotes(_timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
        quotes = [bids, asks];
      },
      add(timesUs: Float64Array, prices: Float64Array): void {
        for (let i = 0; i < timesUs.length; i++) {
          const range = ranges && [ranges.open[i], ranges.high[i], ranges.low[i]];
          batch.add(options.series, timesUs[i], prices[i], quotes?.[0][i], quotes?.[1][i], range);
        }
      },
      addBars(_endsUs: Float64Array, _closes: Float64Array, found: BarWindow['ranges']): void {
        ranges = found;
      },
    };
    async function* waiting(): AsyncGenerator<Uint8Array> {
      for await (const chunk of again) {
        yield chunk;
        await batch.flush(use);
      }
    }
    await importTicks(waiting(), sink, { name, ...NODE_DECODERS, ...options.file, onBars: (bars) => (batch.bars = bars) });
  } else {
    const decoder = new TextDecoder();
    let rest = '';
    let number = 0;
    for await (const chunk of again) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      if (rest.length > MAX_LINE_CHARS) throw fileFault(name, `line ${number + 1 + lines.length}`, 'the line is longer than 1 MiB', REMEDY);
      for (const text of lines) readLine(text.trim(), ++number, false);
      await batch.flush(use);
    }
    readLine(rest.trim(), ++number, true);
  }
  batch.end();
  await batch.flush(use);
  return batch.counts;
}

const REMEDY = 'Each line must be one message of the exchange, as its WebSocket sends it.';

type LineOptions = FeedOptions & { readonly name: string; readonly isInput: boolean };
type ReadLine = (text: string, line: number, isLast: boolean) => void;

/** How the lines of this feed are read; undefined: it is no feed of lines. */
function lineReader(first: string, options: LineOptions, batch: FeedBatch): ReadLine | undefined {
  const message = messageIn(first);
  if (isExchangeMessage(message)) return exchangeReader(options, batch);
  if (!options.isInput || Object.keys(options.file).length > 0) return undefined;
  if (PLAIN_HEADER.test(first)) return csvReader(first, options, batch);
  return typeof (message as { timestamp?: unknown } | undefined)?.timestamp === 'string' ? jsonReader(options, batch) : undefined;
}

function exchangeReader({ name, isInput, nowMs }: LineOptions, batch: FeedBatch): ReadLine {
  const exchange = new ExchangeLines();
  return (text, line, isLast) => {
    if (text === '') return;
    if (text === GAP_LINE) {
      batch.gap();
      return;
    }
    let count = 0;
    const isMessage = exchange.read(text, (tick) => {
      const { symbol, timeUs } = tick;
      const price = priceOf(tick);
      count++;
      if (timeUs === undefined && !isInput) {
        const remedy = 'Record a stream with times, such as trade or aggTrade, or pipe the live stream into - .';
        throw fileFault(name, `line ${line}`, `the message of ${symbol} has no time`, remedy);
      }
      const quote = 'price' in tick ? [] : [tick.bid, tick.ask];
      if (price < PRICE_LIMIT) batch.add(symbol, timeUs ?? Math.round(1000 * nowMs()), price, ...quote);
    });
    // A recording may be cut off within its last line.
    if (!isMessage && !isLast) throw fileFault(name, `line ${line}`, `${JSON.stringify(text.slice(0, 60))} is not a JSON object`, REMEDY);
    if (isMessage && count === 0) batch.counts.withoutPrice++;
  };
}

function csvReader(header: string, options: LineOptions, batch: FeedBatch): ReadLine {
  const width = header.split(',').length;
  return (text, line) => {
    if (text === '' || line === 1) return;
    const [stamp = '', ...prices] = text.split(',');
    // 4790,25 below timestamp,price is no bid and ask.
    if (prices.length !== width - 1)
      throw fileFault(
        options.name,
        `line ${line}`,
        `${JSON.stringify(text.slice(0, 100))} has ${prices.length + 1} fields, and the header ${width}`,
        'Write decimals behind a point, and no other comma within a number.',
      );
    addText(batch, options, { line, stamp, text, prices: prices.map((price) => (price.trim() === '' ? NaN : Number(price))) });
  };
}

/** One market, and one kind of prices: nothing tells to which series another one would belong. */
function jsonReader(options: LineOptions, batch: FeedBatch): ReadLine {
  let known: string | undefined;
  return (text, line, isLast) => {
    if (text === '' || (isLast && messageIn(text) === undefined)) return;
    const fields = (messageIn(text) ?? {}) as Readonly<Record<string, unknown>>;
    const { timestamp, price, bid, ask } = fields;
    const market = Object.entries(fields)
      .flatMap(([key, value]) => (isSymbolName(columnName(key)) ? [String(value)] : []))
      .join(' ');
    const kind = `${price === undefined ? 'quotes' : 'trades'}${market === '' ? '' : ` of ${market}`}`;
    if ((known ??= kind) !== kind)
      throw fileFault(
        options.name,
        `line ${line}`,
        `it holds ${kind}, and the lines before ${known}`,
        'Pipe each market, and trades and quotes, on their own.',
      );
    const prices = (price === undefined ? [bid, ask] : [price]).map(Number);
    addText(batch, options, { line, stamp: String(timestamp), text, prices });
  };
}

type TextTick = {
  readonly line: number;
  readonly stamp: string;
  readonly text: string;
  /** One, or bid and ask. */
  readonly prices: readonly number[];
};

function addText(batch: FeedBatch, { name, series }: LineOptions, { line, stamp, text, prices: [first, ask] }: TextTick): void {
  const timeUs = parseTimestampUs(stamp);
  const price = ask === undefined ? first! : midPrice(first!, ask);
  const shown = JSON.stringify(text.slice(0, 100));
  if (timeUs < 0) throw fileFault(name, `line ${line}`, `${shown}: ${timestampFault(timeUs).rule}`, 'Write timestamps in UTC.');
  if (!(price > 0 && price < PRICE_LIMIT))
    throw fileFault(name, `line ${line}`, `${shown} has no price above 0 and below ${PRICE_LIMIT}`, 'Leave the line out.');
  batch.add(series, timeUs, price, ...(ask === undefined ? [] : [first!, ask]));
}
