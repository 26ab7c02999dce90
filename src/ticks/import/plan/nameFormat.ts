import type { TimestampForm } from '../DateReader.ts';
import type { FormatId } from '../ImportReport.ts';
import type { PricePlan } from './PricePlan.ts';
import { binanceShape } from './knownLayouts.ts';
import type { Table } from './Table.ts';

/** HistData writes New York's winter time all year round. */
const HISTDATA_ZONE = 'EST';

/** The name of the format, its zone where it fixes one, and a trait in words where it adds one. */
export function nameFormat(
  { names, titles, rows, separator }: Table,
  stamp: TimestampForm,
  prices: Pick<PricePlan, 'kind' | 'firstColumn'>,
  stampColumn: number,
): { format: FormatId; zone: string | undefined; note: string } {
  const named = (format: FormatId, zone?: string, note = ''): { format: FormatId; zone: string | undefined; note: string } => ({
    format,
    zone,
    note,
  });
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
