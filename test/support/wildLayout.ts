import { midPrice } from '../../src/ticks/midPrice.ts';
import { at, big, plain } from './fileCase.ts';

/**
 * A table of ticks or bars as some recorder, vendor or person might write it, drawn by chance: names that say little, columns that look like prices
 * and times, recorders' stamps, several markets and kinds of rows, odd separators and numbers, and JSON.
 */
export type WildLayout = {
  readonly text: string;
  readonly shape: string;
  /** What a right reading gives: of a table with several series, each of them; none where every reading is wrong. */
  readonly series: readonly { readonly timesUs: readonly number[]; readonly prices: readonly number[] }[];
  /** Reading it without a question is right. */
  readonly isSingle: boolean;
};

type Rng = { unit(): number; int(low: number, high: number): number; pick<T>(all: readonly T[]): T; is(chance: number): boolean };
type Row = { readonly us: number; readonly units: number; readonly spread: number; readonly size: number; readonly of: number };
type Cell = { readonly title: string; readonly tag: string; readonly text: (row: Row, i: number) => string };

const S = 1_000_000;
const DAY = 86_400 * S;

/** xorshift32 behind a hash of the seed. */
function rngOf(seed: number): Rng {
  let x = Math.imul(seed + 0x9e3779b9, 0x85ebca6b) | 1;
  const unit = (): number => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) unit();
  const int = (low: number, high: number): number => low + Math.floor(unit() * (high - low + 1));
  return { unit, int, pick: (all) => all[int(0, all.length - 1)], is: (chance) => unit() < chance };
}

type Stamp = { readonly tag: string; readonly step: number; readonly write: (us: number) => string };
/** `form`: as of `at`. */
const stamp = (tag: string, step: number, form: string | ((us: number) => string)): Stamp => ({
  ...{ tag, step, write: typeof form === 'string' ? (us) => at(us, form) : form },
});

