import type { BarTime } from '../../core/barTime.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { BarWindow } from '../BarWindow.ts';
import type { TickSink } from '../TickSeries.ts';

/** What wrote the file, as told by its content, in words for people. */
export const FORMAT_TITLES = {
  tickmark: "tickmark's own CSV",
  delimited: 'delimited text',
  dukascopy: 'Dukascopy CSV',
  histdata: 'HistData ASCII',
  truefx: 'TrueFX ticks',
  'binance-trades': 'Binance trades',
  'binance-aggtrades': 'Binance aggTrades',
  'binance-bookticker': 'Binance bookTicker',
  'binance-klines': 'Binance klines',
  metatrader: 'MetaTrader export',
  parquet: 'Parquet',
  json: 'JSON',
  'json-lines': 'JSON lines',
  messages: 'messages of an exchange',
  'tickmark-request': 'a request body of tickmark',
} as const;
export type FormatId = keyof typeof FORMAT_TITLES;

/** `quotes`: bid and ask, the price is their mid (`midPrice`). `trades`: one price. `bars`: the close, stamped at the bar's end. */
export type ImportKind = 'quotes' | 'trades' | 'bars';

/** How the bars of a file were read. `barTime` null: the file does not tell; its stamps were taken for the beginnings, so that no close counts too early. */
export type ImportedBars = { readonly periodUs: number; readonly barTime: BarTime | null };

/** `info` is worth knowing, `warning` makes forecasts worse or doubtful, `error` keeps the file from being used as it is. */
export type Severity = 'info' | 'warning' | 'error';

/**
 * Whom a piece of advice is for. `nothing_to_do`: the finding needs no action. `source`: what to do about the file or its source, wherever it is
 * read. `command`: names a command or an option of the command line, and is of no use on a page.
 */
type AdviceCode = 'nothing_to_do' | 'source' | 'command';
export type Advice = { readonly code: AdviceCode; readonly text: string };

/** One thing that was found in a file: a plain sentence, and what to do about it. */
export type Finding = {
  /** `<topic>.<what>`, stable: `order.step_back`, `price.spike`. */
  readonly code: string;
  readonly severity: Severity;
  readonly text: string;
  /** What to do, a sentence each; empty where there is nothing to say. */
  readonly advice: readonly Advice[];
  /** How often it occurred. */
  readonly count: number;
  /** Line (text) or row (other formats) of the first one, from 1. */
  readonly firstLine?: number;
};

/** What the serving model was trained on; a file outside of it is answered null (`density_untrained`). */
export type TrainedDensity = {
  /** Milliseconds: the lowest and the highest median gap between ticks of distinct stamps. */
  readonly medianGapMs: readonly [number, number];
  /** Shortest and longest bars; null: it cannot read bars; absent: not known. */
  readonly barPeriodMs?: readonly [number, number] | null;
};

/**
 * What happens to a row that is earlier than the row before it. `refuse`: ServiceError file.malformed with the line. `keep`: it goes to the sink
 * as it stands and is a finding. `sort`: rows are put in order within `SORT_WINDOW` rows; one that is later than that by more is refused.
 * A file that runs from newest to oldest is reversed before, whatever the policy.
 */
export type OrderPolicy = 'refuse' | 'keep' | 'sort';

/**
 * Columns by their names in the header, or by their numbers from 1. `date` with `time` where they stand apart, `ms` for milliseconds of the second;
 * `close` makes bars, with `open`, `high` and `low` or alone. `clock` is no column but the form of a `time` in digits: `hhmmss`, `ms` since midnight; `decimal` the sign before
 * decimals: `comma` or `point`.
 */
export type ColumnMap = {
  readonly [role in 'time' | 'date' | 'clock' | 'decimal' | 'ms' | 'price' | 'bid' | 'ask' | 'open' | 'high' | 'low' | 'close']?: string;
};

export type DateOrderChoice = 'dmy' | 'mdy' | 'ymd';

