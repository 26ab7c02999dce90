import { ServiceError, quoteValue } from '../core/ServiceError.ts';
import { plural } from '../core/plural.ts';
import type { FormatId, ImportKind, ColumnMap } from './ImportReport.ts';
import type { TimestampForm } from './DateReader.ts';

/** How the rows of a delimited text are read, as found in its first lines. Columns count from 0. */
export type TableLayout = {
  readonly format: FormatId;
  /** Traits of the file that the format's name does not tell: `microseconds`, `no header`. */
  readonly traits: readonly string[];
  readonly kind: ImportKind;
  /** The byte between fields; blanks may stand several in a row. */
  readonly separator: number;
  /** The byte before decimals. */
  readonly point: number;
  /** Lines before the first row: comments and the header. */
  readonly skipLines: number;
  readonly header: string | undefined;
  readonly columns: number;
  readonly stamp: TimestampForm;
  readonly stampColumn: number;
  /** Time of day, where it stands in a column of its own; else -1. */
  readonly timeColumn: number;
  /** Bid, or the only price, or a bar's close. */
  readonly firstColumn: number;
  /** Ask; -1 where there is one price. */
  readonly askColumn: number;
  /** Some other column counts the rows: a trade id, an update id. */
  readonly hasRowIds: boolean;
  /** An empty bid or ask means that it did not change. */
  readonly carriesForward: boolean;
  /** From a bar's stamp to its end, microseconds; 0 where the rows are no bars or are stamped at their end. */
  readonly barUs: number;
  /** The rows run from newest to oldest, by the sample. */
  readonly isNewestFirst: boolean;
  /** Zone of stamps without one: fixed by the format, else undefined. */
  readonly zone: string | undefined;
};

/** What the columns of a sample are, for `nameFormat` and the layout. */
export type Table = {
  readonly separator: string;
  /** As `columnName` makes them of the titles in the header. */
  readonly names: readonly string[] | undefined;
  readonly titles: readonly string[] | undefined;
  readonly header: string | undefined;
  readonly skipLines: number;
  readonly rows: readonly (readonly string[])[];
};

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
