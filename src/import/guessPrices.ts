import { plural } from '../core/plural.ts';
import { type ColumnRole, type Columns, columnsOf, type Table } from './TableLayout.ts';
import { fileFault, type ImportKind } from './ImportReport.ts';
import { barLength } from './QualityMonitor.ts';
import type { TimestampGuess } from './guessTimestampFormat.ts';

export type PriceColumns = {
  readonly kind: ImportKind;
  readonly firstColumn: number;
  readonly askColumn: number;
  readonly point: number;
  readonly barUs: number;
};

const POINT = 46;
const COMMA = 44;
/** Two columns are bid and ask if they never differ by more than this fraction of the price. */
const MAX_SPREAD = 0.02;

/** The price columns of a table, by header names or, without a header, by their values. Throws ServiceError file.malformed where that does not tell. */
export function guessPrices(
  table: Table,
  stamps: { readonly stampColumn: number; readonly timeColumn: number; readonly guess: TimestampGuess },
  named: Columns,
  name: string,
): PriceColumns {
  const { names, rows, separator } = table;
  const point = separator !== ',' && rows.some((row) => row.some((field) => /^\d+,\d+$/.test(field))) ? COMMA : POINT;
  const numbers = (at: number): number[] => rows.map((row) => numberOf(row[at] ?? '', point));
  const trades = (firstColumn: number): PriceColumns => ({ kind: 'trades', firstColumn, askColumn: -1, point, barUs: 0 });
  const bars = (firstColumn: number): PriceColumns => {
    const barUs = barLength(rows, stamps, name);
    return { kind: 'bars', firstColumn, askColumn: -1, point, barUs };
  };
  const taken = [stamps.stampColumn, stamps.timeColumn];
  if (named.bid !== undefined && named.ask !== undefined)
    return { kind: 'quotes', firstColumn: named.bid, askColumn: named.ask, point, barUs: 0 };
  if (named.close !== undefined) return bars(named.close);
  const only = named.price ?? named.bid ?? named.ask;
  if (only !== undefined) return trades(only);
  if (names !== undefined) {
    // A column that is empty in every row is none: MetaTrader writes bid and ask for exchange symbols that only have a last price.
    const holds = (column: number, test: (value: number) => boolean): boolean => !taken.includes(column) && numbers(column).some(test);
    const at = (role: ColumnRole): number => {
      const columns = columnsOf(role, names);
      const filled = columns.find((column) => holds(column, (value) => value > 0));
      return filled ?? columns.find((column) => holds(column, (value) => !Number.isNaN(value))) ?? -1;
    };
    const [bid, ask, price, close] = [at('bid'), at('ask'), at('price'), at('close')];
    if (bid >= 0 && ask >= 0) return { kind: 'quotes', firstColumn: bid, askColumn: ask, point, barUs: 0 };
    if (close >= 0 && at('high') >= 0 && at('low') >= 0) return bars(close);
    if (price >= 0) return trades(price);
    if (close >= 0) return trades(close);
    if (bid >= 0 || ask >= 0) return trades(Math.max(bid, ask));
    throw fileFault(
      name,
      `line ${table.skipLines}`,
      `no column is named as a price; the header is ${JSON.stringify(table.header?.slice(0, 100))}`,
      'Name the columns timestamp and price, or timestamp, bid and ask; or say which column it is: --columns price=NAME.',
    );
  }
  const binance = binanceShape(table, numbers);
  if (binance !== undefined) return binance === 'klines' ? bars(4) : { ...trades(1), point };
  const free = rows[0]!.flatMap((_, at) => (at > Math.max(...taken) && numbers(at).every((value) => !Number.isNaN(value)) ? [at] : []));
  const [a = -1, b = -1, c = -1, d = -1] = free;
  if (a < 0)
    throw fileFault(
      name,
      `line ${table.skipLines + 1}`,
      'no column behind the stamp holds numbers',
      'Give a header line that names the columns, such as timestamp,price.',
    );
  if (d >= 0 && isBar(numbers(a), numbers(b), numbers(c), numbers(d))) return bars(d);
  if (b >= 0 && areClose(numbers(a), numbers(b))) {
    const isAskFirst = numbers(a).every((value, i) => value >= numbers(b)[i]!) && numbers(a).some((value, i) => value > numbers(b)[i]!);
    return { kind: 'quotes', firstColumn: isAskFirst ? b : a, askColumn: isAskFirst ? a : b, point, barUs: 0 };
  }
  if (free.length > 3)
    throw fileFault(
      name,
      `line ${table.skipLines + 1}`,
      `there are ${plural(free.length, 'column')} of numbers and no header that says which is the price`,
      'Give a header line that names the columns, such as timestamp,price,volume; or say which column it is: --columns price=2.',
    );
  return trades(a);
}

/** Trades, aggTrades and klines of Binance, which had no header for years, by their columns. */
export function binanceShape(
  { rows, names }: Pick<Table, 'rows' | 'names'>,
  numbers: (at: number) => number[],
): 'trades' | 'aggtrades' | 'klines' | undefined {
  if (names !== undefined) return undefined;
  const first = rows[0]!;
  const isFlag = (at: number): boolean => /^(?:true|false)$/i.test(first[at] ?? '');
  const isEpoch = (at: number): boolean => /^(?:\d{13}|\d{16})$/.test(first[at] ?? '');
  if (isEpoch(4) && isFlag(5) && (first.length === 6 || (first.length === 7 && isFlag(6)))) return 'trades';
  if (isEpoch(5) && isFlag(6) && (first.length === 7 || (first.length === 8 && isFlag(7)))) return 'aggtrades';
  if (first.length === 12 && isEpoch(0) && isEpoch(6) && isBar(numbers(1), numbers(2), numbers(3), numbers(4))) return 'klines';
  return undefined;
}

const isBar = (open: number[], high: number[], low: number[], close: number[]): boolean =>
  open.every((value, i) => high[i]! >= Math.max(value, close[i]!) && low[i]! <= Math.min(value, close[i]!) && low[i]! > 0);

const areClose = (a: number[], b: number[]): boolean => a.every((value, i) => value > 0 && Math.abs(value - b[i]!) <= MAX_SPREAD * value);

export function numberOf(field: string, point: number): number {
  const text = point === COMMA ? field.replace(',', '.') : field;
  return text === '' || !/^[-+.\d]/.test(text) ? NaN : Number(text);
}
