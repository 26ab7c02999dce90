import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { FormatId, ImportKind } from '../../src/ticks/import/ImportReport.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { at, bytes as utf8 } from './fileCase.ts';

/** A quote; a format of trades writes the bid as the price. Timestamps in microseconds, prices with at most 5 decimals. */
export type Quote = { readonly us: number; readonly bid: number; readonly ask: number };

/** One file format of ticks, and the expected findings of the importer. Bars are one minute long; the timestamp of a quote is the end of its bar. */
export type TickFormat = {
  readonly name: string;
  readonly format: FormatId;
  readonly kind: ImportKind;
  /** Resolution of the timestamps, microseconds. */
  readonly stepUs: number;
  write(quotes: readonly Quote[]): Uint8Array;
};

const HOUR_US = 3_600_000_000;
const MINUTE_US = 60_000_000;

const price = (value: number): string => value.toFixed(5);
const comma = (value: number): string => price(value).replace('.', ',');
const rows =
  (header: string, row: (quote: Quote, i: number) => string, end = '\n') =>
  (quotes: readonly Quote[]): Uint8Array =>
    utf8((header === '' ? '' : header + end) + quotes.map((quote, i) => row(quote, i) + end).join(''));

const iso = (us: number): string => at(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z');
const plain = rows('timestamp,bid,ask', ({ us, bid, ask }) => `${at(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}')},${price(bid)},${price(ask)}`);
const aggTrades = rows('', ({ us, bid }, i) => `${3_000_000_000 + i},${price(bid)},0.01000000,${i},${i},${us},true,true`);
/** Formats by their names. */
const of = (format: FormatId, kind: ImportKind, stepUs: number, writes: Readonly<Record<string, TickFormat['write']>>): TickFormat[] =>
  Object.entries(writes).map(([name, write]) => ({ name, format, kind, stepUs, write }));
const open = ({ us }: Quote): number => us - MINUTE_US;
const bar = ({ bid }: Quote): string => `${price(bid)},${price(bid + 0.001)},${price(bid - 0.001)},${price(bid)}`;

export const TICK_FORMATS: readonly TickFormat[] = [
  ...of('tickmark', 'quotes', 1000, {
    "tickmark's own": plain,
    gzip: (quotes) => new Uint8Array(gzipSync(plain(quotes))),
    'gzip in zip': (quotes) => zipSync({ 'ticks.csv.gz': new Uint8Array(gzipSync(plain(quotes))) }),
  }),
  ...of('dukascopy', 'quotes', 1000, {
    'Dukascopy ticks': rows(
      'Gmt time,Ask,Bid,AskVolume,BidVolume',
      ({ us, bid, ask }) => `${at(us, '{D}.{M}.{Y} {h}:{m}:{s}.{f}')},${price(ask)},${price(bid)},1.2,0.75`,
    ),
    'Dukascopy ticks, local time': rows(
      'Local time,Ask,Bid,AskVolume,BidVolume',
      ({ us, bid, ask }) => `${at(us + 2 * HOUR_US, '{D}.{M}.{Y} {h}:{m}:{s}.{f} GMT+0200')},${price(ask)},${price(bid)},1.2,0.75`,
    ),
  }),
  ...of('dukascopy', 'bars', MINUTE_US, {
    'Dukascopy bars': rows(
      'Gmt time,Open,High,Low,Close,Volume',
      (quote) => `${at(open(quote), '{D}.{M}.{Y} {h}:{m}:{s}.{f}')},${bar(quote)},12.5`,
    ),
  }),
  ...of('histdata', 'quotes', 1000, {
    'HistData ticks': rows('', ({ us, bid, ask }) => `${at(us - 5 * HOUR_US, '{Y}{M}{D} {h}{m}{s}{f}')},${price(bid)},${price(ask)},0`),
  }),
  ...of('histdata', 'bars', MINUTE_US, {
    'HistData bars': rows('', (quote) => `${at(open(quote) - 5 * HOUR_US, '{Y}{M}{D} {h}{m}{s}')};${bar(quote).replaceAll(',', ';')};0`),
  }),
  ...of('truefx', 'quotes', 1000, {
    TrueFX: rows('', ({ us, bid, ask }) => `EUR/USD,${at(us, '{Y}{M}{D} {h}:{m}:{s}.{f}')},${price(bid)},${price(ask)}`),
  }),
  ...of('binance-trades', 'trades', 1000, {
    'Binance trades, milliseconds': rows('', ({ us, bid }, i) => `${3_000_000_000 + i},${price(bid)},0.01,1.01,${us / 1000},true,true`),
    'Binance futures trades, with header': rows(
      'id,price,qty,quote_qty,time,is_buyer_maker',
      ({ us, bid }, i) => `${i},${price(bid)},0.01,1.01,${us / 1000},true`,
    ),
  }),
  ...of('binance-aggtrades', 'trades', 1, {
    'Binance aggTrades, microseconds': aggTrades,
    zip: (quotes) => zipSync({ 'readme.txt': utf8('hello'), 'BTCUSDT-aggTrades.csv': aggTrades(quotes) }),
  }),
  ...of('binance-aggtrades', 'trades', 1000, {
    'Binance futures aggTrades, with header': rows(
      'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker',
      ({ us, bid }, i) => `${i},${price(bid)},0.01,1,1,${us / 1000},true`,
    ),
  }),
  ...of('binance-bookticker', 'quotes', 1000, {
    'Binance bookTicker': rows(
      'update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time',
      ({ us, bid, ask }, i) => `${i},${price(bid)},5,${price(ask)},7,${us / 1000},${us / 1000 + 5}`,
    ),
  }),
  ...of('binance-klines', 'bars', MINUTE_US, {
    'Binance klines': rows('', (quote) => `${open(quote) / 1000},${bar(quote)},1.5,${quote.us / 1000 - 1},2,3,4,5,0`),
  }),
  ...of('metatrader', 'quotes', 1000, {
    'MetaTrader 5 ticks': rows(
      '<DATE>\t<TIME>\t<BID>\t<ASK>\t<LAST>\t<VOLUME>\t<FLAGS>',
      ({ us, bid, ask }) => `${at(us, '{Y}.{M}.{D}\t{h}:{m}:{s}.{f}')}\t${price(bid)}\t${price(ask)}\t\t\t6`,
      '\r\n',
    ),
  }),
  ...of('metatrader', 'bars', MINUTE_US, {
    'MetaTrader 5 bars': rows(
      '<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>',
      (quote) => `${at(open(quote), '{Y}.{M}.{D}\t{h}:{m}:{s}')}\t${bar(quote).replaceAll(',', '\t')}\t5\t0\t1`,
      '\r\n',
    ),
    'MetaTrader 4 bars': rows('', (quote) => `${at(open(quote), '{Y}.{M}.{D},{h}:{m}')},${bar(quote)},5`),
  }),
  ...of('delimited', 'quotes', 1000, {
    'semicolons and decimal commas with a byte order mark': rows(
      '\ufeffDate;Time;Bid;Ask',
      ({ us, bid, ask }) => `${at(us, '{D}.{M}.{Y};{h}:{m}:{s},{f}')};${comma(bid)};${comma(ask)}`,
      '\r\n',
    ),
    tabs: rows('DateTime\tBid Price\tAsk Price', ({ us, bid, ask }) => `${iso(us)}\t${price(bid)}\t${price(ask)}`),
    'blanks, no header': rows('', ({ us, bid, ask }) => `${at(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}')}  ${price(bid)}  ${price(ask)}`),
    'UTF-16': (quotes) =>
      new Uint8Array(
        Buffer.from(
          `\ufeff${new TextDecoder().decode(rows('time;bid;ask', ({ us, bid, ask }) => `${iso(us)};${price(bid)};${price(ask)}`)(quotes))}`,
          'utf16le',
        ),
      ),
  }),
  ...of('delimited', 'trades', 1000, {
    'quoted fields': rows('"Time","Last Price","Note"', ({ us, bid }) => `"${iso(us)}","${price(bid)}","a, b"`),
    '17 digits': rows('time,price', ({ us, bid }) => `${at(us, '{Y}{M}{D}{h}{m}{s}{f}')},${price(bid)}`),
    'month names': rows('time,price', ({ us, bid }) => `${at(us, '{D}-{b}-{Y} {h}:{m}:{s}.{f}')},${price(bid)}`),
    'month names, the year first, date and time in two columns': rows(
      '',
      ({ us, bid }) => `${at(us, '{Y}-{b}-{D},{h}:{m}:{s}.{f}')},${price(bid)}`,
    ),
    'months in full and quoted': rows('time,price', ({ us, bid }) => `"${at(us, '{B} {D}, {Y} {h}:{m}:{s}.{f}')}",${price(bid)}`),
  }),
  ...of('delimited', 'trades', 1, {
    'bars between pipes': rows('ts|px|size', ({ us, bid }) => `${at(us, '{Y}/{M}/{D} {h}:{m}:{s}.{u}')}|${price(bid)}|3`),
    'offsets from UTC': rows('time,price', ({ us, bid }) => `${at(us + HOUR_US, '{Y}-{M}-{D}T{h}:{m}:{s}.{u}+01:00')},${price(bid)}`),
    'epoch seconds with a fraction': rows(
      'time,price',
      ({ us, bid }) => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')},${price(bid)}`,
    ),
    'epoch nanoseconds': rows('ts,price', ({ us, bid }) => `${us}123,${price(bid)}`),
  }),
  ...of('delimited', 'trades', 1_000_000, {
    'epoch seconds': rows('time,price', ({ us, bid }) => `${us / 1e6},${price(bid)}`),
  }),
  ...of('json', 'quotes', 1000, {
    'JSON array': (quotes) =>
      utf8(JSON.stringify(quotes.map(({ us, bid, ask }) => ({ time: us / 1000, bid: +price(bid), ask: price(ask), note: 'a "b", [c]' })))),
  }),
  ...of('json', 'trades', 1, {
    'JSON array of arrays': (quotes) => utf8(JSON.stringify(quotes.map(({ us, bid }) => [us, price(bid)]))),
  }),
  ...of('json-lines', 'trades', 1, {
    'JSON lines': rows('', ({ us, bid }) => JSON.stringify({ ts: us, price: +price(bid) })),
  }),
  ...of('tickmark-request', 'trades', 1000, {
    'a request of tickmark': (quotes) =>
      utf8(
        JSON.stringify({
          Timestamp: [...quotes.map(({ us }) => formatTimestamp(us)), formatTimestamp(quotes.at(-1)!.us + MINUTE_US)],
          Price: [...quotes.map(({ bid }) => +price(bid)), 0],
        }),
      ),
  }),
  ...of('parquet', 'quotes', 1000, {
    Parquet: (quotes) =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: [
            { name: 'timestamp', data: quotes.map(({ us }) => new Date(us / 1000)), type: 'TIMESTAMP' },
            { name: 'bid', data: quotes.map(({ bid }) => +price(bid)), type: 'DOUBLE' },
            { name: 'ask', data: quotes.map(({ ask }) => +price(ask)), type: 'DOUBLE' },
            { name: 'flags', data: quotes.map(() => 6), type: 'INT32' },
          ],
        }),
      ),
  }),
];
