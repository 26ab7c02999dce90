import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import {
  at,
  atEnd,
  bar,
  bars,
  bytes,
  caseTicks,
  DAY_US,
  every,
  file,
  type FileCase,
  ms,
  other,
  own,
  parquet,
  type ParquetColumn,
  plain,
  RAW_ASK,
  RAW_BID,
  RAW_TIME,
  secondBars,
  START_US,
  table,
  whole,
  without,
} from './fileCase.ts';

/** Columns, bars and files. */
export const COLUMN_CASES: readonly FileCase[] = [
  file('a header behind #', '# timestamp,volume,price', '{ms},{size},{price}'),
  file('a price that is called amount', 'time,side,amount,value', ({ us, price, size }) => `${plain(us)},buy,${price},${price * size}`, {
    refused: '--columns time=time,price=amount',
    then: { columns: { time: 'time', price: 'amount' } },
  }),
  file('a price that counts rows', 'time,price,px', '{plain},{i},{price}', {
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
  file(
    'bid and ask as sides of a book, under a name of their own',
    'time,book_side,price',
    ({ us, bid, ask }, i) => `${plain(us)},${i % 2 ? `bid,${bid}` : `ask,${ask}`}`,
    { refused: 'several kinds of rows' },
  ),
  file('changes of the price next to it', 'time,price,delta', ({ us, price }) => `${plain(us)},${price},${(price - 4790.25).toFixed(2)}`),
  file('one side by its name, the other under a name that says nothing', 'time,bid,x2', '{plain},{bid},{ask}', {
    refused: '--columns time=time,bid=bid,ask=x2',
    then: { columns: { time: 'time', bid: 'bid', ask: 'x2' } },
    ticks: (ticks) => ticks.map(({ us, bid, ask }) => ({ us, price: (bid + ask) / 2 })),
  }),
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
  file(
    'trades and quotes in one table',
    'timestamp,type,price,bid,ask',
    ({ us, price, bid, ask }, i) => `${plain(us)},${i % 3 ? `quote,,${bid},${ask}` : `trade,${price},,`}`,
    { ticks: without(0, 3), finding: 'row.other' },
  ),
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
    write: (ticks) => table('time,price', '{ms},{price}')(ticks.flatMap((tick) => [tick, { ...tick, us: tick.us + 3 * DAY_US }])),
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
    '{Y}.{M}.{D} {h}:{m}:00,{price},{price},{price},{price},{i},{Y}.{M}.{D} {h}:{m}:{s},4',
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
    write: (ticks) => `${own(ticks.slice(0, 100))}price,timestamp\n${table('', '{price},{plain}')(ticks.slice(100))}`,
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
