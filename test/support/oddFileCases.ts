import {
  file,
  at,
  secondTicks,
  caseTicks,
  type CaseTick,
  every,
  type FileCase,
  iso,
  lines,
  one,
  plain,
  shifted,
  table,
  without,
} from './fileCase.ts';

const seconds = ({ us }: CaseTick): number => Math.floor(us / 1e6);
/** Ticks far enough apart that a fraction that is read wrong does not step back. */
const slow = (): CaseTick[] => caseTicks().map((tick, i) => ({ ...tick, us: tick.us + 2e6 * i }));
/** Microseconds of which some end in one zero alone. */
const springTicks = (): CaseTick[] => caseTicks(240, Date.UTC(2020, 2, 9, 14, 30) * 1000 + 7);
const zoned = (title: string, hours: number): FileCase => ({
  name: `${title} as a title`,
  write: table(`${title},price`, '{plain},{price}'),
  ticks: shifted(-hours),
});
const besideZone = (title: string, value: string, zone: string, hours: number): FileCase => ({
  name: `a zone in a column of its own: ${title} is ${value}`,
  write: table(`time,${title},price`, ({ us, price }) => `${plain(us)},${value},${price}`),
  refused: `--zone ${zone} or --zone UTC`,
  then: { zone },
  ticks: shifted(-hours),
});
/** The highest and the lowest price of the day so far, next to the first one. */
const soFar = (ticks: readonly CaseTick[]): string[] => {
  let [high, low] = [-Infinity, Infinity];
  return ticks.map(({ price }) => `4790,${(high = Math.max(high, price))},${(low = Math.min(low, price))}`);
};
const onGrid = (): CaseTick[] => secondTicks();
const away = (i: number): number => (i % 2 ? -0.25 : 0.25) * (1 + ((i * 5) % 6));

/** Kinds of files that no source of `FILE_CASES` stands for: zones, fractions, markets and snapshots that a reader takes for something else. */
/** One row in twenty is no price of the market, and says so; also far behind the rows that are looked at first. */
const flagged = (title: string, on: string, off: string): FileCase => ({
  name: `${title}: ${JSON.stringify(off)} where a price is none of the market`,
  write: table(
    `time,price,${title}`,
    ({ us, price }, i) => `${plain(us)},${i % 20 === 7 ? (1.004 * price).toFixed(2) : price},${i % 20 === 7 ? off : on}`,
  ),
  ticks: (source) => source.filter((_, i) => i % 20 !== 7),
  finding: 'row.other',
});

