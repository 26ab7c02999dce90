import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import type { LogicalType } from 'hyparquet/src/index.js';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { ImportOptions } from '../../src/ticks/import/ImportReport.ts';
import { formatTimestamp } from '../../src/ticks/timestamps.ts';

/** A tick of the series that every case holds, and the second market that some mix in. */
export type CaseTick = { readonly us: number; readonly price: number; readonly bid: number; readonly ask: number; readonly size: number };

export type FileCase = {
  /** The layout or the mishap, in words. */
  readonly name: string;
  readonly write: (ticks: readonly CaseTick[]) => string | Uint8Array;
  /** The ticks of a right reading. Default: the prices of all. */
  readonly ticks?: (ticks: readonly CaseTick[]) => readonly { readonly us: number; readonly price: number }[];
  /** Words of the refusal; undefined: it is read without a question. */
  readonly refused?: string;
  /** What the refusal says to add, with which the file is read right. */
  readonly then?: Partial<ImportOptions>;
  /** A finding that must be among those of the reading. */
  readonly finding?: string;
  /** Words that must stand in the plan by which it is read. */
  readonly plan?: string;
};

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const START_US = Date.UTC(2024, 0, 19, 14, 30) * 1000;

/** A quiet market with a tick every 0.3 to 1.5 s; prices in quarters, sizes without order. */
export function caseTicks(count = 240, startUs = START_US): CaseTick[] {
  let us = startUs;
  let level = 0;
  let state = 7;
  const draw = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  return Array.from({ length: count }, () => {
    us += (300 + draw(1200)) * 1000;
    level += draw(5) - 2;
    const price = 4790.25 + level * 0.25;
    return { us, price, bid: price - 0.25, ask: price + 0.25, size: 1 + draw(60) };
  });
}

type Row = (tick: CaseTick, i: number) => string;
export const table =
  (header: string, row: Row, end = '\n') =>
  (ticks: readonly CaseTick[]): string =>
    [...(header === '' ? [] : [header]), ...ticks.map(row), ''].join(end);

