import { formatTimestamp } from '../../src/ticks/timestamps.ts';
import { midPrice } from '../../src/ticks/midPrice.ts';

/** A table of ticks in a layout drawn by chance, and what a right reading of it gives. */
export type RandomLayout = {
  readonly text: string;
  /** For messages. */
  readonly shape: string;
  readonly timesUs: readonly number[];
  readonly prices: readonly number[];
  /** It holds two markets: every reading without a question is wrong. */
  readonly isMixed: boolean;
  /** Its columns contradict each other or show nothing that tells: to be read right, or refused. */
  readonly isHard: boolean;
};

type Draw = { real(): number; below(count: number): number; of<T>(all: readonly T[]): T; chance(fraction: number): boolean };
type Tick = { readonly us: number; readonly bid: number; readonly ask: number; readonly price: number; readonly market: number };
type Field = { readonly name: string; readonly role: string; value(tick: Tick, row: number): string };

const SECOND_US = 1_000_000;
const DAY_US = 86_400 * SECOND_US;

/** mulberry32 */
function drawing(seed: number): Draw {
  let state = seed >>> 0;
  const real = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(real() * count);
  return { real, below, of: (all) => all[below(all.length)], chance: (fraction) => real() < fraction };
}

/** Level, tick and decimals of a market. */
const MARKETS = [
  [1.0943, 0.00001, 5],
  [46211.5, 0.5, 1],
  [4790.25, 0.25, 2],
  [0.6612, 0.0001, 4],
  [148.123, 0.001, 3],
  [23.95, 0.01, 2],
  [6014, 1, 0],
  [191.61, 0.01, 2],
  [0.000123, 0.0000001, 7],
  [1406486, 1, 0],
] as const;

const text = (us: number, form: string, digits = 3): string => {
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
    ...{ f: full.slice(20, 20 + digits), H: String(Number(full.slice(11, 13))) },
  };
  return form.replace(/\{(\w)\}/g, (_, part: string) => parts[part]);
};
const big = (us: number, factor: bigint, offset: bigint): string => String(BigInt(us) * factor + offset);

type Form = {
  readonly name: string;
  readonly stepUs: number;
  readonly columns: readonly { readonly names: readonly string[]; value(us: number): string }[];
};
const one = (name: string, stepUs: number, value: (us: number) => string): Form => ({
  name,
  stepUs,
  columns: [{ names: ['timestamp', 'Time', 'datetime', 'ts', 'trade_time', 'Date'], value }],
});
const two = (name: string, stepUs: number, day: string, value: (us: number) => string): Form => ({
  name,
  stepUs,
  columns: [
    { names: ['Date', 'date', 'TradeDate', 'DAY', 'TRADING_DATE'], value: (us) => text(us, day) },
    { names: ['Time', 'time', 'TradeTime', 'timeofday', 'EXCH_TIME'], value },
  ],
});
/** Bars under the names of vendors: open, high, low, close, then closes of bid and ask. */
const BAR_NAMES: readonly (readonly string[])[] = [
  ['open', 'high', 'low', 'close'],
  ['Open', 'High', 'Low', 'Last'],
  ['PX_OPEN', 'PX_HIGH', 'PX_LOW', 'PX_LAST'],
  ['first', 'max', 'min', 'last'],
  ['begin', 'peak', 'trough', 'price'],
];
const SIDE_CLOSES: readonly (readonly string[])[] = [
  ['BidClose', 'AskClose'],
  ['closeBid', 'closeAsk'],
];
/** Kinds of rows, trades first, as feeds write them. */
const EVENTS: readonly (readonly string[])[] = [
  ['T', 'Q'],
  ['T', 'Q', 'A', 'D'],
  ['F', 'A', 'C', 'M'],
  ['trade', 'bid', 'ask'],
];
/** A book of five levels a side. */
const LEVELS = 10;
const sinceMidnight = (us: number): number => us % DAY_US;