export const ODD_FILE_CASES: readonly FileCase[] = [
  flagged('isBlockTrade', 'false', 'true'),
  flagged('BlockTrade', '0', '1'),
  flagged('block_trade_id', '', '48213'),
  flagged('combo_trade_id', 'null', '48213'),
  flagged('is_internal', 'False', 'True'),
  flagged('pastLimit', 'False', 'True'),
  flagged('unreported', '', 'true'),
  flagged('tradeable', 'true', 'false'),
  flagged('suspended', 'no', 'yes'),
  // Zones
  zoned('Time EST', -5),
  zoned('time_cet', 1),
  zoned('Time (ET)', -5),
  zoned('Zeit (MEZ)', 1),
  zoned('Time (Chicago time)', -6),
  zoned('Time(UTC+05:30)', 5.5),
  file('Time (CST) as a title, which is Chicago or China', 'Time (CST),price', '{plain},{price}', {
    refused: '--zone America/Chicago or --zone Asia/Shanghai',
    then: { zone: 'Asia/Shanghai' },
    ticks: shifted(-8),
  }),
  file('Time (local) as a title', 'Time (local),price', '{plain},{price}', {
    refused: '"local" is not known as one',
    then: { zone: 'UTC' },
  }),
  file('Time (HH:MM:SS) as a title', 'Time (HH:MM:SS),price', '{plain},{price}'),
  besideZone('tz', 'EST', 'EST', -5),
  besideZone('timezone', 'America/New_York', 'America/New_York', -5),
  besideZone('GMT Offset', '-5', '-05:00', -5),
  besideZone('utc_offset', '-0500', '-0500', -5),
  besideZone('tz_offset', '-300', '-05:00', -5),
  besideZone('gmtoff', '-18000', '-05:00', -5),
  file('UTC in a column of its own', 'time,zone,price', '{plain},UTC,{price}'),
  file(
    'Reuters: an offset next to times that are GMT by their titles',
    '#RIC,Date[G],Time[G],GMT Offset,Price',
    'ESH4,{Y}-{M}-{D},{h}:{m}:{s}.{f},-5,{price}',
  ),
  // Fractions and halves of a day
  file(
    'seconds, and nanoseconds in a column of their own',
    'tv_sec,tv_nsec,price',
    (tick) => `${seconds(tick)},${(tick.us % 1e6) * 1000},${tick.price}`,
  ),
  file(
    'a part of the second under ts_nsec next to ts_sec',
    'ts_sec,ts_nsec,price',
    (tick) => `${seconds(tick)},${(tick.us % 1e6) * 1000},${tick.price}`,
  ),
  ...([':', '.'] as const).map((mark): FileCase => ({
    name: `milliseconds without leading zeros behind "${mark}"`,
    write: () =>
      table('time,price', ({ us, price }) => `${at(us, `{Y}-{M}-{D} {h}:{m}:{s}${mark}`)}${(us / 1000) % 1000},${price}`)(slow()),
    refused: 'not filled up to one length',
  })),
  {
    name: 'fractions without their last zeros',
    write: () => table('time,price', ({ us, price }) => `${plain(us).replace(/\.?0+$/, '')},${price}`)(slow()),
    ticks: slow,
  },
  file(
    'PM in a column of its own',
    'Date,Time,AMPM,price',
    ({ us, price }) => `${at(us, '{Y}-{M}-{D},0')}${at(us - 12 * 3600e6, '{H}:{m}:{s}')},PM,${price}`,
    { refused: 'says AM or PM of the times' },
  ),
  one('seconds of GPS by their name', (us) => (us / 1e6 - 315_964_800 + 18).toFixed(3), {
    write: table('gps_time,price', ({ us, price }) => `${(us / 1e6 - 315_964_800 + 18).toFixed(3)},${price}`),
    refused: 'counts from another year than 1970',
  }),
  {
    name: 'nanoseconds since 2000 of a spring in which they are .NET ticks of 2006 too',
    write: () => table('time,price', ({ us, price }) => `${(BigInt(us) - 946_684_800_000_000n) * 1000n},${price}`)(springTicks()),
    ticks: springTicks,
  },
  file(
    'a time in digits of another base next to a receive time',
    'mark,received_at,price',
    ({ us, price }) => `${(us / 1000).toString(16)},${plain(us + 4000)},${price}`,
    { refused: 'looks like one, and the form of' },
  ),
  {
    name: 'a long number next to a date that looks like one second of a day, without a header',
    write: () => table('', ({ us, price }) => `${us / 10},2024-06-21,${price},7`)(caseTicks(240, 1_719_014_414_694_780)),
    refused: 'may be written in several ways',
  },
  // Prices
  file(
    'one side by its name next to the price of the trades under a name that says nothing',
    'time,ask,executed',
    ({ us, price }, i) => `${plain(us)},${price + 0.25},${price + (i % 3) * 0.25}`,
    {
      refused: 'only the first is named',
      then: { columns: { time: 'time', price: 'executed' } },
      ticks: (ticks) => ticks.map(({ us, price }, i) => ({ us, price: price + (i % 3) * 0.25 })),
    },
  ),
  file(
    "bonds in 32nds: 110'165",
    'time;price',
    ({ us, size }) => `${iso(us)};110'${String((size % 32) * 10 + [0, 2, 5, 7][size % 4]).padStart(3, '0')}`,
    { refused: 'no column is named as a price' },
  ),
  file("an apostrophe between thousands: 4'790.25", 'time;price', ({ us, price }) => `${iso(us)};4'${price.toFixed(2).slice(1)}`),
  file('a price that never changes next to a volume that moves like prices', 'time,price,volume', '{iso},1,{price}', {
    refused: '"price" never changes',
    then: { columns: { time: 'time', price: 'volume' } },
  }),
  file(
    'columns as those of Binance trades, with an order number in place of the price',
    '',
    ({ us, price, size }, i) => `${7 * i + size},${1e9 + ((i * 611_953) % 999_983) * 1000},${price},7,${us / 1000},${i % 3 === 0}`,
    { refused: '--columns time=5,price=3', then: { columns: { time: '5', price: '3' } } },
  ),
  // Markets and kinds of rows
  file(
    'futures of two months at nearly the same price, under a title that says nothing',
    'time,x,price',
    ({ us, price }, i) => `${iso(us)},${i % 2 ? 'ESM4' : 'ESH4'},${i % 2 ? price + 1 : price}`,
    { refused: '--symbol x=ESH4', then: { symbol: 'x=ESH4' }, ticks: every(0, 2) },
  ),
  file(
    'the next contract from some row on, told by a number',
    'time,token,price',
    ({ us, price }, i) => `${iso(us)},${i < 120 ? 256_265 : 260_105},${i < 120 ? price : price + 48}`,
    { refused: '--symbol token=256265', then: { symbol: 'token=256265' }, ticks: (ticks) => ticks.slice(0, 120) },
  ),
  file(
    'changes of a book: sizes of 0 next to a side',
    'timestamp,side,price,amount',
    ({ us, price, size }, i) => `${us},${i % 2 ? 'buy' : 'sell'},${price + away(i)},${i % 3 ? size : 0}`,
    { refused: 'levels of an order book' },
  ),
  file(
    'changes of a book without a header',
    '',
    ({ us, price, size }, i) => `${us},${i % 2 ? 'b' : 'a'},${price + away(i)},${i % 3 ? size : 0}`,
    { refused: 'levels of an order book' },
  ),
  file(
    'mark, index and last price by their words, under a title that says nothing',
    'ts,c2,price',
    ({ us, price }, i) => `${us},${['last', 'mark', 'index'][i % 3]},${price + (i % 3) * 0.25}`,
    { refused: '--event c2=last', then: { event: 'c2=last' }, ticks: every(0, 3) },
  ),
  file('trades that were deleted later', 'ts,price,is_deleted', ({ us, price }, i) => `${us},${price},${i % 40 === 7}`, {
    refused: '--event false',
    then: { event: 'false' },
    ticks: without(7, 40),
  }),
  // Snapshots
  {
    name: 'a last price every second next to the open, the highest and the lowest of the day',
    write: () => {
      const day = soFar(onGrid());
      return table('Time,Open,High,Low,Last,Volume', ({ us, price }, i) => `${iso(us)},${day[i]},${price},${100 * i}`)(onGrid());
    },
    ticks: onGrid,
  },
  // JSON
  lines(
    'the symbol from the second line on',
    ({ us, price }, i) => (i === 0 ? { ts: us, price } : { ts: us, price: i % 2 ? price + 1 : price, symbol: i % 2 ? 'ESM4' : 'ESH4' }),
    { refused: '--symbol ESH4', then: { symbol: 'ESH4' }, ticks: (ticks) => every(0, 2)(ticks).slice(1) },
  ),
  lines('quotes with a trade as first line', ({ us, price, bid, ask }, i) => (i === 0 ? { ts: us, last: price } : { ts: us, bid, ask }), {
    ticks: (ticks) => ticks.slice(1),
    finding: 'row.no_price',
  }),
  lines('values in an object inside each line', ({ us, price }) => ({ data: { t: us / 1000, p: price } })),
];
