import { splitLine } from './DelimitedReader.ts';
import { AmbiguousDate, type ImportOptions, type FormatId, fileFault } from './ImportReport.ts';
import type { TimestampForm } from './DateReader.ts';
import { columnName, columnsOf, resolveColumns, type Columns, type Table, type TableLayout } from './TableLayout.ts';
import { guessPrices, binanceShape, numberOf, type PriceColumns } from './guessPrices.ts';
import { guessTimestampFormat, type TimestampGuess, isNewestFirst, sampleTimestamps } from './guessTimestampFormat.ts';

const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;
const MAX_SAMPLE_LINES = 1000;
/** Fewer rows may grow by chance. */
const MIN_ID_ROWS = 20;
const ORDER_WORDS = { dmy: 'day/month/year', mdy: 'month/day/year', ymd: 'year/month/day', packed: '' } as const;
const UNIT_WORDS = { s: 'epoch seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' } as const;

type Stamps = { readonly stampColumn: number; readonly timeColumn: number; readonly guess: TimestampGuess };

/**
 * The layout of a delimited text by its first lines. Throws ServiceError file.malformed with what was found and how to fix it.
 *
 * @param text the beginning of the file, without byte order mark
 * @param isWhole whether that is all of it: else the last line may be cut and is not looked at
 */
export function findLayout(text: string, isWhole: boolean, options: ImportOptions): TableLayout {
  const lines = text.split(/\r\n|\n|\r/, MAX_SAMPLE_LINES);
  if (!isWhole && lines.length > 1 && lines.length < MAX_SAMPLE_LINES) lines.pop();
  while (lines.length > 0 && lines.at(-1) === '') lines.pop();
  let firstFault: unknown;
  for (const separator of SEPARATORS) {
    const table = tableOf(lines, separator);
    if (table === undefined) continue;
    try {
      return layoutOf(table, options);
    } catch (fault) {
      firstFault ??= fault;
    }
  }
  if (firstFault !== undefined) throw firstFault;
  const sample = JSON.stringify((lines.find((line) => line !== '') ?? '').slice(0, 80));
  throw fileFault(
    options.name,
    '',
    `no columns were found; the first line is ${sample}`,
    'Give a file with a stamp and a price in each row, between commas, semicolons, tabs or blanks, best with a header line such as timestamp,price.',
  );
}

/** The lines as rows of one width, or undefined where this separator does not give any. */
function tableOf(lines: readonly string[], separator: string): Table | undefined {
  let skipLines = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#') && !/^sep=.$/i.test(line));
  if (skipLines < 0) return undefined;
  const all = lines.slice(skipLines).map((line) => splitLine(line, separator));
  const first = all[0]!;
  const widths = new Map<number, number>();
  for (const { length } of all) widths.set(length, (widths.get(length) ?? 0) + 1);
  const [width = 0, share = 0] = [...widths].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (width < 2 || share < all.length * 0.9) return undefined;
  const isHeader = first.length >= 2 && !first.some(isValue) && first.some((field) => /\p{L}/u.test(field));
  const rows = (isHeader ? all.slice(1) : all).filter(({ length }) => length === width);
  if (isHeader) skipLines++;
  return {
    separator,
    names: isHeader ? first.map(columnName) : undefined,
    titles: isHeader ? first : undefined,
    header: isHeader ? lines[skipLines - 1] : undefined,
    skipLines,
    rows,
  };
}

function isValue(field: string): boolean {
  return /^[-+]?[\d.,]*\d[\d.,]*(?:e[-+]?\d+)?$/i.test(field) || /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(field);
}

function layoutOf(table: Table, options: ImportOptions): TableLayout {
  const { name } = options;
  if (table.rows.length === 0) throw fileFault(name, '', 'there is a header but no row after it', 'Export the file again, with its ticks.');
  const named = resolveColumns(options.columns, table, name);
  const stamps = findStamps(table, named);
  if (stamps === undefined) {
    const row = JSON.stringify(table.rows[0]!.join(table.separator).slice(0, 80));
    throw fileFault(
      name,
      `line ${table.skipLines + 1}`,
      `no column has date and time in a known form; the row is ${row}`,
      'Write stamps as 2024-01-31 09:30:00.123, or as seconds, milliseconds, microseconds or nanoseconds since 1970; if a column of another name holds them, name it: --columns time=NAME.',
    );
  }
  const stamp = sureForm(stamps, table, options);
  const prices = guessPrices(table, stamps, named, name);
  const { format, zone, note } = nameFormat(table, stamp, prices, stamps.stampColumn);
  const carriesForward = format === 'metatrader' && prices.kind === 'quotes';
  const traits = [
    ...(stamp.kind === 'epoch' ? [UNIT_WORDS[stamp.unit]] : []),
    ...(prices.kind === 'bars' ? [`bars of ${prices.barUs / 1e6} s, the close at the bar's end`] : []),
    ...(table.header === undefined ? ['no header'] : []),
    ...(note === '' ? [] : [note]),
  ];
  return {
    format,
    traits,
    ...prices,
    separator: table.separator.charCodeAt(0),
    skipLines: table.skipLines,
    header: table.header,
    columns: table.rows[0]!.length,
    stamp,
    stampColumn: stamps.stampColumn,
    timeColumn: stamps.timeColumn,
    hasRowIds: hasRowIds(table.rows, [stamps.stampColumn, stamps.timeColumn, prices.firstColumn, prices.askColumn]),
    carriesForward,
    // What did not change is not written again: from the end such rows cannot be read.
    isNewestFirst: !carriesForward && isNewestFirst(sampleTimestamps(table.rows, stamps, stamp)),
    zone,
  };
}