/** {Y} {M} {D} {h} {m} {s}, {f} milliseconds, {u} microseconds, {H} the hour without a leading zero. */
export function at(us: number, form: string): string {
  const full = formatTimestamp(us, 6);
  const parts: Record<string, string> = {
    ...{
      Y: full.slice(0, 4),
      M: full.slice(5, 7),
      D: full.slice(8, 10),
      h: full.slice(11, 13),
      m: full.slice(14, 16),
      s: full.slice(17, 19),
    },
    ...{ f: full.slice(20, 23), u: full.slice(20, 26), H: String(Number(full.slice(11, 13))) },
  };
  return form.replace(/\{(\w)\}/g, (_, part: string) => parts[part]);
}
export const plain = (us: number): string => at(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}');
export const iso = (us: number): string => at(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z');
const ms = (us: number): number => us / 1000;
const comma = (value: number): string => value.toFixed(2).replace('.', ',');
const grouped = (value: number): string => value.toFixed(2).replace(/^(\d)(\d{3})/, '$1,$2');
const big = (us: number, factor: bigint, offset: bigint): string => String(BigInt(us) * factor + offset);
const whole = (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
  ticks.map(({ us, price }) => ({ us: Math.floor(us / 1e6) * 1e6, price }));
export const shifted =
  (hours: number) =>
  (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
    ticks.map(({ us, price }) => ({ us: us + hours * HOUR_US, price }));
export const every = (part: number, of: number) => (ticks: readonly CaseTick[]) => ticks.filter((_, i) => i % of === part);
export const without = (part: number, of: number) => (ticks: readonly CaseTick[]) => ticks.filter((_, i) => i % of !== part);
/** Lines of text below a header. */
export const file = (name: string, header: string, row: Row, more: Partial<FileCase> = {}): FileCase => ({
  ...{ name, write: table(header, row) },
  ...more,
});
export const one = (name: string, stamp: (us: number) => string, more: Partial<FileCase> = {}): FileCase => ({
  name,
  write: table('time,price', ({ us, price }) => `${stamp(us)},${price}`),
  ...more,
});
export const lines = (name: string, message: (tick: CaseTick, i: number) => unknown, more: Partial<FileCase> = {}): FileCase => ({
  name,
  write: table('', (tick, i) => JSON.stringify(message(tick, i))),
  ...more,
});
const json = (name: string, value: (ticks: readonly CaseTick[]) => unknown, more: Partial<FileCase> = {}): FileCase => ({
  name,
  write: (ticks) => JSON.stringify(value(ticks)),
  ...more,
});
const OTHER = { name: 'NQH4', factor: 3.5 };
const other = (price: number): number => Math.round(price * OTHER.factor * 4) / 4;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const own = table('timestamp,price', ({ us, price }) => `${plain(us)},${price}`);
const barTicks = (ticks: readonly CaseTick[]): CaseTick[] => ticks.map((tick, i) => ({ ...tick, us: START_US + i * 60_000_000 }));
const atEnd = (ticks: readonly CaseTick[]): { us: number; price: number }[] =>
  barTicks(ticks).map(({ us, price }) => ({ us: us + 60_000_000, price }));
/** A tick at each second. */
export const secondTicks = (): CaseTick[] => secondBars(caseTicks());
const secondBars = (ticks: readonly CaseTick[]): CaseTick[] => ticks.map((tick, i) => ({ ...tick, us: START_US + i * 1_000_000 }));
const bar = ({ price }: CaseTick): string => `${price - 0.5},${price + 1},${price - 1},${price}`;
const bars = (header: string, row: Row) => (ticks: readonly CaseTick[]) => table(header, row)(barTicks(ticks));

const RAW_BID: ParquetColumn = { name: 'bid_price', data: ({ bid }) => rawBytes(bid), type: 'FIXED_LEN_BYTE_ARRAY' };
const RAW_ASK: ParquetColumn = { name: 'ask_price', data: ({ ask }) => rawBytes(ask), type: 'FIXED_LEN_BYTE_ARRAY' };
const RAW_TIME: ParquetColumn = { name: 'ts_event', data: ({ us }) => BigInt(us) * 1000n, type: 'INT64' };

/** Layouts of sources, exchanges and recorders, and mishaps that people report: each is read right, or refused with a way to a right reading. */
export const FILE_CASES: readonly FileCase[] = [
  // Sources
  {
    name: 'arrays of Bitfinex: id, milliseconds, signed amount, price',
    write: (ticks) =>
      JSON.stringify([...ticks].reverse().map(({ us, price, size }, i) => [9000 - i, ms(us), i % 2 ? size / 7 : -size / 7, price])),
    finding: 'order.newest_first',
  },
  file(
    'rows of Bitfinex as CSV without a header',
    '',
    ({ us, price, size }, i) => `${1_475_000_000 + i},${ms(us)},${i % 2 ? -size / 7 : size / 7},${price}`,
  ),
  json('the REST answer of Kraken', (ticks) => ({
    error: [],
    result: {
      XXBTZUSD: ticks.map(({ us, price, size }, i) => [
        price.toFixed(5),
        String(size / 7),
        us / 1e6,
        i % 2 ? 'b' : 's',
        'm',
        '',
        61_044_952 + i,
      ]),
      last: '1',
    },
  })),
  json('arrays of freqtrade', (ticks) =>
    ticks.map(({ us, price, size }, i) => [
      ms(us),
      String(13_519_807 + i),
      null,
      i % 2 ? 'buy' : 'sell',
      price,
      size / 7,
      (price * size) / 7,
    ]),
  ),
  file(
    'copy_ticks of MetaTrader 5: whole seconds, and milliseconds in time_msc',
    'time,bid,ask,last,volume,time_msc,flags,volume_real',
    ({ us, bid, ask }) => `${Math.floor(us / 1e6)},${bid},${ask},0.0,0,${ms(us)},130,0.0`,
  ),
  file(
    'MetaTrader 5 between commas, a side that did not change left empty',
    '<DATE>,<TIME>,<BID>,<ASK>,<LAST>,<VOLUME>,<FLAGS>',
    ({ us, bid, ask }, i) => `${at(us, '{Y}.{M}.{D},{h}:{m}:{s}.{f}')},${i % 3 === 1 ? '' : bid},${i % 3 === 2 ? '' : ask},,,6`,
    {
      ticks: (ticks) =>
        ticks.map(({ us }, i) => ({ us, price: (ticks[i % 3 === 1 ? i - 1 : i].bid + ticks[i % 3 === 2 ? i - 1 : i].ask) / 2 })),
    },
  ),
  file(
    'LSEG Tick History: the header begins with #, GMT Offset',
    '#RIC,Domain,Date-Time,GMT Offset,Type,Price,Volume',
    ({ us, price, size }) => `GCc1,Market Price,${at(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{u}000Z')},+1,Trade,${price},${size}`,
  ),
  file(
    'JForex: the zone stands in the header',
    'Time (EET),Ask,Bid,AskVolume,BidVolume',
    ({ us, bid, ask }) => `${at(us + 2 * HOUR_US, '{Y}.{M}.{D} {h}:{m}:{s}.{f}')},${ask},${bid},1.5,0.75`,
  ),
  file(
    'NinjaTrader 8: seven digits of a fraction behind a blank',
    '',
    ({ us, price, bid, ask, size }) => `${at(us, '{Y}{M}{D} {h}{m}{s} {u}0')};${price};${bid};${ask};${size}`,
  ),
  file('NinjaTrader, seconds', '', ({ us, price, size }) => `${at(us, '{Y}{M}{D} {h}{m}{s}')};${price};${size}`, { ticks: whole }),
  {
    name: 'CTP: trading day, time and milliseconds in three columns, evenings on the day before',
    write: (ticks) =>
      table(
        'TradingDay,InstrumentID,UpdateTime,UpdateMillisec,LastPrice,Volume,BidPrice1,AskPrice1,AveragePrice',
        ({ us, price, bid, ask }, i) =>
          `20240119,ag2406,${at(us, '{h}:{m}:{s}')},${(us / 1000) % 1000},${price},${1000 + i},${bid},${ask},${price}`,
      )(session(ticks)),
    ticks: session,
  },
  {
    name: 'levels of a book, as Tardis records them',
    write: table(
      'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount',
      ({ us, bid, ask, size }, i) => `binance,BTCUSDT,${us},${us + 4000},false,${i % 2 ? `bid,${bid}` : `ask,${ask}`},${size}`,
    ),
    refused: 'the levels of an order book',
  },
  file(
    'orders, cancels and trades of Databento',
    'ts_recv,ts_event,action,side,price,size,order_id,symbol',
    ({ us, price, bid, size }, i) => `${iso(us)},${iso(us)},${'ATCM'[i % 4]},B,${i % 4 === 1 ? price : bid - 10},${size},64778424${i},ESH4`,
    { refused: '--event T', then: { event: 'T' }, ticks: every(1, 4) },
  ),
  file(
    'two contracts in one table',
    'ts_recv,ts_event,action,side,price,size,symbol',
    ({ us, price, size }, i) => `${iso(us)},${iso(us)},T,B,${i % 2 ? other(price) : price},${size},${i % 2 ? OTHER.name : 'ESH4'}`,
    { refused: '--symbol ESH4', then: { symbol: 'ESH4' }, ticks: every(0, 2) },
  ),
  file(
    'whole billionths, as Databento writes them',
    'ts_recv,ts_event,rtype,action,side,price,size',
    ({ us, price, size }) => `${us + 1}900,${us}000,0,T,B,${price * 1e9},${size}`,
  ),
  one('stamps of BitMEX and kdb', (us) => at(us, '{Y}-{M}-{D}D{h}:{m}:{s}.{u}000')),
  one('stamps of kdb with points', (us) => at(us, '{Y}.{M}.{D}D{h}:{m}:{s}.{u}000')),
  {
    name: 'bars with an address above the header, newest first',
    write: (ticks) =>
      `https://www.example.com\n${table('unix,date,symbol,open,high,low,close,Volume BTC', (tick) => `${tick.us / 1e6},${at(tick.us, '{Y}-{M}-{D} {h}:{m}:{s}')},BTC/USD,${bar(tick)},1.5`)([...barTicks(ticks)].reverse())}`,
    ticks: atEnd,
  },
  lines('trades of Binance with order ids before the price', ({ us, price }, i) => ({
    e: 'trade',
    E: ms(us) + 2,
    s: 'BTCUSDT',
    t: 3_396_000_000 + i,
    p: String(price),
    q: '0.2',
    b: 24_500_000_000 + i,
    a: 24_500_000_003 + i,
    T: ms(us),
    m: false,
  })),
  lines('trades of Binance with the keys in another order', ({ us, price }, i) => ({
    a: 24_500_000_003 + i,
    b: 24_500_000_000 + i,
    T: ms(us),
    t: 3_396_000_000 + i,
    q: '0.2',
    p: String(price),
    s: 'BTCUSDT',
    E: ms(us) + 2,
    e: 'trade',
  })),
  lines('bookTicker of Binance: b and B, a and A', ({ us, bid, ask }, i) => ({
    e: 'bookTicker',
    u: i,
    s: 'X',
    B: '900',
    b: String(bid),
    A: '800',
    a: String(ask),
    T: ms(us),
    E: ms(us) + 3,
  })),
  lines('keys that differ by case alone', ({ us, price }, i) => ({ t: 3_396_000_000 + i, T: ms(us), p: price, q: 1 })),
  file(
    'quotes of Interactive Brokers: priceBid, priceAsk',
    ',time,tickAttribBidAsk,priceBid,priceAsk,sizeBid,sizeAsk',
    ({ us, bid, ask, size }, i) => `${i},${iso(us)},"TickAttribBidAsk(bidPastLow=False, askPastHigh=False)",${bid},${ask},${size},7`,
  ),
  file(
    'Sierra Chart: a blank after each comma, ticks written as bars',
    'Date, Time, Open, High, Low, Last, Volume, NumberOfTrades',
    ({ us, price, bid, ask, size }) => `${at(us, '{Y}/1/19, {h}:{m}:{s}.{u}')}, 0.00, ${ask}, ${bid}, ${price}, ${size}, 1`,
  ),
  file(
    'Sierra Chart: ticks written as bars of one price',
    'Date, Time, Open, High, Low, Last, Volume',
    ({ us, price, size }) => `${at(us, '{Y}/{M}/{D}, {h}:{m}:{s}.{f}')}, ${price}, ${price}, ${price}, ${price}, ${size}`,
    { refused: '--columns date=Date,time=Time,price=Last', then: { columns: { date: 'Date', time: 'Time', price: 'Last' } } },
  ),
  file(
    'trades of B3: times as 143001053, decimal commas',
    'DataReferencia;CodigoInstrumento;AcaoAtualizacao;PrecoNegocio;QuantidadeNegociada;HoraFechamento;DataNegocio',
    ({ us, price, size }) => `${at(us, '{Y}-{M}-{D}')};WING24;0;${comma(price)};${size};${at(us, '{h}{m}{s}{f}')};${at(us, '{Y}-{M}-{D}')}`,
  ),
  file(
    'Kibot: price, bid and ask without a header',
    '',
    ({ us, price, bid, ask, size }) => `${at(us, '{M}/{D}/{Y},{h}:{m}:{s}')},${price},${bid},${ask},${size * 100}`,
    { refused: '--columns date=1,time=2,bid=4,ask=5', then: { columns: { date: '1', time: '2', price: '3' } }, ticks: whole },
  ),
  json(
    'a list for each symbol, as Alpaca gives it',
    (ticks) => ({
      trades: {
        AAPL: ticks.map(({ us, price, size }) => ({ t: iso(us), x: 'C', p: price, s: size })),
        MSFT: ticks.map(({ us, price, size }) => ({ t: iso(us + DAY_US), x: 'C', p: price * 2, s: size })),
      },
      next_page_token: null,
    }),
    { refused: '--symbol AAPL', then: { symbol: 'AAPL' } },
  ),
  json('a list of one symbol, as Alpaca gives it', (ticks) => ({
    trades: { AAPL: ticks.map(({ us, price, size }) => ({ t: iso(us), x: 'C', p: price, s: size })) },
    next_page_token: null,
  })),
  json('trades in result.trades, as Deribit gives them', (ticks) => ({
    jsonrpc: '2.0',
    result: {
      trades: ticks.map(({ us, price }, i) => ({ trade_seq: i, timestamp: ms(us), price, mark_price: price + 0.1, instrument_name: 'X' })),
      has_more: false,
    },
  })),
  file(
    'a date and a time with names of their own',
    'TradeDate,Symbol,TradeTime,Price,Size',
    ({ us, price, size }) => `${at(us, '{Y}-{M}-{D}')},ESH4,${at(us, '{h}:{m}:{s}.{f}')},${price},${size}`,
  ),
  file(
    'milliseconds in a column of their own',
    'Date,Time,Millisecond,Price,Volume',
    ({ us, price, size }) => `${at(us, '{Y}-{M}-{D},{h}:{m}:{s}')},${(us / 1000) % 1000},${price},${size}`,
  ),
  file(
    'CSV with Chinese titles',
    '成交时间,成交价格,价格变动,成交量(手),性质',
    ({ us, price, size }) => `${plain(us)},${price},0.25,${size},买盘`,
  ),
  {
    name: 'titles in GBK',
    write: (ticks) => {
      const text = bytes(table('', ({ us, price, size }) => `${plain(us)},${price},${size}`)(ticks));
      return new Uint8Array([0xca, 0xb1, 0xbc, 0xe4, 44, 0xbc, 0xdb, 0xb8, 0xf1, 44, 0xc1, 0xbf, 10, ...text]);
    },
  },
  file(
    'several stocks under the title id',
    '"timestamp","id","exchange","price"',
    ({ us, price }, i) => `"${iso(us)}","${['TSLA', 'AMD', 'NVDA'][i % 3]}","NMS",${[price, price / 2, price * 2][i % 3]}`,
    { refused: '--symbol id=TSLA', then: { symbol: 'id=TSLA' }, ticks: every(0, 3) },
  ),
  {
    name: 'messages of Bybit',
    write: (ticks) =>
      table('', ({ us, price }) =>
        JSON.stringify({
          topic: 'publicTrade.BTCUSDT',
          type: 'snapshot',
          ts: ms(us) + 2,
          data: [{ T: ms(us), s: 'BTCUSDT', S: 'Buy', v: '0.1', p: String(price) }],
        }),
      )(ticks),
  },
  lines('messages of OKX', ({ us, price }) => ({
    arg: { channel: 'trades', instId: 'BTC-USDT' },
    data: [{ instId: 'BTC-USDT', px: String(price), sz: '0.1', ts: String(ms(us)) }],
  })),
  lines('messages of Hyperliquid', ({ us, price }, i) => ({
    channel: 'trades',
    data: [{ coin: 'BTC', side: 'A', px: String(price), time: ms(us), tid: i }],
  })),
  lines('books of Hyperliquid', ({ us, bid, ask }) => ({
    channel: 'l2Book',
    data: { coin: 'BTC', time: ms(us), levels: [[{ px: String(bid), sz: '1' }], [{ px: String(ask), sz: '1' }]] },
  })),
  lines('messages without a price', ({ us }) => ({ e: 'depthUpdate', E: ms(us), s: 'X', U: 1, u: 2 }), {
    refused: 'is a trade or a best bid and ask',
  }),
  lines('messages of Kraken, version 1', ({ us, price }) => [
    337,
    [[String(price), '0.1', (us / 1e6).toFixed(6), 's', 'l', '']],
    'trade',
    'XBT/USD',
  ]),
  {
    name: 'messages of Coinbase behind an answer to the subscription',
    write: (ticks) =>
      `{"type":"subscriptions","channels":[]}\n${table('', ({ us, price }, i) => JSON.stringify({ type: 'match', trade_id: i, side: 'sell', size: '0.01', price: String(price), product_id: 'BTC-USD', time: iso(us) }))(ticks)}`,
  },
  file(
    'lines of a recorder: nanoseconds, then the message',
    '',
    ({ us, price }) => `${us + 900}000 ${JSON.stringify({ stream: 'x@trade', data: { e: 'trade', s: 'X', p: String(price), T: ms(us) } })}`,
  ),
  file(
    'lines of a recorder around messages without a time',
    '',
    ({ us, bid, ask }, i) =>
      `${us}000 ${JSON.stringify({ stream: 'x@bookTicker', data: { u: i, s: 'X', b: String(bid), B: '1', a: String(ask), A: '2' } })}`,
  ),
  lines('messages of two symbols', ({ us, price }, i) => ({ e: 'trade', s: i % 2 ? 'ETHUSDT' : 'BTCUSDT', p: String(price), T: ms(us) }), {
    refused: '--symbol BTCUSDT',
    then: { symbol: 'BTCUSDT' },
    ticks: every(0, 2),
  }),
  {
    name: 'newest first with rows that are late by a second',
    write: (ticks) =>
      table('id,exec_date,side,price', ({ us, price }, i) => `${9000 - i},${iso(us)},BUY,${price}`)(swapped([...ticks].reverse())),
    refused: 'doctor FILE --fix',
    then: { order: 'sort' },
  },
  file(
    'price, time and volume with row names of R',
    '"time" "price" "volume"',
    ({ us, price, size }, i) => `"${i + 1}" "${iso(us)}" ${price} ${size}`,
  ),
  file('row names of R between commas', '"price","time","volume"', ({ us, price, size }, i) => `"${i + 1}",${price},${ms(us)},${size}`),
  {
    name: 'a table of psql',
    write: (ticks) =>
      `           ts            |  price   \n-------------------------+----------\n${table('', ({ us, price }) => ` ${plain(us)} | ${price}`)(ticks)}(${ticks.length} rows)\n\n`,
  },
  // Stamps
  one('.NET ticks', (us) => big(us, 10n, 621_355_968_000_000_000n)),
  one('Windows file times', (us) => big(us, 10n, 116_444_736_000_000_000n)),
  one('nanoseconds since 2000', (us) => big(us - 946_684_800_000_000, 1000n, 0n)),
  one('day numbers of a spreadsheet', (us) => (us / DAY_US + 25_569).toFixed(9)),
  one('seconds since 1601, which is no epoch in use here', (us) => String(Math.floor(us / 1e6) + 11_644_473_600), {
    refused: 'no time between 2000 and next year',
  }),
  one('a zone as UTC', (us) => `${plain(us)} UTC`),
  one('a zone as +0000 UTC', (us) => `${plain(us)} +0000 UTC`),
  one('a zone as Z[UTC]', (us) => `${at(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}')}Z[UTC]`),
  one('a zone as -05:00[America/New_York]', (us) => `${at(us - 5 * HOUR_US, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}')}-05:00[America/New_York]`),
  one('a zone as EST', (us) => `${plain(us - 5 * HOUR_US)} EST`),
  one('a zone as US/Eastern', (us) => `${plain(us - 5 * HOUR_US)} US/Eastern`),
  file('a place in the title', 'time (America/New_York),price', ({ us, price }) => `${plain(us)},${price}`, { ticks: shifted(5) }),
  one('CST, which is Chicago or China', (us) => `${plain(us)} CST`, { refused: 'no column has date and time' }),
  one('20240119-14:30:01.053, as FIX writes it', (us) => at(us, '{Y}{M}{D}-{h}:{m}:{s}.{f}')),
  one('Fri Jan 19 14:30:01 2024', (us) => at(us, 'Fri Jan {D} {h}:{m}:{s} {Y}'), { ticks: whole }),
  file('02:30:01 p. m.', 'time;price', ({ us, price }) => `${at(us, '{D}/{M}/{Y} 02:{m}:{s}')} p. m.;${comma(price)}`, { ticks: whole }),
  file('seconds of the day', 'date,time,price', ({ us, price }) => `${at(us, '{Y}{M}{D}')},${((us % DAY_US) / 1e6).toFixed(3)},${price}`),
  { name: '143001053 as a time', write: table('date,time,price', ({ us, price }) => `${at(us, '{Y}{M}{D},{h}{m}{s}{f}')},${price}`) },
  file('93001053 as a time', 'date,time,price', ({ us, price }) => `${at(us - 5 * HOUR_US, '{Y}{M}{D},{H}{m}{s}{f}')},${price}`, {
    ticks: shifted(-5),
  }),
  file('a time in digits without a title', '', ({ us, price, size }) => `${at(us, '{Y}{M}{D},{h}{m}{s}.{f}')},${price},${size}`),
  {
    name: '24:00:00 at the end of a day',
    write: (ticks) =>
      table(
        'timestamp,price',
        ({ us, price }) => `${us % DAY_US === 0 ? at(us - DAY_US, '{Y}-{M}-{D} 24:00:00.000') : plain(us)},${price}`,
      )(aroundMidnight(ticks)),
    ticks: aroundMidnight,
  },
  {
    name: 'a leap second',
    write: (ticks) =>
      table(
        'timestamp,price',
        ({ us, price }) => `${us % DAY_US === 0 ? at(us - DAY_US, '{Y}-{M}-{D} 23:59:60.250') : plain(us)},${price}`,
      )(aroundMidnight(ticks)),
    ticks: aroundMidnight,
  },
  file('dates without a time', 'date,price', ({ us, price }) => `${at(us, '{Y}-{M}-{D}')},${price}`, { refused: 'holds dates alone' }),
  file('minutes and seconds without hours, from a spreadsheet', 'Time,Price', ({ us, price }) => `${at(us, '{m}:{s}')}.4,${price}`, {
    refused: 'minutes and seconds',
  }),
  file('epoch numbers that a spreadsheet rounded', 'timestamp,price', ({ price }) => `1.704811E+12,${price}`, {
    refused: 'a spreadsheet has rounded',
  }),
  one('seconds in some rows, milliseconds in the others', (us) => (us > START_US + 1e8 ? String(Math.floor(us / 1e6)) : String(ms(us))), {
    refused: 'another unit',
  }),
  one('an hour that autumn doubles', (us) => plain(us - (us > START_US + 6e7 ? HOUR_US : 0)), { refused: '--zone America/New_York' }),
  one('the first rows of 1970', (us) => (us < START_US + 3e6 ? '1970-01-01 00:00:00.000' : plain(us)), { refused: 'years without a tick' }),
  file(
    'a receive time next to a date and a time',
    'recv_ts,TradeDate,TradeTime,price',
    ({ us, price }) => `${plain(us + 120_000)},${at(us, '{Y}-{M}-{D}')},${at(us, '{h}:{m}:{s}.{f}')},${price}`,
  ),
  file(
    'a receive time next to a stamp of an unknown form',
    'datetime,local_time,price',
    ({ us, price }) => `${at(us, '{h}h{m} {s} {D}/{M}')},${us + 3000},${price}`,
    {
      refused: '"datetime" is named as the time',
      then: { columns: { time: 'local_time', price: 'price' } },
      ticks: (ticks) => ticks.map(({ us, price }) => ({ us: us + 3000, price })),
    },
  ),
  file(
    'two times that differ, without a header',
    '',
    ({ us, price }) => `${at(us, '{D}.{M}.{Y};{h}:{m}:{s}.{f}')};${price};${plain(us + 120_000)}`,
    { refused: '--columns time=4,price=3', then: { columns: { date: '1', time: '2', price: '3' } } },
  ),
  file('microseconds in a column without a title', '', ({ us, price }) => `${at(us, '{Y}{M}{D},{h}:{m}:{s}')},${us % 1e6},${price}`, {
    refused: 'several columns may be the time',
  }),
  file(
    'an id that grows by one next to digits of a time, without a header',
    '',
    ({ us, price }, i) => `${1_475_000_000 + i},${at(us, '{Y}-{M}-{D},{h}{m}{s}{f}')},${price}`,
  ),
  one('12 digits, to the minute', (us) => at(us, '{Y}{M}{D}{h}{m}'), {
    ticks: (ticks) => ticks.map(({ us, price }) => ({ us: us - (us % 60_000_000), price })),
  }),
  one('1.705674600495e+12', (us) => ms(us).toExponential(12)),
  one('nanoseconds of the day without a date', (us) => `${us % DAY_US}000`, { refused: 'no column has date and time' }),
  one('hours of ticks in a part of a millisecond', (us) => String(START_US + Math.floor((us - START_US) / 1e6)), {
    refused: 'no market is so fast',
  }),
  file('a rounded epoch number next to a receive time', 'E,received_at,price', ({ us, price }) => `1.705674E+12,${ms(us) + 20},${price}`, {
    refused: '"E" is named as the time or looks like one',
    then: { columns: { time: 'received_at', price: 'price' } },
    ticks: (ticks) => ticks.map(({ us, price }) => ({ us: us + 20_000, price })),
  }),
  file(
    '106 and 1053 as times of the first hour',
    'date,time,price',
    ({ us, price }) => `${at(us, '{Y}{M}{D}')},${Number(at(us - 14.5 * HOUR_US, '{h}{m}{s}'))},${price}`,
    {
      refused: 'clock=hhmmss',
      then: { columns: { date: 'date', time: 'time', clock: 'hhmmss', price: 'price' } },
      ticks: (ticks) => whole(shifted(-14.5)(ticks) as CaseTick[]),
    },
  ),
  file('milliseconds since 1970 next to a date', 'date,ts_recv,price', ({ us, price }) => `${at(us, '{Y}{M}{D}')},${ms(us)},${price}`),
  one('14 digits and a fraction', (us) => at(us, '{Y}{M}{D}{h}{m}{s}.{f}')),
  // Numbers
  file('decimal commas between commas, below a header', 'timestamp,price', ({ us, price }) => `${plain(us)},${comma(price)}`, {
    refused: '--columns price=price,decimal=comma',
    then: { columns: { price: 'price', decimal: 'comma' } },
  }),
  file(
    'decimal commas of bid and ask between commas, with a size behind each',
    'Time,Bid,BidSize,Ask,AskSize',
    ({ us, bid, ask, size }) => `${plain(us)},${comma(bid)},${size},${comma(ask)},${size + 3}`,
    {
      refused: '--columns bid=Bid,ask=Ask,decimal=comma',
      then: { columns: { bid: 'Bid', ask: 'Ask', decimal: 'comma' } },
      ticks: (ticks) => ticks.map(({ us, bid, ask }) => ({ us, price: (bid + ask) / 2 })),
    },
  ),
  file(
    'decimal commas of bid and ask between commas, without a header',
    '',
    ({ us, bid, ask }, i) => `${comma(bid)},${comma(ask)},${9000 + i},${at(us, '{D}/{M}/{Y} {h}:{m}:{s}.{f}')}`,
    {
      refused: '--columns bid=1,ask=3,decimal=comma',
      then: { columns: { bid: '1', ask: '3', decimal: 'comma' } },
      ticks: (ticks) => ticks.map(({ us, bid, ask }) => ({ us, price: (bid + ask) / 2 })),
    },
  ),
  file(
    'decimal commas between commas, behind an id that counts like row names',
    'id,price,size,time',
    ({ us, price, size }, i) => `${4300 + i},${comma(price)},${size},${iso(us)}`,
    { refused: '--columns price=price,decimal=comma', then: { columns: { price: 'price', decimal: 'comma' } } },
  ),
  file(
    'stamp, bid, ask and an id: not the volume of 0 of HistData, so not its zone',
    '',
    ({ us, bid, ask }, i) => `${at(us, '{Y}{M}{D} {h}{m}{s}{f}')},${bid},${ask},${441_000 + i}`,
    { refused: '--columns time=1,bid=2,ask=3', then: { columns: { time: '1', bid: '2', ask: '3' } } },
  ),
  file('decimal commas between commas, without a header', '', ({ us, price }) => `${plain(us)},${comma(price)}`, {
    refused: '--columns price=2,decimal=comma',
    then: { columns: { price: '2', decimal: 'comma' } },
  }),
  file(
    'decimal commas in quotes',
    'Time,Bid,Ask',
    ({ us, bid, ask }) => `${at(us, '{D}.{M}.{Y} {h}:{m}:{s}.{f}')},"${comma(bid)}","${comma(ask)}"`,
  ),
  { name: 'thousands in quotes', write: table('Time,Price,Volume', ({ us, price, size }) => `${plain(us)},"${grouped(price)}",${size}`) },
  file('thousands without quotes', 'Date,Price', ({ us, price }) => `${plain(us)},${grouped(price)}`, {
    refused: '3 fields between "," and the header 2 names',
  }),
  file(
    'thousands in the volume alone',
    'Time;Price;Volume',
    ({ us, price, size }) => `${plain(us)};${price.toFixed(2)};${size % 2 ? '5,240' : '786'}`,
  ),
  file(
    'points between thousands and decimal commas',
    'Zeit;Kurs;Menge',
    ({ us, price, size }) =>
      `${at(us, '{D}.{M}.{Y} {h}:{m}:{s}.{f}')};${price.toFixed(2).replace('.', ',').replace(/^(\d)/, '$1.')};${size}`,
  ),
  file(
    'commas that are decimals or thousands',
    'Time;Price',
    ({ us, price }) => `${plain(us)};${String(Math.round(price * 4)).replace(/(\d{3})$/, ',$1')}`,
    {
      refused: 'decimal=comma',
      then: { columns: { time: 'Time', price: 'Price', decimal: 'comma' } },
      ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: Math.round(price * 4) / 1000 })),
    },
  ),
  ...['\\N', '#N/A', 'inf', '-1.#IND', '--', '.', 'NaN', 'NULL'].map((word): FileCase => ({
    name: `${word} in place of some prices`,
    write: table('ts,price', ({ us, price }, i) => `${plain(us)},${i % 20 === 7 ? word : price}`),
    ticks: without(7, 20),
    finding: 'row.no_price',
  })),
  file(
    'quotes of a token at 1e-7',
    'timestamp,bid,ask',
    ({ us, bid, ask }) => `${plain(us)},${(bid * 2.5e-11).toFixed(15)},${(ask * 2.5e-11).toFixed(15)}`,
    {
      ticks: (ticks) =>
        ticks.map(({ us, bid, ask }) => ({
          us,
          price: Number((((Number((bid * 2.5e-11).toFixed(15)) + Number((ask * 2.5e-11).toFixed(15))) / 2) * 1).toFixed(16)),
        })),
    },
  ),
  file('prices below zero', 'timestamp,price', ({ us, price }) => `${plain(us)},${price - 4789}`, { refused: 'below 0 are not supported' }),
  file('a price of 0 at the end', 'timestamp,price', ({ us, price }, i) => `${plain(us)},${i === 239 ? 0 : price}`, {
    refused: 'ends with prices of 0 or less',
  }),
  file(
    'a price and a mark side by side, without a header',
    '',
    ({ us, price, size }) => `${plain(us)},${price.toFixed(2)},${(price + 0.75).toFixed(2)},${size}`,
    { refused: '--columns time=1,bid=2,ask=3', then: { columns: { time: '1', price: '2' } } },
  ),
  file(
    'decimal commas between commas that an empty column hides',
    'timestamp,price,note',
    ({ us, price }) => `${plain(us)},${comma(price)},`,
    { refused: '--columns price=price,decimal=comma', then: { columns: { price: 'price', decimal: 'comma' } } },
  ),
  // Columns
  { name: 'a header behind #', write: table('# timestamp,volume,price', ({ us, price, size }) => `${ms(us)},${size},${price}`) },
  file('a price that is called amount', 'time,side,amount,value', ({ us, price, size }) => `${plain(us)},buy,${price},${price * size}`, {
    refused: '--columns time=time,price=amount',
    then: { columns: { time: 'time', price: 'amount' } },
  }),
  file('a price that counts rows', 'time,price,px', ({ us, price }, i) => `${plain(us)},${i},${price}`, {
    refused: '"price" counts its rows',
    then: { columns: { time: 'time', price: 'px' } },
  }),
  file(
    'two symbols row by row',
    'timestamp,symbol,price',
    ({ us, price }, i) => `${plain(us)},${i % 2 ? 'GBPUSD' : 'EURUSD'},${i % 2 ? other(price) : price}`,
    { refused: '--symbol EURUSD', then: { symbol: 'EURUSD' }, ticks: every(0, 2) },
  ),
  {
    name: 'a second symbol after the first rows',
    write: () =>
      table('timestamp,symbol,price', ({ us, price }, i) => `${plain(us)},${i < 2000 ? 'EURUSD' : 'EURUSD.r'},${price}`)(caseTicks(2100)),
    refused: 'it holds several markets',
    then: { symbol: 'EURUSD' },
    ticks: () => caseTicks(2100).slice(0, 2000),
  },
  file(
    'two markets without a column that says which',
    'timestamp,price',
    ({ us, price }, i) => `${plain(us)},${i % 3 ? price : price * 1.1}`,
    { refused: 'two levels' },
  ),
  file(
    'corrections in a column of their own',
    'timestamp,price,size,correction',
    ({ us, price, size }, i) => `${plain(us)},${i % 25 ? price : price * 1.008},${size},${i % 25 ? 0 : 8}`,
    { refused: '--event 0', then: { event: '0' }, ticks: without(0, 25) },
  ),
  file(
    'late prints told by their conditions',
    'time,price,size,conditions',
    ({ us, price, size }, i) => `${ms(us)},${i % 60 ? price : price * 1.05},${size},${i % 60 ? 37 : '53 52 41'}`,
    { refused: '--event conditions=37', then: { event: 'conditions=37' }, ticks: without(0, 60) },
  ),
  file(
    'T, Q, A and D for trades, quotes and orders, without a header',
    '',
    ({ us, price, bid, size }, i) => `${plain(us)},${'TQAD'[i % 4]},${i % 4 === 0 ? price : bid - (i % 3)},${size}`,
    { refused: '--event 2=T', then: { event: '2=T' }, ticks: every(0, 4) },
  ),
  file(
    'T and Q at the same prices, under a title that says nothing',
    'time,x3,price',
    ({ us, price }, i) => `${plain(us)},${'TQ'[i % 2]},${price}`,
    { refused: '--event x3=T', then: { event: 'x3=T' }, ticks: every(0, 2) },
  ),
  file('A, B and T for exchanges, without a header', '', ({ us, price, size }, i) => `${plain(us)},${'ABT'[i % 3]},${price},${size}`, {
    refused: '--columns time=1,price=3',
    then: { columns: { time: '1', price: '3' } },
  }),
  file(
    'trades and quotes by letters next to two columns that may be prices',
    '',
    ({ us, price, size }, i) => `${plain(us)},${'TQ'[i % 2]},${price.toFixed(2)},${(price + 0.75).toFixed(2)},${size}`,
    { refused: '--event 2=T --columns time=1,', then: { event: '2=T', columns: { time: '1', price: '3' } }, ticks: every(0, 2) },
  ),
  file('letters of exchanges, without a header', '', ({ us, price, size }, i) => `${plain(us)},${'PTQN'[i % 4]},${price},${size}`),
  file(
    'trades next to bid and ask by their event type',
    'time,event,price',
    ({ us, price, bid, ask }, i) => `${plain(us)},${['Trade', 'Bid', 'Ask'][i % 3]},${[price, bid, ask][i % 3]}`,
    { refused: '--event Trade', then: { event: 'Trade' }, ticks: every(0, 3) },
  ),
  file(
    'kinds of rows as numbers without a header: trades, and orders further away',
    '',
    ({ us, price, size }, i) => `${plain(us)},${[1, 2, 4][i % 3]},${price + [0, -6, 7][i % 3]},${size}`,
    { refused: '--event 2=1', then: { event: '2=1' }, ticks: every(0, 3) },
  ),
  {
    name: 'bid and ask as sides of a book, under a name of their own',
    write: table('time,book_side,price', ({ us, bid, ask }, i) => `${plain(us)},${i % 2 ? `bid,${bid}` : `ask,${ask}`}`),
    refused: 'several kinds of rows',
  },
  file('changes of the price next to it', 'time,price,delta', ({ us, price }) => `${plain(us)},${price},${(price - 4790.25).toFixed(2)}`),
  file(
    'one side by its name, the other under a name that says nothing',
    'time,bid,x2',
    ({ us, bid, ask }) => `${plain(us)},${bid},${ask}`,
    {
      refused: '--columns time=time,bid=bid,ask=x2',
      then: { columns: { time: 'time', bid: 'bid', ask: 'x2' } },
      ticks: (ticks) => ticks.map(({ us, bid, ask }) => ({ us, price: (bid + ask) / 2 })),
    },
  ),
  file(
    'the time of another event under a better name',
    'date,c,sip_time,price',
    ({ us, price }) => `${at(us, '{Y}-{M}-{D},{h}:{m}:{s}.{f}')},${at(us - 340_000, '{h}:{m}:{s}.{f}')},${price}`,
    { refused: '--columns date=date,time=c,price=price', then: { columns: { date: 'date', time: 'c', price: 'price' } } },
  ),
  file(
    'seconds since the first row next to a time of day under a name that says nothing',
    'date,c,seconds,price',
    ({ us, price }) => `${at(us, '{Y}-{M}-{D},{h}:{m}:{s}.{f}')},${((us - START_US) / 1e6 + 900).toFixed(3)},${price}`,
    { refused: '--columns date=date,time=c,price=price', then: { columns: { date: 'date', time: 'c', price: 'price' } } },
  ),
  {
    name: 'bars of a second next to the time at which each came, without a header',
    write: (ticks) =>
      table(
        '',
        (tick, i) => `${at(tick.us, '{Y}-{M}-{D} {h}:{m}:{s}')},${ms(tick.us) + 900 + ((i * 37) % 90)},${bar(tick)},7`,
      )(secondBars(ticks)),
    refused: '--columns time=1,close=6',
    then: { columns: { time: '1', close: '6' } },
    ticks: (ticks) => secondBars(ticks).map(({ us, price }) => ({ us: us + 1_000_000, price })),
  },
  file('isolated prints from the first row on', 'time,price', ({ us, price }, i) => `${ms(us)},${i % 25 ? price : price * 1.008}`, {
    refused: 'so many are no slips',
  }),
  file(
    'a close of the day before as first row',
    'timestamp,price,type',
    ({ us, price }, i) => `${plain(i ? us : us - DAY_US)},${price},${i ? 'TRADE' : 'PREVCLOSE'}`,
    { refused: '--event TRADE', then: { event: 'TRADE' }, ticks: (ticks) => ticks.slice(1) },
  ),
  {
    name: 'trades and quotes in one table',
    write: table(
      'timestamp,type,price,bid,ask',
      ({ us, price, bid, ask }, i) => `${plain(us)},${i % 3 ? `quote,,${bid},${ask}` : `trade,${price},,`}`,
    ),
    ticks: without(0, 3),
    finding: 'row.other',
  },
  file(
    'some stamps that are no time',
    'time,price',
    ({ us, price }, i) => `${i % 120 === 7 ? at(us, '{Y}{M}{D} 99:99:99.9') : at(us, '{Y}{M}{D} {h}:{m}:{s}.{f}')},${price}`,
    { ticks: without(7, 120), finding: 'row.no_stamp' },
  ),
  file('many stamps that are no time', 'time,price', ({ us, price }, i) => `${i % 6 === 1 ? '0000-00-00 00:00:00' : plain(us)},${price}`, {
    refused: 'of the rows have no time',
  }),
  file(
    'one stamp of a calendar of its own',
    'time,price',
    ({ us, price }, i) => `${i === 130 ? '2024-01-32 14:30:01.053' : plain(us)},${price}`,
    { refused: '--fix writes a copy without such rows', then: { dropsMalformed: true }, ticks: without(130, 240) },
  ),
  {
    name: 'crossed series of two days',
    write: (ticks) =>
      table('time,price', ({ us, price }) => `${ms(us)},${price}`)(ticks.flatMap((tick) => [tick, { ...tick, us: tick.us + 3 * DAY_US }])),
    refused: 'rows of other days',
  },
  // Bars
  {
    name: 'bars: Open, High, Low, Last',
    write: bars('Date,Time,Open,High,Low,Last,Volume', (tick) => `${at(tick.us, '{Y}-{M}-{D},{h}:{m}:{s}')},${bar(tick)},40`),
    ticks: atEnd,
  },
  {
    name: 'bars: 1430 as a time',
    write: bars('"Date","Time","Open","High","Low","Close"', (tick) => `${at(tick.us, '{M}/{D}/{Y},{h}{m}')},${bar(tick)}`),
    ticks: atEnd,
  },
  {
    name: 'daily bars',
    write: (ticks) => table('Date,Open,High,Low,Close', (tick, i) => `${at(START_US + i * DAY_US, '{Y}-{M}-{D}')},${bar(tick)}`)(ticks),
    refused: 'dates alone',
  },
  file(
    'rows that look like bars and share their stamps',
    '',
    ({ us, price }, i) =>
      `${at(us, '{Y}.{M}.{D} {h}:{m}:00')},${price},${price},${price},${price},${i},${at(us, '{Y}.{M}.{D} {h}:{m}:{s}')},4`,
    { refused: '--columns time=7', then: { columns: { time: '7', price: '5' } }, ticks: whole },
  ),
  // Files
  {
    name: 'a last line that is cut off',
    write: (ticks) => table('timestamp,price', ({ us, price }) => `${plain(us)},${price.toFixed(2)}`)(ticks).slice(0, -4),
    ticks: (ticks) => ticks.slice(0, -1),
    finding: 'row.cut_off',
  },
  { name: 'zero bytes at the end', write: (ticks) => bytes(own(ticks) + '\0'.repeat(9000)), finding: 'row.nul_tail' },
  { name: 'line ends of old spreadsheets', write: (ticks) => own(ticks).replaceAll('\n', '\r') },
  {
    name: 'joined files with byte order marks',
    write: (ticks) => `\ufeff${own(ticks.slice(0, 100))}\ufefftimestamp,price\n${own(ticks.slice(100)).split('\n').slice(1).join('\n')}`,
    finding: 'row.header_again',
  },
  {
    name: 'a second header with another order',
    write: (ticks) =>
      `${own(ticks.slice(0, 100))}price,timestamp\n${table('', ({ us, price }) => `${price},${plain(us)}`)(ticks.slice(100))}`,
    refused: 'another header begins here',
  },
  {
    name: 'a zip with a checksum and rubbish of the Finder',
    write: (ticks) =>
      zipSync({ 'ticks/.DS_Store': new Uint8Array(1), 'ticks/X.csv.CHECKSUM': bytes('abc  X.csv\n'), 'ticks/X.csv': bytes(own(ticks)) }),
  },
  { name: 'a zip with a .txt and a README', write: (ticks) => zipSync({ 'README.txt': bytes('see'), 'x.txt': bytes(own(ticks)) }) },
  { name: 'a zip with a .txt alone', write: (ticks) => zipSync({ '19-01-2024_NEGOCIOSAVISTA.txt': bytes(own(ticks)) }) },
  {
    name: 'gzip of several parts',
    write: (ticks) =>
      new Uint8Array(Buffer.concat([gzipSync(own(ticks.slice(0, 100))), gzipSync(own(ticks.slice(100)).split('\n').slice(1).join('\n'))])),
  },
  parquet('an index without a name', [
    { name: 'price', data: (tick) => tick.price, type: 'DOUBLE' },
    { name: '__index_level_0__', data: (tick) => new Date(ms(tick.us)), type: 'TIMESTAMP' },
  ]),
  parquet('whole numbers as stamps by any name', [
    { name: 'ticker', data: () => 'X', type: 'STRING' },
    { name: 'participant_timestamp', data: (tick) => BigInt(tick.us) * 1000n, type: 'INT64' },
    { name: 'price', data: (tick) => tick.price, type: 'DOUBLE' },
  ]),
  parquet('a date32 and a time64', [
    { name: 'date', data: (tick) => Math.floor(tick.us / DAY_US), type: 'INT32', logical: { type: 'DATE' } },
    {
      name: 'time',
      data: (tick) => BigInt(tick.us % DAY_US),
      type: 'INT64',
      logical: { type: 'TIME', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    { name: 'price', data: (tick) => tick.price, type: 'DOUBLE' },
  ]),
  parquet('whole numbers as prices in 8 raw bytes', [RAW_BID, RAW_ASK, RAW_TIME], { precision: '2' }),
  parquet(
    'whole billionths that look like seconds since 1970',
    [
      ...(['bid', 'ask'] as const).map((side): ParquetColumn => ({
        name: `${side}_price`,
        data: (tick) => BigInt(tick[side] * 4) * 50_000n,
        type: 'INT64',
      })),
      { name: 'ts_event', data: (tick) => BigInt(tick.us) * 1000n, type: 'INT64' },
    ],
    { ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: price / 5000 })) },
  ),
  parquet('raw bytes of which nothing says what they are', [RAW_BID, RAW_ASK, RAW_TIME], { refused: 'FIXED_LEN_BYTE_ARRAY' }),
  parquet(
    'prices in 32 bits',
    [
      { name: 'ts', data: (tick) => BigInt(ms(tick.us)), type: 'INT64' },
      { name: 'price', data: (tick) => tick.price / 1000, type: 'FLOAT' },
    ],
    { ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: Number((price / 1000).toFixed(6)) })) },
  ),
];