const WHOLE: readonly Stamp[] = [
  stamp('iso us Z', 1, '{Y}-{M}-{D}T{h}:{m}:{s}.{u}Z'),
  stamp('iso 9', 1, '{Y}-{M}-{D}T{h}:{m}:{s}.{u}000'),
  stamp('7 digits', 1, '{Y}-{M}-{D} {h}:{m}:{s}.{u}0'),
  stamp('8 digits', 1, '{Y}-{M}-{D} {h}:{m}:{s}.{u}00'),
  stamp('+00', 1000, '{Y}-{M}-{D} {h}:{m}:{s}.{f}+00'),
  stamp('+0000 UTC', 1000, '{Y}-{M}-{D} {h}:{m}:{s}.{f} +0000 UTC'),
  stamp('Z[UTC]', 1000, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}Z[UTC]'),
  stamp('-03:30', 1000, (us) => at(us - 3.5 * 3600 * S, '{Y}-{M}-{D}T{h}:{m}:{s}.{f}-03:30')),
  stamp('slashes', 1000, '{Y}/{M}/{D} {h}:{m}:{s}.{f}'),
  stamp('dots', 1000, '{Y}.{M}.{D} {h}:{m}:{s}.{f}'),
  stamp('d/m', 1000, '{D}/{M}/{Y} {h}:{m}:{s}.{f}'),
  stamp('m/d AM', S, '{N}/{d}/{Y} {j}:{m}:{s} {P}'),
  stamp('d-Mon', 1000, '{D}-{b}-{Y} {h}:{m}:{s}.{f}'),
  stamp('Mon d,', S, '{b} {D}, {Y} {h}:{m}:{s}'),
  stamp('packed :', 1000, '{Y}{M}{D} {h}:{m}:{s}.{f}'),
  stamp('packed -', 1, '{Y}{M}{D}-{h}:{m}:{s}.{u}'),
  stamp('packed T', S, '{Y}{M}{D}T{h}{m}{s}'),
  stamp('14 digits', S, '{Y}{M}{D}{h}{m}{s}'),
  stamp('20 digits', 1, '{Y}{M}{D}{h}{m}{s}{u}'),
  stamp('kdb', 1, '{Y}.{M}.{D}D{h}:{m}:{s}.{u}000'),
  stamp('bitmex', 1, '{Y}-{M}-{D}D{h}:{m}:{s}.{u}000'),
  stamp('s', S, (us) => String(us / S)),
  stamp('s.6', 1, (us) => at(us, `${Math.floor(us / S)}.{u}`)),
  stamp('s.9', 1, (us) => at(us, `${Math.floor(us / S)}.{u}000`)),
  stamp('ms', 1000, (us) => String(us / 1000)),
  stamp('ms.3', 1, (us) => `${Math.floor(us / 1000)}.${at(us, '{u}').slice(3)}`),
  stamp('us', 1, (us) => String(us)),
  stamp('ns', 1, (us) => big(us, 1000n, 0n)),
  stamp('.NET', 1, (us) => big(us, 10n, 621_355_968_000_000_000n)),
  stamp('FILETIME', 1, (us) => big(us, 10n, 116_444_736_000_000_000n)),
  stamp('ns since 2000', 1, (us) => big(us - 946_684_800 * S, 1000n, 0n)),
  stamp('Excel', 1000, (us) => (us / DAY + 25_569).toFixed(11)),
  stamp('Matlab', 1000, (us) => (us / DAY + 719_529).toFixed(11)),
  stamp('s since 1904', S, (us) => String(us / S + 2_082_844_800)),
  stamp('hex ms', 1000, (us) => (us / 1000).toString(16)),
];
const DATES = [
  '{Y}-{M}-{D}',
  '{Y}{M}{D}',
  '{Y}.{M}.{D}',
  '{Y}/{M}/{D}',
  '{D}.{M}.{Y}',
  '{D}/{M}/{Y}',
  '{N}/{d}/{Y}',
  '{D}-{b}-{Y}',
  '{M}/{D}/{y}',
];
const CLOCKS: readonly Stamp[] = [
  stamp('h:m:s.3', 1000, '{h}:{m}:{s}.{f}'),
  stamp('h:m:s.6', 1, '{h}:{m}:{s}.{u}'),
  stamp('H:m:s', S, '{H}:{m}:{s}'),
  stamp('h:m:s:3', 1000, '{h}:{m}:{s}:{f}'),
  stamp('h:m:s PM', S, '{I}:{m}:{s} {P}'),
  stamp('hms', S, '{h}{m}{s}'),
  stamp('Hms', S, (us) => String(Number(at(us, '{h}{m}{s}')))),
  stamp('hms.3', 1000, '{h}{m}{s}.{f}'),
  stamp('Hms.3', 1000, (us) => at(us, `${Number(at(us, '{h}{m}{s}'))}.{f}`)),
  stamp('hms3', 1000, '{h}{m}{s}{f}'),
  stamp('Hms3', 1000, (us) => String(Number(at(us, '{h}{m}{s}{f}')))),
  stamp('hms6', 1, '{h}{m}{s}{u}'),
  stamp('day s', S, (us) => String((us % DAY) / S)),
  stamp('day s.3', 1000, (us) => ((us % DAY) / S).toFixed(3)),
  stamp('day s.6', 1, (us) => ((us % DAY) / S).toFixed(6)),
  stamp('day ms', 1000, (us) => String((us % DAY) / 1000)),
  stamp('day us', 1, (us) => String(us % DAY)),
  stamp('day ns', 1, (us) => `${us % DAY}000`),
];

/** Level, step and decimals. */
const SCALES = [
  [0.00000001234, 1e-12, 12],
  [0.0000071, 1e-9, 9],
  [0.0421, 0.0001, 4],
  [0.99981, 0.00001, 5],
  [1.2643, 0.0001, 4],
  [3.17, 0.01, 2],
  [15.205, 0.005, 3],
  [27.5, 0.5, 1],
  [64, 1, 0],
  [103.25, 0.01, 2],
  [156.781, 0.001, 3],
  [930.4, 0.1, 1],
  [1999, 1, 0],
  [4790.25, 0.25, 2],
  [17_050.5, 0.25, 2],
  [46_211.37, 0.01, 2],
  [98_005, 5, 0],
  [1_700_000, 100, 0],
] as const;