const FORMS: readonly Form[] = [
  one('iso', 1000, (us) => text(us, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z')),
  one('blank', 1000, (us) => text(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}')),
  one('micros', 1, (us) => text(us, '{Y}-{M}-{D} {h}:{m}:{s}.{f}', 6)),
  one('offset', 1000, (us) => text(us + 3600 * SECOND_US, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}+01:00')),
  one('seconds', SECOND_US, (us) => text(us, '{Y}-{M}-{D} {h}:{m}:{s}')),
  one('dotted', 1000, (us) => text(us, '{D}.{M}.{Y} {h}:{m}:{s}.{f}')),
  one('american', 1000, (us) => text(us, '{M}/{D}/{Y} {h}:{m}:{s}.{f}')),
  one('packed', 1000, (us) => text(us, '{Y}{M}{D} {h}{m}{s}{f}')),
  one('17 digits', 1000, (us) => text(us, '{Y}{M}{D}{h}{m}{s}{f}')),
  one('FIX', 1000, (us) => text(us, '{Y}{M}{D}-{h}:{m}:{s}.{f}')),
  one('kdb', 1, (us) => `${text(us, '{Y}.{M}.{D}D{h}:{m}:{s}.{f}', 6)}000`),
  one('epoch s', SECOND_US, (us) => String(us / SECOND_US)),
  one('epoch s.f', 1000, (us) => (us / SECOND_US).toFixed(3)),
  one('epoch ms', 1000, (us) => String(us / 1000)),
  one('epoch us', 1, (us) => String(us)),
  one('epoch ns', 1, (us) => big(us, 1000n, 0n)),
  one('.NET', 1, (us) => big(us, 10n, 621_355_968_000_000_000n)),
  one('FILETIME', 1, (us) => big(us, 10n, 116_444_736_000_000_000n)),
  one('Excel', 1000, (us) => (us / DAY_US + 25_569).toFixed(10)),
  two('split', 1000, '{Y}-{M}-{D}', (us) => text(us, '{h}:{m}:{s}.{f}')),
  two('split dotted', 1000, '{D}.{M}.{Y}', (us) => text(us, '{h}:{m}:{s}.{f}')),
  two('split slashed', 1000, '{Y}/{M}/{D}', (us) => text(us, '{h}:{m}:{s}.{f}')),
  two('split packed', 1000, '{Y}{M}{D}', (us) => text(us, '{h}:{m}:{s}.{f}')),
  two('digits.f', 1000, '{Y}{M}{D}', (us) => text(us, '{h}{m}{s}.{f}')),
  two('digits.f dashed', 1000, '{Y}-{M}-{D}', (us) => text(us, '{h}{m}{s}.{f}')),
  two('Hmmss.f', 1000, '{Y}{M}{D}', (us) => text(us, '{H}{m}{s}.{f}')),
  two('hhmmss', SECOND_US, '{Y}{M}{D}', (us) => text(us, '{h}{m}{s}')),
  two('hhmmssfff', 1000, '{Y}-{M}-{D}', (us) => text(us, '{h}{m}{s}{f}')),
  two('Hmmssfff', 1000, '{Y}{M}{D}', (us) => text(us, '{H}{m}{s}{f}')),
  two('elapsed s', 1000, '{Y}-{M}-{D}', (us) => (sinceMidnight(us) / SECOND_US).toFixed(3)),
  two('elapsed ms', 1000, '{Y}{M}{D}', (us) => String(sinceMidnight(us) / 1000)),
  {
    name: 'split with milliseconds',
    stepUs: 1000,
    columns: [
      { names: ['Date'], value: (us) => text(us, '{Y}-{M}-{D}') },
      { names: ['Time'], value: (us) => text(us, '{h}:{m}:{s}') },
      { names: ['Millisecond', 'ms', 'UpdateMillisec'], value: (us) => String((us / 1000) % 1000) },
    ],
  },
];

/** Forms that fit other times of day too, that are cut, or that no program is to know. */
const HARD_FORMS: readonly Form[] = [
  one('1.704810600495e+12', 1000, (us) => (us / 1000).toExponential(12)),
  one('1.70e+12', 1000, (us) => (us / 1000).toExponential(2)),
  one('12 digits', 60 * SECOND_US, (us) => text(us, '{Y}{M}{D}{h}{m}')),
  one('epoch minutes', 60 * SECOND_US, (us) => String(us / 60 / SECOND_US)),
  one('epoch 10 us', 10, (us) => String(us / 10)),
  two('hhmmss as a number', SECOND_US, '{Y}{M}{D}', (us) => String(Number(text(us, '{h}{m}{s}')))),
  two('hhmmssfff as a number', 1000, '{Y}-{M}-{D}', (us) => String(Number(text(us, '{h}{m}{s}{f}')))),
  two('hhmm as a number', 60 * SECOND_US, '{Y}{M}{D}', (us) => String(Number(text(us, '{h}{m}')))),
  two('whole seconds of the day', SECOND_US, '{Y}{M}{D}', (us) => String(sinceMidnight(us) / SECOND_US)),
  two('microseconds of the day', 1, '{Y}-{M}-{D}', (us) => String(sinceMidnight(us))),
  two('nanoseconds of the day', 1, '{Y}-{M}-{D}', (us) => `${sinceMidnight(us)}000`),
  two('part of the day', 1000, '{Y}{M}{D}', (us) => (sinceMidnight(us) / DAY_US).toFixed(9)),
];

/** One layout of the many, by its seed. */
export function randomLayout(seed: number): RandomLayout {
  const draw = drawing(seed);
  const isHard = draw.chance(0.4);
  const form = isHard && draw.chance(0.5) ? draw.of(HARD_FORMS) : draw.of(FORMS);
  const isMixed = draw.chance(0.1);
  const kind =
    isHard && !isMixed && form.stepUs <= SECOND_US
      ? draw.of(['ticks', 'ticks', 'ticks', 'bars', 'side bars', 'levels', 'events'] as const)
      : 'ticks';
  const isQuotes = kind === 'side bars' || (kind === 'ticks' && draw.chance(0.35));
  const json = isHard && draw.chance(0.2) ? draw.of(['lines', 'split'] as const) : undefined;
  // Without their names nothing tells closes of bid and ask from quotes.
  const hasHeader = json !== undefined || kind === 'side bars' || draw.chance(0.55);
  const separator = draw.of([',', ',', ',', ';', '\t', '|', ' ']);
  const point = draw.chance(0.25) ? ',' : '.';
  const isQuoted = point === ',' && separator === ',' ? draw.chance(0.6) : draw.chance(0.1);
  const ticks = series(draw, form.stepUs, isMixed, isHard);
  const barUs = draw.of([10, 60]) * SECOND_US;
  if (kind !== 'ticks' && kind !== 'events') arrange(ticks, kind === 'levels' ? 0 : barUs);
  const market = MARKETS[ticks[0].market];
  const decimals = market[2];
  // 6.013 without any decimals next to it is what it looks like.
  const canGroup = (separator !== ',' || isQuoted) && (point === '.' || decimals > 0);
  const thousands = canGroup && draw.chance(0.1) ? (point === ',' ? '.' : ',') : '';
  const currency = isHard && json === undefined && draw.chance(0.1) ? '$' : '';
  const isTrimmed = thousands === '' && draw.chance(0.2);
  const number = (value: number): string => {
    const plain = isTrimmed ? String(Number(value.toFixed(decimals))) : value.toFixed(decimals);
    const [whole = '', fraction] = plain.split('.');
    const grouped = thousands === '' ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, thousands);
    return currency + (fraction === undefined ? grouped : `${grouped}${point}${fraction}`);
  };
  const stamps: Field[] = form.columns.map(({ names, value }, i) => ({
    name: draw.of(names),
    role: `time${i}`,
    value: ({ us }) => value(us),
  }));
  const unit = market[1];
  const level = (row: number): number => (Math.floor(row % LEVELS) % (LEVELS / 2)) + 1;
  const isBidRow = (row: number): boolean => row % LEVELS < LEVELS / 2;
  const events = draw.of(EVENTS);
  const open = (row: number): number => ticks[Math.max(0, row - 1)].price;
  const bars: readonly ((tick: Tick, row: number) => number)[] = [
    (_tick, row) => open(row),
    ({ price }, row) => Math.max(open(row), price) + unit * (row % 3),
    ({ price }, row) => Math.min(open(row), price) - unit * (row % 2),
    ({ price }) => price,
  ];
  const barFields = (names: readonly string[], values: typeof bars): Field[] =>
    names.map((name, i) => ({ name, role: `price bar ${name}`, value: (tick, row) => number(values[i](tick, row)) }));
  const ofKind: Record<Exclude<typeof kind, 'ticks'>, () => Field[]> = {
    bars: () => barFields(draw.of(BAR_NAMES), bars),
    'side bars': () => barFields(draw.of(SIDE_CLOSES), [({ bid }) => bid, ({ ask }) => ask]),
    events: () => [
      { name: draw.of(['action', 'kind', 'e']), role: 'event', value: (_tick, row) => events[row % events.length] },
      {
        name: 'price',
        role: 'price event',
        // Every second kind is an order that waits further away, up to seven steps.
        value: ({ price }, row) => number(price + (row % events.length) * unit * (1 + (row % 7)) * (row % 4 < 2 ? 1 : -1)),
      },
    ],
    levels: () => [
      { name: draw.of(['book_side', 'is_bid', 'S']), role: 'book side', value: (_tick, row) => (isBidRow(row) ? '0' : '1') },
      {
        name: 'price',
        role: 'price level',
        value: ({ bid, ask }, row) => number(isBidRow(row) ? bid - level(row) * unit : ask + level(row) * unit),
      },
    ],
  };
  const prices: Field[] =
    kind !== 'ticks'
      ? ofKind[kind]()
      : isQuotes
        ? [
            { name: draw.of(['bid', 'Bid Price', 'bidPrice', 'best_bid', 'BID']), role: 'bid', value: ({ bid }) => number(bid) },
            {
              name: draw.of(isHard ? ['ask', 'x2', 'c4'] : ['ask', 'Ask Price', 'askPrice', 'best_ask', 'best_offer']),
              role: 'ask',
              value: ({ ask }) => number(ask),
            },
          ]
        : [
            {
              name: draw.of(['price', 'Price', 'last', 'Last Price', 'px', 'trade_price']),
              role: 'price',
              value: ({ price }) => number(price),
            },
          ];
  const extras = extraFields(draw, point, separator, isMixed);
  if (isHard) extras.push(...hardFields(draw, ticks[0], number, { decimals, point }));
  const fields = shuffled(draw, [...grouped(draw, stamps), ...grouped(draw, prices), ...extras.map((field) => [field])]).flat();
  const isSafe = (value: string): string => (isQuoted || value.includes(separator) ? `"${value}"` : value);
  // A separator within a value needs quotes; a decimal comma between commas has none where people forget them.
  const cell = (value: string, role: string): string =>
    separator === ',' && point === ',' && !isQuoted && /^(?:bid|ask|price|size)/.test(role) ? value : isSafe(value);
  const rows = ticks.map((tick, row) => fields.map(({ value }) => value(tick, row)));
  const lines = rows.map((row) => row.map((value, at) => cell(value, fields[at].role)).join(separator));
  const header = hasHeader ? [fields.map(({ name }) => isSafe(name)).join(separator)] : [];
  const end = draw.of(isHard ? ['\n', '\r\n', '\r'] : ['\n', '\n', '\r\n']);
  const mark = isHard && draw.chance(0.2) ? '\ufeff' : '';
  return {
    text:
      json === undefined
        ? mark + [...header, ...lines, ''].join(end)
        : jsonText(
            draw,
            json,
            [...fields.keys()].filter((at) => fields.findIndex(({ name }) => name === fields[at].name) === at),
            fields,
            rows,
          ),
    shape: `seed ${seed}: ${form.name}, ${kind === 'ticks' ? (isQuotes ? 'quotes' : 'trades') : kind}, ${json ?? 'text'}, ${hasHeader ? 'header' : 'no header'}, ${JSON.stringify(separator)}, ${point}, ${fields.map(({ role }) => role).join(' ')}`,
    timesUs: ticks.map(({ us }) => (kind === 'ticks' ? us : us + barUs)),
    prices: ticks.map((tick) => {
      const read = (value: number): number => Number(value.toFixed(decimals));
      return isQuotes ? midPrice(read(tick.bid), read(tick.ask)) : read(tick.price);
    }),
    isMixed: isMixed || kind === 'levels' || kind === 'events',
    isHard,
  };
}

/** Ticks at the beginning of each bar, with the pauses of a market, or ten rows of one moment. */
function arrange(ticks: Tick[], barUs: number): void {
  const fromUs = ticks[0].us - (ticks[0].us % (60 * SECOND_US));
  for (const [i, tick] of ticks.entries()) {
    const head = ticks[i - (i % LEVELS)];
    ticks[i] = barUs > 0 ? { ...tick, us: fromUs + (i + Math.floor(i / 40)) * barUs } : { ...head };
  }
}

/** Objects line by line with their keys in any order, or the columns and the rows of pandas. */
function jsonText(
  draw: Draw,
  form: 'lines' | 'split',
  columns: readonly number[],
  fields: readonly Field[],
  rows: readonly (readonly string[])[],
): string {
  const value = (text: string): string => (text === '' ? 'null' : /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? text : JSON.stringify(text));
  const name = (at: number): string => JSON.stringify(fields[at].name);
  if (form === 'split')
    return `{"columns":[${columns.map(name).join()}],"data":[${rows.map((row) => `[${columns.map((at) => value(row[at])).join()}]`).join()}]}`;
  return rows
    .map(
      (row) =>
        `{${shuffled(draw, columns)
          .map((at) => `${name(at)}:${value(row[at])}`)
          .join()}}\n`,
    )
    .join('');
}

function series(draw: Draw, stepUs: number, isMixed: boolean, isHard: boolean): Tick[] {
  const first = draw.below(MARKETS.length);
  const second = isMixed ? (first + 1 + draw.below(MARKETS.length - 1)) % MARKETS.length : first;
  const levels = new Map([first, second].map((market) => [market, MARKETS[market][0] as number]));
  const count = 60 + draw.below(70);
  const hour = isHard ? draw.of([0, 0, 9, 14]) : 1 + draw.below(20);
  const minute = isHard ? draw.of([0, 1, 30]) : draw.below(60);
  let us = Date.UTC(2019 + draw.below(7), draw.below(12), 1 + draw.below(28), hour, minute, draw.below(60)) * 1000;
  if (stepUs > SECOND_US) us -= us % stepUs;
  return Array.from({ length: count }, (_, i) => {
    us += stepUs * (stepUs >= SECOND_US ? draw.below(4) : 1 + draw.below(Math.floor((2 * SECOND_US) / stepUs)));
    // Both markets are there, whatever the chance.
    const market = isMixed && (i % 7 === 3 || draw.chance(0.4)) ? second : first;
    const [, tick, decimals] = MARKETS[market];
    const level = levels.get(market)! + tick * (draw.below(7) - 3);
    levels.set(market, level);
    const price = Number(level.toFixed(decimals));
    return {
      us,
      price,
      bid: Number((price - tick).toFixed(decimals)),
      ask: Number((price + tick * draw.below(2)).toFixed(decimals)),
      market,
    };
  });
}

function extraFields(draw: Draw, point: string, separator: string, isMixed: boolean): Field[] {
  const base = draw.of([1, 441_000, 13_519_807, 1_475_000_000, 3_000_000_000, 4_300_000_000]);
  const decimal = (value: number, digits: number): string => value.toFixed(digits).replace('.', point);
  let sum = 1000;
  const all: readonly Field[] = [
    {
      name: draw.of(['size', 'Volume', 'qty', 'amount']),
      role: 'size',
      value: () => draw.of([String(1 + draw.below(50)), String(10 * (1 + draw.below(9)))]),
    },
    { name: draw.of(['size', 'quantity', 'amount']), role: 'size.f', value: () => decimal(0.0001 + 3 * draw.real() ** 3, 4) },
    { name: draw.of(['id', 'trade_id', 'tradeId']), role: 'id', value: (_tick, row) => String(base + row) },
    { name: 'order_id', role: 'order', value: () => String(1_000_000 + draw.below(9_000_000)) },
    { name: 'seq', role: 'seq', value: (_tick, row) => String(base + 3 * row + (row % 2)) },
    { name: 'side', role: 'side', value: () => draw.of(['buy', 'sell']) },
    { name: 'is_buyer_maker', role: 'flag', value: () => draw.of(['true', 'false']) },
    { name: 'exchange', role: 'venue', value: () => draw.of(['P', 'Q', 'N']) },
    { name: 'flags', role: 'flags', value: () => draw.of(['0', '6', '130']) },
    { name: 'cum_volume', role: 'sum', value: () => String((sum += 1 + draw.below(9))) },
    { name: 'note', role: 'empty', value: () => (separator === ' ' ? '-' : '') },
    { name: 'decimals', role: 'constant', value: () => '5' },
  ];
  const symbol: Field = {
    name: draw.of(['symbol', 'ticker', 'instrument', 'Pair']),
    role: 'symbol',
    value: ({ market }) => `M${'ABCDEFGHIJ'[market]}USD`,
  };
  const taken = new Set<string>();
  const extras = shuffled(draw, all).filter(({ name }) => !taken.has(name) && taken.add(name).size > 0 && draw.chance(0.3));
  return isMixed || draw.chance(0.3) ? [...extras, symbol] : extras;
}

/** Columns that look like the price or the time of the row: of a few, as vendors add them. */
function hardFields(
  draw: Draw,
  first: Tick,
  number: (value: number) => string,
  { decimals, point }: { readonly decimals: number; readonly point: string },
): Field[] {
  const delayUs = draw.of([2000, 300_000, 3 * SECOND_US, 120 * SECOND_US]);
  const unit = 10 ** -decimals;
  const decimal = (value: number, digits: number): string => value.toFixed(digits).replace('.', point);
  let mean = first.price;
  let level = 3000;
  const all: readonly Field[] = [
    {
      name: draw.of(['mark_price', 'vwap', 'mid']),
      role: 'price mean',
      value: ({ price }) => decimal((mean += (price - mean) * 0.2), decimals + 1),
    },
    { name: draw.of(['prev_close', 'settle']), role: 'price before', value: () => number(first.price) },
    { name: draw.of(['nbbo', 'limit_price']), role: 'price above', value: ({ price }) => number(price + 3 * unit) },
    { name: draw.of(['vix', 'funding']), role: 'walk', value: () => decimal((level += draw.below(7) - 3), 1) },
    {
      name: draw.of(['recv_time', 'local_ts', 'receipt_timestamp']),
      role: 'receive ms',
      value: ({ us }) => String(Math.floor((us + delayUs) / 1000)),
    },
    {
      name: draw.of(['received_at', 'capture']),
      role: 'receive time',
      value: ({ us }) => text(us + delayUs, '{Y}-{M}-{D} {h}:{m}:{s}.{f}'),
    },
    { name: 'arrival', role: 'receive 1.70e+12', value: ({ us }) => ((us + delayUs) / 1000).toExponential(2) },
    { name: draw.of(['sent', 'orig_time']), role: 'clock', value: ({ us }) => text(us - delayUs, '{h}:{m}:{s}.{f}') },
    { name: draw.of(['queue', 'depth']), role: 'noise', value: () => String(100 + draw.below(12)) },
    { name: draw.of(['sod', 'n1']), role: 'seconds', value: ({ us }) => decimal(sinceMidnight(us) / SECOND_US, 3) },
    { name: 'hour', role: 'hour', value: ({ us }) => text(us, '{H}') },
    { name: 'mjd', role: 'days', value: ({ us }) => decimal(us / DAY_US + 40_587, 6) },
    { name: 'chg', role: 'change', value: ({ price }) => decimal(price - first.price, decimals) },
    { name: 'expiry', role: 'expiry', value: ({ us }) => text(us + 30 * DAY_US, '{Y}-{M}-{D}') },
  ];
  return all.filter(() => draw.chance(0.25));
}

/** Side by side mostly, else apart. */
const grouped = (draw: Draw, fields: readonly Field[]): (readonly Field[])[] =>
  draw.chance(0.8) ? [fields] : fields.map((field) => [field]);

function shuffled<T>(draw: Draw, all: readonly T[]): T[] {
  const left = [...all];
  return Array.from({ length: all.length }, () => left.splice(draw.below(left.length), 1)[0]);
}