/** Whether some other column is a whole number that grows (or falls) from each row to the next that differs. */
function hasRowIds(rows: readonly (readonly string[])[], taken: readonly number[]): boolean {
  const distinct = rows.filter((row, i) => i === 0 || row.some((field, at) => field !== rows[i - 1]![at]));
  if (distinct.length < MIN_ID_ROWS) return false;
  return distinct[0]!.some((_, at) => {
    const ids = taken.includes(at) ? [] : distinct.map((row) => (/^\d+$/.test(row[at] ?? '') ? Number(row[at]) : NaN));
    const isOrdered = (sign: number): boolean =>
      ids.length > 0 && ids.every((id, i) => (i === 0 ? !Number.isNaN(id) : sign * (id - ids[i - 1]!) > 0));
    return isOrdered(1) || isOrdered(-1);
  });
}

function findStamps({ names, rows }: Table, named: Columns): Stamps | undefined {
  const column = (at: number): string[] => rows.map((row) => row[at] ?? '');
  if (named.time !== undefined || named.date !== undefined) {
    const [stampColumn, timeColumn] = named.date === undefined ? [named.time!, -1] : [named.date, named.time ?? -1];
    const guess = guessTimestampFormat(column(stampColumn), timeColumn < 0 ? undefined : column(timeColumn));
    return guess && { stampColumn, timeColumn, guess };
  }
  const all = rows[0]!.map((_, at) => at);
  const likely = names === undefined ? [] : [...columnsOf('stamp', names), ...columnsOf('date', names), ...columnsOf('time', names)];
  const order = [...new Set([...likely, ...(names === undefined ? all : all.filter((at) => /time|date|stamp/.test(names[at] ?? '')))])];
  let second: Stamps | undefined;
  for (const stampColumn of order) {
    const dates = column(stampColumn);
    const guess = guessTimestampFormat(dates);
    // Without a name a column of ids looks like seconds too: anything else goes before it.
    const isDoubtful = isDateOnly(dates) || (names === undefined && guess?.isSure === true && isWholeSeconds(guess.form, dates));
    if (guess !== undefined && !isDoubtful) return { stampColumn, timeColumn: -1, guess };
    const others = [...(names === undefined ? [] : columnsOf('time', names)), stampColumn + 1];
    for (const timeColumn of others) {
      if (timeColumn === stampColumn || timeColumn >= all.length || !looksLikeTime(rows[0]![timeColumn] ?? '')) continue;
      const split = guessTimestampFormat(dates, column(timeColumn));
      if (split !== undefined) return { stampColumn, timeColumn, guess: split };
    }
    if (guess !== undefined) second ??= { stampColumn, timeColumn: -1, guess };
  }
  return second;
}

const isWholeSeconds = (form: TimestampForm, values: readonly string[]): boolean =>
  form.kind === 'epoch' && form.unit === 's' && values.every((value) => /^\d+$/.test(value));
const looksLikeTime = (field: string): boolean => /^\d{1,2}:\d\d|^\d{6}(?:\d{3})?$/.test(field);
const DATE_ONLY = /^(?:\d{1,4}([-/. ])(?:\d{1,2}|[a-z]{3,9})\1\d{1,4}|[a-z]{3,9}[-/. ]\d{1,2}(?:, |[-/. ])\d{4}|\d{8})$/i;
const isDateOnly = (values: readonly string[]): boolean => values.every((value) => DATE_ONLY.test(value));

function sureForm({ guess, stampColumn }: Stamps, { rows, skipLines }: Table, { dateOrder, name }: ImportOptions): TimestampForm {
  if (guess.isSure) return guess.form;
  const { forms } = guess;
  const said = forms.find(({ order }) => order === dateOrder);
  if (said !== undefined) return said;
  const value = JSON.stringify(rows[0]![stampColumn]);
  const orders = forms.map(({ order }) => order);
  const shown = orders.map((order) => ORDER_WORDS[order]).join(' or ');
  const isShortYear = forms.some((form) => form.isShortYear === true);
  throw new AmbiguousDate(
    name,
    `line ${skipLines + 1}`,
    `the date ${value}${isShortYear ? ' has a year of two digits: it' : ''} may be ${shown}, and no row shows which`,
    `Say which: ${orders.map((order) => `--date-order ${order}`).join(' or ')}${isShortYear ? ', or export it with years of four digits' : ''}.`,
    orders.filter((order) => order !== 'packed'),
  );
}

/** HistData writes New York's winter time all year round. */
const HISTDATA_ZONE = 'EST';
const POINT = 46;

/** The name of the format, its zone where it fixes one, and a trait in words where it adds one. */
function nameFormat(
  { names, rows, separator }: Table,
  stamp: TimestampForm,
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