/** As Nautilus writes prices: billionths, little end first. */
function rawBytes(price: number): Uint8Array {
  const raw = new Uint8Array(8);
  new DataView(raw.buffer).setBigInt64(0, BigInt(price * 100) * 10_000_000n, true);
  return raw;
}

type ParquetColumn = {
  readonly name: string;
  readonly data: (tick: CaseTick) => unknown;
  readonly type: 'DOUBLE' | 'FLOAT' | 'INT32' | 'INT64' | 'STRING' | 'TIMESTAMP' | 'FIXED_LEN_BYTE_ARRAY';
  readonly logical?: LogicalType;
};

/** Columns with a logical type of their own, or of raw bytes, need a schema; the writer makes that of the others. */
function parquet(
  name: string,
  columns: readonly ParquetColumn[],
  { precision, ...more }: Partial<FileCase> & { readonly precision?: string } = {},
): FileCase {
  const needsSchema = columns.some(({ logical, type }) => logical !== undefined || type === 'FIXED_LEN_BYTE_ARRAY');
  const schema = (): object[] => [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name: column, type, logical }) => ({
      ...{ name: column, type, repetition_type: 'REQUIRED' },
      ...(logical === undefined ? {} : { logical_type: logical }),
      ...(type === 'FIXED_LEN_BYTE_ARRAY' ? { type_length: 8 } : {}),
    })),
  ];
  return {
    name: `Parquet: ${name}`,
    write: (all) =>
      new Uint8Array(
        parquetWriteBuffer({
          columnData: columns.map(({ name: column, data, type }) => ({
            name: column,
            data: all.map(data),
            ...(needsSchema ? {} : { type }),
          })),
          ...(needsSchema ? { schema: schema() } : {}),
          ...(precision === undefined ? {} : { kvMetadata: [{ key: 'price_precision', value: precision }] }),
        } as unknown as Parameters<typeof parquetWriteBuffer>[0]),
      ),
    ...more,
  };
}

/** The evening of the day before, then the morning. */
function session(ticks: readonly CaseTick[]): CaseTick[] {
  return ticks.map((tick, i) => ({ ...tick, us: tick.us - (i < 120 ? 17.5 : 5) * HOUR_US }));
}

function aroundMidnight(ticks: readonly CaseTick[]): CaseTick[] {
  const midnight = START_US - (START_US % DAY_US);
  const shift = midnight - ticks[120].us;
  return ticks.map((tick) => ({ ...tick, us: tick.us + shift }));
}

/** Some neighbours change places. */
function swapped(ticks: CaseTick[]): CaseTick[] {
  for (let i = 5; i < ticks.length - 1; i += 7) [ticks[i], ticks[i + 1]] = [ticks[i + 1], ticks[i]];
  return ticks;
}
