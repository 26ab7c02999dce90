import type { TimestampForm } from '../DateReader.ts';
import type { FormatId } from '../ImportReport.ts';
import { bars, MIN_ROWS, type PricePlan, trades } from './PricePlan.ts';
import type { Table } from './Table.ts';
import { type Column, movementOf, movesBySteps } from './columns.ts';

type BinanceShape = 'trades' | 'aggtrades' | 'klines';

/** Trades, aggTrades and klines of Binance, which had no header for years, by all of their columns. */
function binanceShape({ rows, names }: Pick<Table, 'rows' | 'names'>): BinanceShape | undefined {
  if (names !== undefined) return undefined;
  const first = rows[0];
  const all = (at: number, look: RegExp): boolean => rows.every((row) => look.test(row[at] ?? ''));
  const isFlag = (at: number): boolean => all(at, /^(?:true|false)$/i);
  const isEpoch = (at: number): boolean => /^(?:\d{13}|\d{16})$/.test(first[at] ?? '');
  const isWhole = (at: number): boolean => all(at, /^\d+$/);
  const value = (row: readonly string[], at: number): number => Number(row[at]);
  if (isWhole(0) && isEpoch(4) && isFlag(5) && (first.length === 6 || (first.length === 7 && isFlag(6)))) return 'trades';
  if (isWhole(0) && isWhole(3) && isWhole(4) && isEpoch(5) && isFlag(6) && (first.length === 7 || (first.length === 8 && isFlag(7))))
    return 'aggtrades';
  const isBars = (): boolean =>
    rows.every(
      (row) =>
        value(row, 2) >= Math.max(value(row, 1), value(row, 4)) &&
        value(row, 3) <= Math.min(value(row, 1), value(row, 4)) &&
        value(row, 3) > 0,
    );
  if (first.length === 12 && isEpoch(0) && isEpoch(6) && isBars()) return 'klines';
  return undefined;
}

/** A table without a header whose columns, all of them, are those of a known source. */
export function knownPlan(table: Table, columns: readonly Column[]): { readonly time: number; readonly prices: PricePlan } | undefined {
  const shape = binanceShape(table);
  if (shape === 'klines') return { time: 0, prices: bars(4, 'klines of Binance', [1, 2, 3]) };
  // Of an order number between a sum and a flag the columns may look the same.
  const second = movementOf(columns[1].numbers[0]?.values ?? []);
  const isPrice = table.rows.length < MIN_ROWS || second.isConstant || movesBySteps(second);
  if (shape !== undefined && isPrice) return { time: shape === 'trades' ? 4 : 5, prices: trades(1, `${shape} of Binance`) };
  if (table.names !== undefined) return undefined;
  // NinjaTrader 8: 20240109 143001 0530000;last;bid;ask;volume
  if (table.width === 5 && columns[0].texts.every((text) => /^\d{8} \d{6} \d{7}$/.test(text))) {
    const [last, bid, ask] = [1, 2, 3].map((at) => columns[at].numbers[0]?.values ?? []);
    const isBetween = last!.length > 0 && ask!.every((value, i) => value >= bid![i]) && movementOf(last!).positive === 1;
    if (isBetween) return { time: 0, prices: trades(1, 'ticks of NinjaTrader: last, bid, ask, volume') };
  }
  return undefined;
}

/** HistData writes New York's winter time all year round. */
const HISTDATA_ZONE = 'EST';

type NamedFormat = { readonly format: FormatId; readonly zone: string | undefined; readonly note: string };

/** The name of the format, its zone where it fixes one, and a trait in words where it adds one. */
export function nameFormat(
  { names, titles, rows, separator }: Table,
  stamp: TimestampForm,
  prices: Pick<PricePlan, 'kind' | 'firstColumn'>,
  stampColumn: number,
): NamedFormat {
  const named = (format: FormatId, zone?: string, note = ''): NamedFormat => ({ format, zone, note });
  const first = [...rows[0]];
  while (first.at(-1) === '') first.pop();
  if (names !== undefined) {
    const has = (...wanted: string[]): boolean => wanted.every((name) => names.includes(name));
    const all = names.join(',');
    if (separator === ',' && stamp.kind === 'calendar' && (all === 'timestamp,bid,ask' || all === 'timestamp,price'))
      return named('tickmark');
    if (has('updateid', 'bestbidprice', 'bestaskprice')) return named('binance-bookticker');
    if (all.includes('aggtradeid') || (has('firsttradeid') && has('lasttradeid'))) return named('binance-aggtrades');
    if (has('isbuyermaker') && (has('quoteqty') || has('qty'))) return named('binance-trades');
    if (has('opentime', 'closetime', 'close')) return named('binance-klines');
    if (has('gmttime') || has('localtime') || (has('askprice', 'bidprice', 'askvolume', 'bidvolume') && prices.kind === 'quotes'))
      return named('dukascopy', has('gmttime') ? 'UTC' : undefined);
    // Exported with tabs or commas; older ones have no flags.
    if (has('date') && (has('bid', 'ask', 'flags') || has('tickvol') || titles?.includes('<BID>') === true))
      return named('metatrader', undefined, "the broker's server time");
    return named('delimited');
  }
  const shape = binanceShape({ rows, names });
  if (shape !== undefined) return named(`binance-${shape}`);
  if (stamp.kind === 'calendar') {
    if (stampColumn === 1 && /^[A-Z]{3}\/[A-Z]{3}$/.test(first[0] ?? '')) return named('truefx', 'UTC');
    // All of its columns: stamp, bid, ask and a volume of 0, or stamp, open, high, low, close and volume.
    const isQuotes = prices.kind === 'quotes';
    const isHistData =
      first.length === (isQuotes ? 4 : 6) &&
      prices.firstColumn === (isQuotes ? 1 : 4) &&
      (!isQuotes || rows.every((row) => Number(row[3]) === 0));
    if (
      stamp.order === 'packed' &&
      prices.kind !== 'trades' &&
      isHistData &&
      stampColumn === 0 &&
      /^\d{8} \d{6}(?:\d{3})?$/.test(first[0] ?? '')
    )
      return named('histdata', HISTDATA_ZONE, 'EST without summer time');
    if (stamp.order === 'packed' && /^\d{8} \d{6} \d{7}$/.test(first[0] ?? ''))
      return named('delimited', 'UTC', 'ticks of NinjaTrader, in UTC');
    // Both write stamp, price and volume.
    if (prices.kind === 'trades' && separator === ';' && first.length === 3 && /^\d{8} \d{6}$/.test(first[0] ?? ''))
      return named('delimited', undefined, 'UTC if NinjaTrader wrote it, EST if HistData did');
    if (stamp.isSplit && /^\d{4}\.\d\d\.\d\d$/.test(first[stampColumn] ?? ''))
      return named('metatrader', undefined, "the broker's server time");
  }
  return named('delimited');
}