export type ImportOptions = {
  /** Name of the file, for messages only: the format is told by the content. */
  readonly name: string;
  /** Zone of stamps that carry none: `UTC` (default, but for formats that fix their own), `+02:00`, `EST`, `America/New_York`. */
  readonly zone?: string;
  /** Order of the parts of dates such as 03/04/2024 or 11/10/26 where the file itself does not tell. */
  readonly dateOrder?: DateOrderChoice;
  /** Default `refuse`. */
  readonly order?: OrderPolicy;
  /** The role of each column, if the header does not tell. Default: the importer detects them. */
  readonly columns?: ColumnMap;
  /** Of bars: what their stamps are. Default: what the format or the name of the column says. */
  readonly barTime?: BarTime;
  /** Of a table with several markets, or several kinds of rows: the one that is read, as VALUE or COLUMN=VALUE. */
  readonly symbol?: string;
  readonly event?: string;
  /** What stays doubtful when all is read, such as prices on two levels: a refusal (default), or a finding. */
  readonly doubts?: 'refuse' | 'report';
  /** The wall clock, milliseconds: no tick is later than next year. Default: that of the system. */
  readonly nowMs?: number;
  /** Leaves out rows that are byte for byte the row before. Default: they are kept and counted. */
  readonly dropsRepeated?: boolean;
  /** Leaves out rows that cannot be read, up to `MAX_MALFORMED_FRACTION` of the file. Default: the first one is refused. */
  readonly dropsMalformed?: boolean;
  readonly trained?: TrainedDensity;
  /** Called before the first bar of a file of bars. What it throws passes through. */
  readonly onBars?: (bars: ImportedBars) => void;
  /** Called now and then with the bytes taken so far, as stored. */
  readonly onProgress?: (bytes: number) => void;
  /** How gzip is unpacked. Default: by DecompressionStream, which some platforms end after the first member of a file. */
  readonly gunzip?: (chunks: AsyncIterable<Uint8Array>, name: string) => AsyncIterable<Uint8Array>;
  /** Unpacks a Brotli page of Parquet to `length` bytes, or throws. Default: such files are refused. */
  readonly brotli?: (packed: Uint8Array, length: number) => Uint8Array;
};

export type ImportReport = {
  readonly format: FormatId;
  /** The format in words, with what is worth knowing about this file: `Binance aggTrades (microseconds, no header)`. */
  readonly title: string;
  readonly kind: ImportKind;
  /** Only of bars. */
  readonly bars?: ImportedBars;
  /** Outermost first. */
  readonly packing: readonly ('gzip' | 'zip')[];
  /** Rows of data that were read. */
  readonly rows: number;
  /** Ticks that the sink was given: rows without those that were left out, each kind of which is a finding. */
  readonly ticks: number;
  /** First and last tick, microseconds since 1970 UTC. */
  readonly firstUs: number;
  readonly lastUs: number;
  /** The zone in which stamps without a zone were read. null: they carry one, or their format says UTC. */
  readonly zone: string | null;
  /** The plan by which the file was read, a line for each choice: the columns of time and price with what speaks for them, and those unused. */
  readonly plan: readonly string[];
  /** The prices of the first and the last tick. */
  readonly firstPrice: number;
  readonly lastPrice: number;
  readonly notes: readonly Finding[];
};

/**
 * Where imported ticks go: any `TickSink`, called as it says (with `order: 'keep'` the blocks are in the order of the file). A sink that wants
 * both sides of quotes has `addQuotes`: it is called with the same ticks as the `add` after it, for files of kind `quotes` only; and one that wants
 * the ranges of bars has `addBars`, for files of kind `bars`. `ranges` undefined: the file has closes only.
 */
export type ImportSink = TickSink & {
  addQuotes?(timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void;
  addBars?(endsUs: Float64Array, closes: Float64Array, ranges: BarWindow['ranges']): void;
};

/** ServiceError file.malformed: one sentence on what was found, one on what to do. `where`: `line 7`, `row 3`, or nothing for the whole file. */
export function fileFault(name: string, where: string, found: string, remedy: string): ServiceError {
  return new ServiceError('file.malformed', `${name}${where === '' ? '' : `, ${where}`}: ${found}.`, { remedy });
}

/** Bytes as text for a message: at most 100 of them, quoted, on one line. */
export function shownBytes(bytes: Uint8Array, from: number, to: number): string {
  return JSON.stringify(new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 100)))) + (to - from > 100 ? '…' : '');
}
