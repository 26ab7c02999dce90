import { file, at, type CaseTick, caseTicks, every, type FileCase, iso, lines, one, plain, shifted, table, without } from './fileCase.ts';

const day = ({ us }: CaseTick): string => iso(us).slice(0, 10).replaceAll('-', '');
const ms = ({ us }: CaseTick): number => us / 1000;
/** Ticks `gapS` apart. */
const paced =
  (gapS: number, count = 100, fromHour = 1) =>
  (): CaseTick[] =>
    caseTicks(count).map((tick, i) => ({ ...tick, us: Date.UTC(2024, 0, 19, fromHour) * 1000 + i * gapS * 1e6 }));
/** Hours and minutes without a zero before them. */
const digits = ({ us }: CaseTick): number => Number(iso(us).slice(11, 16).replace(':', ''));
const ofBar = (price: number): string => `${price - 0.25},${price + 1},${price - 1},${price}`;
const inBars = (ticks: () => readonly CaseTick[]) => (): string =>
  table('date,time,open,high,low,close', (tick) => `${day(tick)},${digits(tick)},${ofBar(tick.price)}`)(ticks());
/** 110.165: 110 and 16.5 of 32. `step`: in quarters of a 32nd. */
const parts32 =
  (step: number) =>
  (_: CaseTick, i: number): string => {
    const quarters = 110 * 128 + step * (28 + ((i * 5) % 23) + Math.floor(i / 40));
    const inPoint = quarters % 128;
    const last = ['0', '2', '5', '7'][inPoint % 4];
    return `${Math.floor(quarters / 128)}.${String(Math.floor(inPoint / 4)).padStart(2, '0')}${last}`;
  };
const pips = (price: number): number => (price - 4700) * 4 + 300;
const near = (i: number): number => ((i * 7) % 5) * 0.25 + 0.25;