/** One layout by its seed. */
export function wildLayout(seed: number): WildLayout {
  const rng = rngOf(seed);
  const { pick, is } = rng;
  const kind = pick([
    ...(['trades', 'trades', 'trades', 'trades', 'quotes', 'quotes', 'quotes', 'bars', 'bars'] as const),
    ...(['markets', 'joined', 'events', 'book'] as const),
  ]);
  const parts = is(0.04) ? 'hour, minute, second' : pick(['whole', 'whole', 'pair', 'pair', 'pair', 'pair with fraction'] as const);
  // Some months of whole seconds since 2000 are .NET ticks too.
  const whole = pick(kind === 'bars' ? WHOLE.filter(({ tag }) => tag !== 'ns since 2000') : WHOLE);
  const clock = pick(CLOCKS);
  const step = parts === 'whole' ? whole.step : parts === 'pair' ? clock.step : 1000;
  // Steps that are small next to a jump from one market to another.
  const [level, tick, decimals] = pick(kind === 'joined' || kind === 'markets' ? SCALES.filter(([at, by]) => by < at / 500) : SCALES);
  const scales: [number, number][] = [
    [level, tick],
    [level, tick],
  ];
  if (kind === 'markets' || kind === 'joined')
    scales[1] = [Number((level * pick(kind === 'joined' ? [0.3, 7] : [0.4, 0.9, 1.2, 7])).toFixed(decimals)), tick];
  const barUs = kind === 'bars' ? pick([10, 60, 300]) * S : 0;
  const rows = rowsOf(rng, step, kind === 'markets' || kind === 'joined' ? kind : 'one');
  if (kind === 'bars')
    // With pauses of the market.
    for (const [i, row] of rows.entries())
      rows[i] = { ...row, us: rows[0].us - (rows[0].us % (300 * S)) + (i + Math.floor(i / 40)) * barUs };
  const isNewestFirst = is(0.1);
  const written = isNewestFirst ? [...rows].reverse() : rows;
  const isJson = is(0.06);
  // Without their names nothing tells the open from the close.
  const hasHeader = kind === 'bars' || isJson || is(0.6);
  const separator = pick([',', ',', ',', ';', ';', '\t', '|']);
  const point = is(0.25) && (separator !== ',' || is(0.3)) ? ',' : '.';
  const style = pick(['fixed', 'fixed', 'fixed', 'trimmed', 'grouped', 'exponent', 'padded', 'currency'] as const);
  const write = (value: number, digits: number): string => {
    const fixed = value.toFixed(digits);
    if (style === 'exponent' && digits > 6) return value.toExponential(6).replace('.', point);
    const [left = '', right] = (style === 'trimmed' ? String(Number(fixed)).includes('e') : true)
      ? fixed.split('.')
      : String(Number(fixed)).split('.');
    const sign = point === ',' ? '.' : ',';
    const body =
      (style === 'grouped' && (digits > 0 || point === '.') ? left.replace(/\B(?=(?:\d{3})+$)/g, sign) : left) +
      (right === undefined ? '' : point + right);
    return style === 'padded' ? body.padStart(14) : style === 'currency' ? `$${body}` : body;
  };
  const isQuotes = kind === 'quotes';
  const priceOf = ({ units, of }: Row): number => Number((scales[of][0] + units * scales[of][1]).toFixed(decimals));
  const askOf = (row: Row): number => Number((priceOf(row) + row.spread * tick).toFixed(decimals));
  const price = (row: Row): string => write(priceOf(row), decimals);
  const zone = is(0.05) && parts === 'pair' ? ' (UTC)' : '';
  const times: Cell[] =
    parts === 'whole'
      ? [
          {
            title: pick(['timestamp', 'time', 'Time', 'datetime', 'ts', 'DateTime', 'when', 'Zeitstempel', 't', 'exch_ts', 'c0']),
            tag: whole.tag,
            text: ({ us }) => whole.write(us),
          },
        ]
      : timeCells(rng, parts, clock, zone);
  const last = {
    title: pick('price|Price|last|Last Price|px|trade_price|Kurs|Price (USD)|p|value|rate|c1|executed'.split('|')),
    tag: 'price',
    text: price,
  };
  const events = pick([
    ['T', 'Q', 'X'],
    ['trade', 'add', 'cancel'],
    ['0', '1', '2'],
    ['F', 'A', 'M'],
  ] as const);
  const prices: Cell[] = isQuotes
    ? [
        { title: pick(['bid', 'Bid', 'bid_price', 'bp', 'BidPx', 'best_bid', 'b', 'buy']), tag: 'bid', text: price },
        {
          title: pick(['ask', 'Ask', 'ask_price', 'ap', 'AskPx', 'best_ask', 'a', 'offer']),
          tag: 'ask',
          text: (row) => write(askOf(row), decimals),
        },
      ]
    : kind === 'events'
      ? [
          { title: pick(['type', 'action', 'code', 'x', 'kind', 'ev']), tag: 'event', text: (_, i) => events[i % 3] },
          {
            ...last,
            text: (row, i) => (i % 3 === 0 ? price(row) : write(priceOf(row) + (i % 2 ? -1 : 1) * tick * (3 + (i % 5)), decimals)),
          },
        ]
      : kind === 'bars'
        ? pick(BAR_NAMES).map((title, at) => ({
            title,
            tag: title,
            text: (row: Row) => write(barPrice(rows, row, at, priceOf, tick), decimals),
          }))
        : kind === 'book'
          ? [
              { title: pick(['side', 'bs', 'type']), tag: 'side', text: (_, i) => pick2(i, ['bid', 'ask']) },
              { title: pick(['level', 'lvl', 'pos']), tag: 'level', text: (_, i) => String(Math.floor((i % 10) / 2) + 1) },
              { ...last, text: (row, i) => write(priceOf(row) + (i % 2 ? 1 : -1) * tick * (1 + Math.floor((i % 10) / 2)), decimals) },
            ]
          : [last];
  const hasSymbol = (kind === 'markets' && is(0.7)) || is(0.25);
  const names = pick([
    ['ESH4', 'NQH4'],
    ['BTC-USDT', 'ETH-USDT'],
    ['EUR/USD', 'GBP/USD'],
    ['600000', '600036'],
    ['aapl', 'msft'],
  ] as const);
  const symbol: Cell = {
    title: pick(['symbol', 'ticker', 'sym', 'instrument', 'Contract', 'code', 'stock']),
    tag: 'symbol',
    text: ({ of }) => names[of],
  };
  const others = extras(rng, {
    write,
    decimal: (text) => text.replace('.', point),
    priceOf,
    tick,
    decimals,
    hasTrades: !isQuotes && kind !== 'bars',
    first: written[0],
    scale: level,
  });
  const cells = mixed(rng, [times, prices, ...others.map((cell) => [cell]), ...(hasSymbol ? [[symbol]] : [])]);
  const table = written.map((row, i) => cells.map(({ text }) => text(row, kind === 'book' ? i : i)));
  const quotes = pick(['none', 'none', 'needed', 'all', 'text'] as const);
  const cell = (text: string): string => {
    const isText = /[^\d.,+-]/.test(text);
    const mustQuote = text.includes(separator) && !(quotes === 'none' && point === ',' && separator === ',');
    return quotes === 'all' || mustQuote || (quotes === 'text' && isText) ? `"${text}"` : text;
  };
  const end = pick(['\n', '\n', '\r\n', '\r', '\r\r\n']);
  const gap = separator === ',' && is(0.1) ? ', ' : separator;
  const tail = is(0.08) ? separator : '';
  const line = (row: readonly string[]): string => row.map(cell).join(gap) + tail;
  const preamble = is(0.06) ? [pick(['https://example.com/data', 'Exported by tool 3.1', '# made by recorder'])] : [];
  const mark = is(0.08) ? '# ' : '';
  const header = hasHeader ? [mark + line(cells.map(({ title }) => title))] : [];
  const lines = [...preamble, ...header, ...table.map(line), ''].join(end);
  const seriesOf = (wanted: (row: Row, i: number) => boolean): WildLayout['series'][number] => {
    const kept = written.filter(wanted);
    if (isNewestFirst) kept.reverse();
    return {
      timesUs: kept.map(({ us }) => us + barUs),
      prices: kept.map((row) => (isQuotes ? midPrice(priceOf(row), askOf(row)) : priceOf(row))),
    };
  };
  // A trade may stand next to the best bid and ask, of which the mid is a price too.
  const hasSides = hasHeader && ['bid of trade', 'ask of trade'].every((tag) => others.some((cell) => cell.tag === tag));
  const side = (row: Row, steps: number): number => Number((priceOf(row) + steps * tick).toFixed(decimals));
  const all = seriesOf(() => true);
  const inOrder = isNewestFirst ? [...written].reverse() : written;
  const mids = { ...all, prices: inOrder.map((row) => midPrice(side(row, -(row.size % 2)), side(row, (row.size + 1) % 2))) };
  const series =
    kind === 'book'
      ? []
      : kind === 'events'
        ? [seriesOf((_, i) => i % 3 === 0)]
        : kind === 'markets' && hasSymbol
          ? [0, 1].map((market) => seriesOf(({ of }) => of === market))
          : kind === 'markets' || kind === 'joined'
            ? kind === 'joined' && hasSymbol
              ? [0, 1].map((market) => seriesOf(({ of }) => of === market))
              : []
            : hasSides
              ? [all, mids]
              : [all];
  return {
    text: isJson ? table.map((row) => jsonLine(cells, row)).join('') : (is(0.06) ? '\ufeff' : '') + lines,
    shape: `wild ${seed}: ${kind}${isNewestFirst ? ' newest first' : ''}, ${parts}, ${style} ${level}, ${isJson ? 'JSON' : hasHeader ? 'header' : 'no header'}, ${JSON.stringify(separator)} ${point} ${quotes}, ${cells.map(({ tag, title }) => (hasHeader ? `${title}=${tag}` : tag)).join(' ')}`,
    series,
    isSingle: kind === 'trades' || kind === 'quotes' || kind === 'bars',
  };
}

