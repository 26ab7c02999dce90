import { binanceShape, numberOf, type PriceColumns } from './guessPrices.ts';
import type { FormatId } from './ImportReport.ts';
import type { StampForm } from './StampForm.ts';
import type { Table } from './Table.ts';

/** HistData writes New York's winter time all year round. */
const HISTDATA_ZONE = 'EST';
const POINT = 46;

/** The name of the format, its zone where it fixes one, and a trait in words where it adds one. */
export function nameFormat(
  { names, rows, separator }: Table,
  stamp: StampForm,
  prices: PriceColumns,
  stampColumn: number,
): { format: FormatId; zone: string | undefined; note: string } {
  const named = (format: FormatId, zone?: string, note = ''): { format: FormatId; zone: string | undefined; note: string } => ({
    format,
    zone,
    note,
  });
  const first = rows[0]!;
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
    if (separator === '\t' && has('date') && (has('bid', 'ask', 'flags') || has('tickvol')))
      return named('metatrader', undefined, "the broker's server time");
    return named('delimited');
  }
  const shape = binanceShape({ rows, names }, (at) => rows.map((row) => numberOf(row[at] ?? '', POINT)));
  if (shape !== undefined) return named(`binance-${shape}`);
  if (stamp.kind === 'calendar') {
    if (stampColumn === 1 && /^[A-Z]{3}\/[A-Z]{3}$/.test(first[0] ?? '')) return named('truefx', 'UTC');
    if (stamp.order === 'packed' && stampColumn === 0 && /^\d{8} \d{6}(?:\d{3})?$/.test(first[0] ?? ''))
      return named('histdata', HISTDATA_ZONE, 'EST without summer time');
    if (stamp.isSplit && /^\d{4}\.\d\d\.\d\d$/.test(first[stampColumn] ?? ''))
      return named('metatrader', undefined, "the broker's server time");
  }
  return named('delimited');
}