/** Kinds of files of which one reading is as good as another one, or whose names say what the content does not: found by random layouts and by hand. */
export const DOUBTFUL_FILE_CASES: readonly FileCase[] = [
  // Times
  {
    name: 'bars of an hour by 100, 200, 300, which are minutes just as well',
    write: inBars(paced(3600)),
    refused: 'clock=hhmm,',
    then: { columns: { date: 'date', time: 'time', clock: 'hhmm', open: 'open', high: 'high', low: 'low', close: 'close' } },
    ticks: () => paced(3600)().map(({ us, price }) => ({ us: us + 3_600_000_000, price })),
  },
  { name: 'bars of ten minutes by 100, 110, 120, which are seconds just as well', write: inBars(paced(600)), refused: 'clock=hhmmss,' },
  {
    name: 'bars of a minute by 900, 901, 902',
    write: inBars(paced(60, 240, 9)),
    ticks: () => paced(60, 240, 9)().map(({ us, price }) => ({ us: us + 60_000_000, price })),
  },
  file(
    'day numbers of a spreadsheet, which begin in 1900 or in 1904',
    'time,price',
    ({ us, price }) => `${(us / 86_400e6 + 25_569).toFixed(9)},${price}`,
    { plan: 'in one that begins in 1904 the ticks are 1462 days later' },
  ),
  // Units of prices
  file('prices as whole numbers under price_e8', 'time,price_e8', ({ us, price }) => `${plain(us)},${Math.round(price * 1e8)}`, {
    ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: price * 1e8 })),
    plan: 'they are multiples of the price',
  }),
  file('prices in cents under price_cents', 'ts,price_cents,size', (tick) => `${ms(tick)},${tick.price * 100},${tick.size}`, {
    ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: price * 100 })),
    plan: 'they are multiples of the price',
  }),
  file('prices in pence by the unit behind their title', 'Time,Price (pence)', ({ us, price }) => `${plain(us)},${price * 100}`, {
    ticks: (ticks) => ticks.map(({ us, price }) => ({ us, price: price * 100 })),
    plan: 'they are multiples of the price',
  }),
  file('32nds of a point as decimals, with quarters of a 32nd', 'time,price', (tick, i) => `${plain(tick.us)},${parts32(1)(tick, i)}`, {
    refused: 'look like 32nds of a point',
  }),
  file(
    '32nds of a point as decimals, which go from .315 to the next point',
    'time,price',
    (tick, i) => `${plain(tick.us)},${parts32(4)(tick, i)}`,
    { refused: 'look like 32nds of a point' },
  ),
  file('decimals in steps of 0.005 below .32', 'time,price', ({ us }, i) => `${plain(us)},${(110.1 + ((i * 7) % 11) * 0.005).toFixed(3)}`, {
    ticks: (ticks) => ticks.map(({ us }, i) => ({ us, price: Number((110.1 + ((i * 7) % 11) * 0.005).toFixed(3)) })),
  }),
  // Prices
  {
    name: 'bid and ask in rows of their own, told by 0 and 1',
    write: (ticks) => `time,flag1,price\n${ticks.map(({ us, bid, ask }) => `${plain(us)},0,${bid}\n${plain(us)},1,${ask}\n`).join('')}`,
    refused: '--event flag1=0',
    then: { event: 'flag1=0' },
    ticks: (ticks) => ticks.map(({ us, bid }) => ({ us, price: bid })),
  },
  file(
    'sizes under the name price, next to what moves like a price',
    'time,price,level',
    ({ us, price }, i) => `${plain(us)},${100 + ((i * 37) % 11)},${price}`,
    { refused: 'is drawn again in each row as sizes are', then: { columns: { time: 'time', price: 'level' } } },
  ),
  file(
    'an ask by its name, next to the price under a title that says nothing, with rows of other kinds in between',
    'time,c1,ask',
    ({ us, price }, i) => `${plain(us)},${price},${i % 9 === 4 ? price * 1.3 : price + near(i)}`,
    { refused: 'only one is named as a side', then: { columns: { time: 'time', price: 'c1' } } },
  ),
  file(
    'bars under begin, peak and trough, with a quote next to the price',
    'time,nbbo,begin,peak,trough,price',
    ({ us, price }, i) => `${plain(us)},${price + 0.03},${price - near(i) + 0.5},${price + near(i + 1)},${price - near(i)},${price}`,
    { refused: 'lie above, below and between as those of bars do' },
  ),
  file(
    'a price and one a step above without a header, next to letters of venues',
    '',
    ({ us, price }, i) => `${plain(us)},${'QNP'[i % 3]},${price},${(price + 0.25).toFixed(2)}`,
    { refused: 'no header that says which is the price', then: { columns: { time: '1', price: '3' } } },
  ),
  file(
    'trades and quotes by 0 and 1 under a title that says nothing, with bid and ask in all rows',
    'time,x,bid,ask,px',
    ({ us, price, bid, ask }, i) => `${plain(us)},${i % 2},${bid},${ask},${i % 2 === 0 ? price : price + 5 * (i % 4 === 1 ? 1 : -1)}`,
    { refused: '--event x=0' },
  ),
  // Line ends and comments
  { name: 'two carriage returns before each line feed', write: table('time,price', '{iso},{price}', '\r\r\n') },
  {
    name: 'a last row in quotes that is cut off',
    write: (ticks) => table('"time","price"', ({ us, price }) => `"${iso(us)}",${price.toFixed(2)}`)(ticks).slice(0, -3),
    ticks: (ticks) => ticks.slice(0, -1),
    finding: 'row.cut_off',
  },
  {
    name: 'a zone in a comment above the header',
    write: (ticks) => `# Time zone: EST\n${table('time,price', '{plain},{price}')(ticks)}`,
    refused: '--zone EST',
    then: { zone: 'EST' },
    ticks: shifted(5),
  },
  file(
    'ticks of HistData with a comma too many at the end of each row',
    '',
    ({ us, bid, ask }) => `${at(us, '{Y}{M}{D} {h}{m}{s}{f}')},${bid.toFixed(6)},${ask.toFixed(6)},0,`,
    { ticks: shifted(5) },
  ),
  // Numbers in two columns
  file(
    'thousands cut at their commas, without a header',
    '',
    ({ us, price, size }) => `${us / 1000},${price.toFixed(2).replace(/^(\d)(\d{3})/, '$1,$2')},${size}`,
    { refused: 'may be one number' },
  ),
  file(
    'TrueFX: a big figure and points, each in a column of its own',
    '',
    ({ us, price }, i) => `EUR/USD,${us / 1000},1.08,${pips(price)},1.08,${pips(price) + 2 + (i % 3)},1.07901,1.09401`,
    { refused: 'may be one number' },
  ),
  // Kinds of rows
  file(
    'two futures 1.5 % apart row by row, without a column that says which',
    'time,price',
    ({ us, price }, i) => `${iso(us)},${i % 2 ? price : price + 72}`,
    { refused: 'jumps between two levels' },
  ),
  file(
    'mids of two currencies 0.6 % apart row by row',
    'time,bid,ask',
    ({ us, bid, ask }, i) => `${iso(us)},${bid + 30 * (i % 2)},${ask + 30 * (i % 2)}`,
    { refused: 'jumps between two levels' },
  ),
  file(
    'trades of BitMEX and prices that are no trades, by trdType',
    'timestamp,price,trdType',
    ({ us, price }, i) => `${iso(us)},${price},${i % 3 ? 'Referential' : 'Regular'}`,
    { refused: '--event Regular', then: { event: 'Regular' }, ticks: every(0, 3) },
  ),
  file(
    'several fields of InfluxDB by _field',
    '_time,_value,_field',
    ({ us, price }, i) => `${iso(us)},${price},${i % 3 ? 'mark' : 'price'}`,
    { refused: '--event price', then: { event: 'price' }, ticks: every(0, 3) },
  ),
  file(
    'changes of a book with sizes under "Trade Quantity"',
    'time,price,Trade Quantity,side',
    ({ us, price, size }, i) => `${iso(us)},${price},${i % 3 ? size : 0},${i % 2 ? 'buy' : 'sell'}`,
    { refused: 'levels of an order book' },
  ),
  // JSON
  lines('prices in objects within the records', ({ us, bid, ask }) => ({
    ts: us / 1000,
    bid: { price: bid, size: 1 },
    ask: { price: ask, size: 2 },
  })),
  lines('values of MongoDB with their types', ({ us, price }, i) => ({
    _id: { $oid: String(i) },
    time: { $date: iso(us) },
    price: { $numberDouble: String(price) },
  })),
  {
    name: 'JSON lines of which the last one is cut off',
    write: (ticks) => table('', ({ us, price }) => JSON.stringify({ ts: us / 1000, price, id: 7 }))(ticks).slice(0, -6),
    ticks: (ticks) => ticks.slice(0, -1),
    finding: 'row.cut_off',
  },
  {
    name: 'NaN of Python in JSON',
    write: (ticks) =>
      `[${ticks.map(({ us, price }, i) => `{"ts": ${us / 1000}, "price": ${i % 40 === 7 ? 'NaN' : price}, "note": "x: NaN, y"}`).join()}]`,
    ticks: without(7, 40),
  },
  {
    name: 'a frame of pandas: columns with row numbers',
    write: (ticks) => {
      const column = (of: (tick: CaseTick) => number): object => Object.fromEntries(ticks.map((tick, i) => [i, of(tick)]));
      return JSON.stringify({ ts: column(({ us }) => us / 1000), price: column(({ price }) => price) });
    },
  },
  {
    name: 'a frame of pandas: rows under their numbers',
    write: (ticks) => JSON.stringify(Object.fromEntries(ticks.map(({ us, price }, i) => [i, { ts: us / 1000, price }]))),
  },
  {
    name: 'a frame of pandas with its schema',
    write: (ticks) =>
      JSON.stringify({
        schema: {
          fields: [
            { name: 'ts', type: 'integer' },
            { name: 'price', type: 'number' },
          ],
          primaryKey: ['ts'],
        },
        data: ticks.map(({ us, price }) => ({ ts: us / 1000, price })),
      }),
  },
  {
    name: 'the answer of QuestDB',
    write: (ticks) =>
      JSON.stringify({
        columns: [
          { name: 'id', type: 'LONG' },
          { name: 'ts', type: 'TIMESTAMP' },
          { name: 'price', type: 'DOUBLE' },
        ],
        dataset: ticks.map(({ us, price }, i) => [900 + i, iso(us), price]),
      }),
  },
  // Messages
  lines('messages of OANDA between heartbeats', ({ us, bid, ask }, i) =>
    i === 0
      ? {
          type: 'PRICE',
          instrument: 'EUR_USD',
          time: iso(us),
          bids: [{ price: String(bid) }],
          asks: [{ price: String(ask) }],
          closeoutAsk: '1',
        }
      : { type: 'PRICE', instrument: 'EUR_USD', time: iso(us), bids: [{ price: bid }, { price: bid - 1 }], asks: [{ price: ask }] },
  ),
  lines('messages of Gate.io', ({ us, price }) => ({
    ...{ time: 1, time_ms: us / 1000 + 2, channel: 'spot.trades', event: 'update' },
    result: { create_time_ms: `${us / 1000}.0`, currency_pair: 'BTC_USDT', price: String(price) },
  })),
  lines('messages of KuCoin', ({ us, price }) => ({
    ...{ type: 'message', topic: '/market/match:BTC-USDT', subject: 'trade.l3match' },
    data: { symbol: 'BTC-USDT', price: String(price), time: `${us}000` },
  })),
  lines('messages of HTX', ({ us, price }) => ({
    ...{ ch: 'market.btcusdt.trade.detail', ts: us / 1000 + 2 },
    tick: { ts: us / 1000 + 1, data: [{ ts: us / 1000, price, direction: 'buy' }] },
  })),
  lines('messages of Finnhub', ({ us, price }) => ({ type: 'trade', data: [{ s: 'AAPL', p: price, t: us / 1000, v: 1 }] })),
  lines('messages of Upbit: the time of the trade next to that of the message', ({ us, price }) => ({
    ...{ type: 'trade', code: 'KRW-BTC', timestamp: us / 1000 + 40, trade_timestamp: us / 1000, trade_price: price },
  })),
  file(
    'lines of a recorder: a date and a time, then the message',
    '',
    ({ us, price }) =>
      `${iso(us + 7000)} ${JSON.stringify({ e: 'trade', E: us / 1000 + 3, s: 'BTCUSDT', p: String(price), T: us / 1000 })}`,
  ),
  file(
    'thousands cut at their commas, behind an id that counts like row names',
    'id,time,price,side',
    ({ us, price }, i) => `${i + 1},${iso(us)},${price.toFixed(2).replace(/^(\d)(\d{3})/, '$1,$2')},buy`,
    { refused: 'the header 4 names' },
  ),
  {
    name: 'quotes behind more trades than the first rows that are looked at',
    write: () => table('time,type,price', ({ us, price }, i) => `${iso(us)},${i > 1200 ? 'Quote' : 'Trade'},${price}`)(caseTicks(1300)),
    refused: '--event Trade',
    then: { event: 'Trade' },
    ticks: () => caseTicks(1300).slice(0, 1201),
  },
  {
    name: 'sales behind more purchases than the first rows that are looked at',
    write: () => table('time,type,price', ({ us, price }, i) => `${iso(us)},${i > 1200 ? 'sell' : 'buy'},${price}`)(caseTicks(1300)),
    ticks: () => caseTicks(1300),
  },
  // Found by faults on layouts of vendors
  file(
    'comments of a recorder between the rows',
    'time,price',
    ({ us, price }, i) => `${i % 60 === 59 ? '# reconnect\n' : ''}${iso(us)},${price}`,
  ),
  file('a time of 0 where the recorder has none', 'ts,price', ({ us, price }, i) => `${i % 40 === 7 ? 0 : us / 1000},${price}`, {
    ticks: without(7, 40),
    finding: 'row.no_stamp',
  }),
  file(
    'a price that Databento writes where there is none',
    'ts_event,price',
    ({ us, price }, i) => `${us}000,${i % 40 === 7 ? '9223372036854775807' : price * 1e9}`,
    { ticks: without(7, 40) },
  ),
  file('times of day of kdb next to a date', 'date,time,price', '{Y}-{M}-{D},0D{h}:{m}:{s}.{u}000,{price}'),
  one('2024-01-19_14:30:01.053', '{Y}-{M}-{D}_{h}:{m}:{s}.{f}'),
  one('a zone as +5:30', (us) => `${plain(us + 19_800_000_000)} +5:30`),
  file('titles behind the name of the table, as Hive writes them', 'ticks.ts,ticks.bid,ticks.ask', '{ms},{bid},{ask}'),
  file(
    'rates of Gain Capital',
    'lTid,cDealable,CurrencyPair,RateDateTime,RateBid,RateAsk',
    ({ us, bid, ask }, i) => `${3_300_123_456 + 3 * i},D,EUR/USD,${plain(us)}000000,${bid},${ask}`,
  ),
  file('an index of R between blanks and quotes', '"Index" "price"', '"{plain}" {price}'),
  file(
    'the side of trades of Upbit under ask_bid',
    'timestamp,trade_price,ask_bid',
    ({ us, price, size }) => `${us / 1000},${price},${size % 2 ? 'ASK' : 'BID'}`,
  ),
  file(
    'late prints by a condition, near the others',
    'time,price,size,sale_cond',
    ({ us, price, size }, i) => `${iso(us)},${i % 17 === 9 ? price + 6 : price},${size},${i % 17 === 9 ? 'Z' : '@'}`,
    { refused: "--event 'sale_cond=@'", then: { event: 'sale_cond=@' }, ticks: without(9, 17) },
  ),
];
