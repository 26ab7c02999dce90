import { plural } from '../core/plural.ts';
import { ServiceError, quoteValue } from '../core/ServiceError.ts';
import type { ColumnMap } from './ImportReport.ts';

/** What a column holds, as far as ticks need it. */
export type ColumnRole = 'stamp' | 'date' | 'time' | 'bid' | 'ask' | 'price' | 'open' | 'high' | 'low' | 'close';

/** Names in small letters without blanks and signs, the likeliest first where a file may have several of one role. */
const NAMES: Readonly<Record<ColumnRole, readonly string[]>> = {
  stamp: [
    ...['timestamp', 'datetime', 'gmttime', 'utctime', 'timeutc', 'localtime', 'transacttime', 'transactiontime', 'tradetime', 'eventtime'],
    ...['opentime', 'ts', 'tstamp', 'unixtime', 'unix', 'epoch', 'timestampms', 'timestampus', 'timestampns', 'timems', 'dateandtime'],
    ...['datetimeutc', 'dategmt', 'exchangetimestamp', 'tsevent', 'createdat', 'localtimestamp'],
  ],
  date: ['date', 'day', 'dtyyyymmdd', 'tradedate'],
  time: ['time', 'timeofday', 't'],
  bid: ['bid', 'bidprice', 'bestbid', 'bestbidprice', 'bidpx', 'bidp', 'bp', 'bidpx00', 'bids0price', 'b', 'buyprice'],
  ask: ['ask', 'askprice', 'bestask', 'bestaskprice', 'askpx', 'askp', 'ap', 'askpx00', 'asks0price', 'offer', 'ofr', 'a', 'sellprice'],
  price: ['price', 'last', 'lastprice', 'tradeprice', 'px', 'mid', 'midprice', 'p', 'rate', 'value'],
  open: ['open', 'o', 'openprice'],
  high: ['high', 'h', 'highprice'],
  low: ['low', 'l', 'lowprice'],
  close: ['close', 'c', 'closeprice', 'adjclose'],
};

/** `<BID>`, `Bid Price`, `bid_price` and `bidPrice` are one name. */
export function columnName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Columns that may hold each role, the likeliest first. */
export function columnsOf(role: ColumnRole, names: readonly string[]): number[] {
  return NAMES[role].flatMap((name) => names.flatMap((found, column) => (found === name ? [column] : [])));
}

const TICK_NAMES: ReadonlySet<string> = new Set(Object.values(NAMES).flat());

/** Whether a column of this name may be of use. */
export function isTickColumn(name: string): boolean {
  return TICK_NAMES.has(name);
}

/** Columns that a message names, and the longest list of them. */
const MAX_TOLD = 30;
const MAX_TOLD_CHARS = 600;

/** Columns from 0 of the roles that the user named. */
export type Columns = { readonly [role in keyof ColumnMap]?: number };

/**
 * Finds the columns that the user named: by their titles as they stand in the header, else by `columnName`, else by their numbers from 1.
 * Throws ServiceError `command.invalid` for one that is not there.
 */
export function resolveColumns(
  named: ColumnMap | undefined,
  { titles, rows }: { readonly titles: readonly string[] | undefined; readonly rows: readonly (readonly string[])[] },
  file: string,
): Columns {
  const width = rows[0]?.length ?? 0;
  const find = (wanted: string): number => {
    const exact = titles?.indexOf(wanted) ?? -1;
    if (exact >= 0) return exact;
    const name = columnName(wanted);
    const alike = name === '' ? -1 : (titles?.findIndex((title) => columnName(title) === name) ?? -1);
    if (alike >= 0) return alike;
    return /^[1-9]\d{0,2}$/.test(wanted) && Number(wanted) <= width ? Number(wanted) - 1 : -1;
  };
  return Object.fromEntries(
    Object.entries(named ?? {}).map(([role, wanted]) => {
      const column = find(wanted);
      if (column >= 0) return [role, column];
      const known =
        titles === undefined
          ? `it has no header and ${plural(width, 'column')}: write a number from 1 to ${width}`
          : `its columns are ${titles.slice(0, MAX_TOLD).join(', ').slice(0, MAX_TOLD_CHARS)}`;
      throw new ServiceError('command.invalid', `--columns ${role}=${wanted}: ${file} has no column ${quoteValue(wanted)}; ${known}.`);
    }),
  );
}
