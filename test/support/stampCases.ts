import {
  aroundMidnight,
  at,
  big,
  type CaseTick,
  comma,
  DAY_US,
  file,
  type FileCase,
  grouped,
  HOUR_US,
  iso,
  ms,
  one,
  plain,
  shifted,
  START_US,
  table,
  whole,
  without,
} from './fileCase.ts';

/** Forms of stamps and numbers. */
export const STAMP_CASES: readonly FileCase[] = [
  one('.NET ticks', (us) => big(us, 10n, 621_355_968_000_000_000n)),
  one('Windows file times', (us) => big(us, 10n, 116_444_736_000_000_000n)),
  one('nanoseconds since 2000', (us) => big(us - 946_684_800_000_000, 1000n, 0n)),
  one('day numbers of a spreadsheet', (us) => (us / DAY_US + 25_569).toFixed(9)),
  one('seconds since 1601, which is no epoch in use here', (us) => String(Math.floor(us / 1e6) + 11_644_473_600), {
    refused: 'no time between 2000 and next year',
  }),
  one('a zone as UTC', '{plain} UTC'),
  one('a zone as +0000 UTC', '{plain} +0000 UTC'),
  one('a zone as Z[UTC]', '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z[UTC]'),
  one('a zone as -05:00[America/New_York]', (us) => `${at(us - 5 * HOUR_US, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}')}-05:00[America/New_York]`),
  one('a zone as EST', (us) => `${plain(us - 5 * HOUR_US)} EST`),
  one('a zone as US/Eastern', (us) => `${plain(us - 5 * HOUR_US)} US/Eastern`),
  file('a place in the title', 'time (America/New_York),price', '{plain},{price}', { ticks: shifted(5) }),
  one('CST, which is Chicago or China', '{plain} CST', { refused: 'no column has date and time' }),
  one('20240119-14:30:01.053, as FIX writes it', '{Y}{M}{D}-{h}:{m}:{s}.{f}'),
  one('Fri Jan 19 14:30:01 2024', 'Fri Jan {D} {h}:{m}:{s} {Y}', { ticks: whole }),
  file('02:30:01 p. m.', 'time;price', ({ us, price }) => `${at(us, '{D}/{M}/{Y} 02:{m}:{s}')} p. m.;${comma(price)}`, { ticks: whole }),
  file('seconds of the day', 'date,time,price', ({ us, price }) => `${at(us, '{Y}{M}{D}')},${((us % DAY_US) / 1e6).toFixed(3)},${price}`),
  file('143001053 as a time', 'date,time,price', '{Y}{M}{D},{h}{m}{s}{f},{price}'),
  file('93001053 as a time', 'date,time,price', ({ us, price }) => `${at(us - 5 * HOUR_US, '{Y}{M}{D},{H}{m}{s}{f}')},${price}`, {
    ticks: shifted(-5),
  }),
  file('a time in digits without a title', '', '{Y}{M}{D},{h}{m}{s}.{f},{price},{size}'),
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
  file('dates without a time', 'date,price', '{Y}-{M}-{D},{price}', { refused: 'holds dates alone' }),
  file('minutes and seconds without hours, from a spreadsheet', 'Time,Price', '{m}:{s}.4,{price}', { refused: 'minutes and seconds' }),
  file('epoch numbers that a spreadsheet rounded', 'timestamp,price', '1.704811E+12,{price}', { refused: 'a spreadsheet has rounded' }),
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
  one('12 digits, to the minute', '{Y}{M}{D}{h}{m}', {
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
  file('milliseconds since 1970 next to a date', 'date,ts_recv,price', '{Y}{M}{D},{ms},{price}'),
  one('14 digits and a fraction', '{Y}{M}{D}{h}{m}{s}.{f}'),
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
  file('thousands in quotes', 'Time,Price,Volume', ({ us, price, size }) => `${plain(us)},"${grouped(price)}",${size}`),
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
];