/** Under the names of vendors: open, high, low and close. */
const BAR_NAMES: readonly (readonly string[])[] = [
  ['open', 'high', 'low', 'close'],
  ['Open', 'High', 'Low', 'Last'],
  ['PX_OPEN', 'PX_HIGH', 'PX_LOW', 'PX_LAST'],
  ['first', 'max', 'min', 'last'],
  ['begin', 'peak', 'trough', 'price'],
];

/** Open, high, low or close of a bar, which opens at the close before it. */
function barPrice(rows: readonly Row[], row: Row, at: number, priceOf: (row: Row) => number, tick: number): number {
  const close = priceOf(row);
  const open = priceOf(rows[Math.max(0, rows.indexOf(row) - 1)]);
  return [open, Math.max(open, close) + tick * (row.size % 3), Math.min(open, close) - tick * (row.size % 2), close][at];
}

/** With numbers as numbers where JSON can hold them. */
function jsonLine(cells: readonly Cell[], row: readonly string[]): string {
  const value = (text: string): string =>
    text === '' ? 'null' : /^(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/.test(text) ? text : JSON.stringify(text);
  const fields = cells.flatMap(({ title }, at) =>
    cells.findIndex((cell) => cell.title === title) === at ? [`${JSON.stringify(title)}:${value(row[at])}`] : [],
  );
  return `{${fields.join()}}\n`;
}

const pick2 = (i: number, [a, b]: readonly [string, string]): string => (i % 2 ? b : a);

function timeCells({ pick, is }: Rng, parts: 'pair' | 'pair with fraction' | 'hour, minute, second', clock: Stamp, zone: string): Cell[] {
  const form = pick(DATES);
  const date: Cell = {
    title: pick(['Date', 'date', 'day', 'TradeDate', 'Datum', 'session', 'YYYYMMDD', 'd']),
    tag: 'date',
    text: ({ us }) => at(us, form),
  };
  const part = (title: string, of: string): Cell => ({ title, tag: title, text: ({ us }) => at(us, of) });
  if (parts === 'hour, minute, second') return [date, part('hour', '{h}'), part('minute', '{m}'), part('second', '{s}.{f}')];
  if (parts === 'pair') {
    const time: Cell = {
      title: pick(['Time', 'time', 'TradeTime', 'Uhrzeit', 'tod', 'HHMMSS', 'clock', 'tm']) + zone,
      tag: clock.tag,
      text: ({ us }) => clock.write(us),
    };
    return is(0.8) ? [date, time] : [time, date];
  }
  return [
    date,
    part(pick(['Time', 'UpdateTime']), '{h}:{m}:{s}'),
    {
      ...part(pick(['Millisecond', 'ms', 'UpdateMillisec', 'frac', 'MSEC']), ''),
      text: ({ us }) => String(Math.floor((us % S) / 1000)),
    },
  ];
}

/** Ticks of a session: bursts of one moment, pauses, a walk that may drift, stand still or go back to its mean. */
function rowsOf({ unit, int, pick, is }: Rng, step: number, kind: 'one' | 'markets' | 'joined'): Row[] {
  const count = kind === 'joined' ? int(200, 300) : int(40, 260);
  const start =
    Date.UTC(
      int(2004, 2025),
      int(0, 11),
      int(1, 28),
      pick([0, int(0, 23), int(1, 22), 9, 23]),
      pick([1, int(0, 59), int(0, 59), 58]),
      int(0, 59),
    ) * 1000;
  const mean = pick([30_000, 300_000, 2 * S, 30 * S]);
  const walk = pick(kind === 'joined' ? (['walk'] as const) : (['walk', 'walk', 'drift', 'bounce', 'quiet'] as const));
  const isFixedSpread = is(0.4);
  let us = start - (start % step);
  const units = [0, 0];
  return Array.from({ length: count }, (_, i) => {
    us += is(0.1) ? 0 : Math.max(step, Math.round((-Math.log(1 - unit() * 0.999) * mean) / step) * step);
    const of = kind === 'markets' ? Number(i % 5 === 2 || is(0.4)) : kind === 'joined' ? Number(i > count / 2) : 0;
    const move = walk === 'quiet' ? Number(is(0.15)) * pick([-1, 1]) : int(-3, 3) + (walk === 'drift' ? Number(is(0.3)) : 0);
    // Prices stay above 0.
    units[of] = walk === 'bounce' ? int(-2, 2) : Math.max(-12, units[of] + move);
    return { us, units: units[of], spread: isFixedSpread ? 1 : int(0, 3), size: int(1, 900), of };
  });
}

type Around = {
  readonly write: (value: number, digits: number) => string;
  readonly decimal: (text: string) => string;
  readonly priceOf: (row: Row) => number;
  readonly tick: number;
  readonly decimals: number;
  /** A trade may stand next to the best bid and ask. */
  readonly hasTrades: boolean;
  readonly first: Row;
  readonly scale: number;
};

function extras(rng: Rng, { write, decimal, priceOf, tick, decimals, hasTrades, first, scale }: Around): Cell[] {
  const { pick, int, unit, is } = rng;
  const base = pick([0, 1, 880, 70_001, 12_345_678, 1_699_999_000, 1_700_000_000_000, 638_400_000_000_000_000]);
  const lot = pick([1, 10, 100, 0.001]);
  let [total, high, low, walk, interest] = [int(0, 99), -Infinity, Infinity, int(500, 5000), 200_000];
  const text = (title: string, tag: string, of: (row: Row, i: number) => string): Cell => ({ title, tag, text: of });
  const all: (() => Cell)[] = [
    () => text(pick(['size', 'Volume', 'qty', 'Vol.', 'c3', 'x']), 'size', ({ size }) => decimal(String(Number((size * lot).toFixed(3))))),
    () => text(pick(['amount', 'lots', 'v']), 'lot', () => '1'),
    () => text(pick(['id', 'trade_id', 'no', 'seqnum', 'row']), 'id', (_, i) => String(BigInt(base) + BigInt(i))),
    () => text(pick(['seq', 'tid', 'u']), 'gapped id', (_, i) => String(BigInt(base) + BigInt(3 * i + (i % 3)))),
    () => text('order', 'order', () => String(int(1e9, 2e9))),
    () =>
      text('hash', 'hash', () =>
        int(0, 2 ** 31)
          .toString(16)
          .padStart(8, '0'),
      ),
    () => text(pick(['side', 'aggressor', 'bs', 'dir']), 'side', () => pick(['B', 'S'])),
    () => text(pick(['is_buy', 'maker', 'm']), 'flag', () => pick(['0', '1'])),
    () => text(pick(['sign', 'tick_dir']), 'sign', () => pick(['-1', '1'])),
    () => text(pick(['ex', 'venue', 'exchange']), 'venue', () => pick(['N', 'P', 'Q', 'Z'])),
    () => text(pick(['cond', 'conditions', 'saleCondition']), 'conditions', () => pick(['@', '@ I', 'F', ''])),
    () => text(pick(['cum_vol', 'total_volume', 'turnover']), 'sum', ({ size }) => String((total += size))),
    () => text(pick(['oi', 'open_interest']), 'interest', () => String((interest += int(-2, 2)))),
    () => text(pick(['day_high', 'h']), 'day high', (row) => write((high = Math.max(high, priceOf(row))), decimals)),
    () => text(pick(['day_low', 'l']), 'day low', (row) => write((low = Math.min(low, priceOf(row))), decimals)),
    () => text(pick(['prev', 'prev_close', 'ref']), 'close before', () => write(priceOf(first) + 9 * tick, decimals)),
    () => text(pick(['index', 'mark', 'spot']), 'index', (row) => write(priceOf(row) + tick * (row.size % 2 ? 7 : -4), decimals)),
    () => text(pick(['notional', 'value_usd', 'turnover']), 'notional', (row) => write(priceOf(row) * row.size, 2)),
    () => text(pick(['chg', 'change']), 'change', (row) => decimal((priceOf(row) - priceOf(first)).toFixed(decimals))),
    () => text(pick(['pct', 'chg%']), 'percent', (row) => decimal((100 * (priceOf(row) / priceOf(first) - 1)).toFixed(3))),
    () => text(pick(['recv', 'local_time', 'received']), 'receive us', ({ us }) => String(us + 1500 + int(0, 900))),
    () => text(pick(['recv_ts', 'ts_local', 'capture_time']), 'receive iso', ({ us }) => plain(us + 40_000 + int(0, 9000))),
    () => text(pick(['latency', 'delay_us', 'lag']), 'latency', () => String(int(80, 140))),
    () => text(pick(['depth', 'orders', 'n']), 'depth', () => String(int(1, 9))),
    () => text(pick(['vol_idx', 'temp', 'z']), 'walk', () => decimal(((walk += int(-4, 4)) / 10).toFixed(1))),
    () => text(pick(['expiry', 'settle_date']), 'expiry', () => plain(first.us + 60 * DAY).slice(0, 10)),
    () => text(pick(['weekday', 'dow']), 'weekday', ({ us }) => String(new Date(us / 1000).getUTCDay())),
    () => text(pick(['noise', 'entropy']), 'noise', () => decimal((scale * (0.5 + unit())).toFixed(decimals))),
    () => text(pick(['comment', 'note']), 'note', () => pick(['', 'ok', 'late print'])),
    () => text('empty', 'empty', () => ''),
    ...(!hasTrades
      ? [
          (): Cell => text(pick(['bid_size', 'bs', 'bidQty']), 'bid size', ({ size }) => String(size)),
          (): Cell => text(pick(['ask_size', 'as', 'askQty']), 'ask size', ({ size }) => String(901 - size)),
          (): Cell => text('spread', 'spread', ({ spread }) => decimal((spread * tick).toFixed(decimals))),
        ]
      : [
          (): Cell => text(pick(['bid', 'best_bid']), 'bid of trade', (row) => write(priceOf(row) - (row.size % 2) * tick, decimals)),
          (): Cell => text(pick(['ask', 'best_ask']), 'ask of trade', (row) => write(priceOf(row) + ((row.size + 1) % 2) * tick, decimals)),
          (): Cell => text(pick(['vwap', 'avg']), 'vwap', (row) => write((priceOf(row) + 4 * priceOf(first)) / 5, decimals + 1)),
        ]),
  ];
  const chance = pick([0.05, 0.1, 0.2]);
  const seen = new Set<string>();
  return all.flatMap((make) => (is(chance) ? [make()] : [])).filter(({ title }) => !seen.has(title) && seen.add(title).size > 0);
}

/** Groups of columns in any order; of a group mostly side by side. */
function mixed(rng: Rng, groups: readonly (readonly Cell[])[]): Cell[] {
  const parts = groups.flatMap((group) => (rng.is(0.85) ? [group] : group.map((cell) => [cell])));
  for (let i = parts.length - 1; i > 0; i--) {
    const j = rng.int(0, i);
    [parts[i], parts[j]] = [parts[j], parts[i]];
  }
  return parts.flat();
}
