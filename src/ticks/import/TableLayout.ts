import type { FormatId, ImportKind, ImportedBars } from './ImportReport.ts';
import type { SubUnit, TimestampForm } from './DateReader.ts';

/** How the rows of a delimited text are read, as found in its first lines. Columns count from 0. */
export type TableLayout = {
  readonly format: FormatId;
  /** Traits of the file that the format's name does not tell: `microseconds`, `no header`. */
  readonly traits: readonly string[];
  readonly kind: ImportKind;
  /** The byte between fields; blanks may stand several in a row. */
  readonly separator: number;
  /** The byte before decimals, and the sign between thousands, '' where there is none. */
  readonly point: number;
  readonly thousands: string;
  /** What a price is divided by: fixed-point numbers have one of 10^9. */
  readonly divisor: number;
  /** Lines before the first row: comments and the header. */
  readonly skipLines: number;
  readonly header: string | undefined;
  readonly columns: number;
  readonly stamp: TimestampForm;
  readonly stampColumn: number;
  /** Time of day, where it stands in a column of its own; else -1. */
  readonly timeColumn: number;
  /** The fraction of a second, where it stands in a column of its own; else -1. */
  readonly fractionColumn: number;
  readonly fractionUnit: SubUnit;
  /** Bid, or the only price, or a bar's close. */
  readonly firstColumn: number;
  /** Ask; -1 where there is one price. */
  readonly askColumn: number;
  /** Fields behind each price that belong to it: 1 where the commas between columns cut it at its decimal comma. */
  readonly cutFields: number;
  /** Some other column counts the rows: a trade id, an update id. */
  readonly hasRowIds: boolean;
  /** An empty bid or ask means that it did not change. */
  readonly carriesForward: boolean;
  /** Of bars: open, high and low; empty where the file has closes only. */
  readonly rangeColumns: readonly number[];
  /** Of bars: the volumes, one of which is above 0 in the sample; empty where none is. */
  readonly volumeColumns: readonly number[];
  readonly bars: ImportedBars | undefined;
  /** From a bar's stamp to its end, microseconds; 0 where the rows are no bars or are stamped at their end. */
  readonly barUs: number;
  /** The rows run from newest to oldest, by the sample. */
  readonly isNewestFirst: boolean;
  /** Zone of stamps without one: fixed by the format, else undefined. */
  readonly zone: string | undefined;
  /** Rows with another value in one of these columns are left out. */
  readonly filters: readonly Filter[];
  /** A row with another value in one of these columns is refused: the sample held one alone. */
  readonly watches: readonly Filter[];
  readonly plan: readonly string[];
};

/** One value of a column, as it stands in the rows. */
export type Filter = { readonly column: number; readonly value: string; readonly title: string; readonly option: 'symbol' | 'event' };
