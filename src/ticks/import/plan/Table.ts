import { splitLine } from '../FieldScanner.ts';
import { columnName } from './names.ts';

/** The first lines of a text as rows of one width. */
export type Table = {
  readonly separator: string;
  /** As `columnName` makes them of the titles in the header. */
  readonly names: readonly string[] | undefined;
  readonly titles: readonly string[] | undefined;
  /** The line of the header as it stands in the file. */
  readonly header: string | undefined;
  /** The lines above the header, such as a comment. */
  readonly above: readonly string[];
  /** Lines before the first row: comments, addresses, the header. */
  readonly skipLines: number;
  readonly width: number;
  readonly rows: readonly (readonly string[])[];
  /** Columns whose decimals stand in the field behind them in the file, cut off at a decimal comma. */
  readonly cuts: readonly number[];
  /** What does not fit together, and what to do: the table is not to be read. */
  readonly fault: { readonly line: number; readonly found: string; readonly remedy: string } | undefined;
};

/** Different thousands of one price in the first rows. */
const MAX_THOUSANDS = 3;
/** Lines above the header, such as the address of the source. */
const MAX_PREAMBLE = 20;
const COMMENT = /^\s*#/;
/** The line of dashes that psql and Markdown write below a header. */
const RULER = /^[-+=\s|:]*[-=]{2,}[-+=\s|:]*$/;

/** The lines as rows of one width, or undefined where this separator does not give any. */
export function tableOf(lines: readonly string[], separator: string): Table | undefined {
  const isUsed = (line: string): boolean => line.trim() !== '' && !RULER.test(line) && !/^sep=.$/i.test(line);
  const split = lines.map((line) => (isUsed(line) && !COMMENT.test(line) ? splitLine(line, separator) : []));
  const widths = new Map<number, number>();
  let used = 0;
  for (const { length } of split) {
    if (length === 0) continue;
    used++;
    widths.set(length, (widths.get(length) ?? 0) + 1);
  }
  const [width = 0, share = 0] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
  let first = split.findIndex(({ length }) => length >= 2 && (length >= width - 1 || used <= 2));
  if (width < 2 || first < 0 || first > MAX_PREAMBLE) return undefined;
  // A header may have another width than the rows.
  const preamble = split.slice(0, first).filter(({ length }) => length > 0).length;
  if (share < (used - preamble) * 0.9 && !(used - preamble <= 3 && share >= 1)) return undefined;
  const above = lines.slice(0, first);
  let titles: readonly string[] | undefined;
  let header: string | undefined;
  let several: Table['fault'];
  const fields = split[first];
  if (isHeader(fields)) {
    [titles, header] = [fields, lines[first]];
    first++;
    const [markets, index] = [split[first], split[first + 1]];
    if (markets !== undefined && index !== undefined && isIndexName(index) && isHeader(markets)) {
      titles = [index[0], ...fields.slice(1)];
      const others = new Set(markets.slice(1));
      if (others.size > 1)
        several = { line: first + 1, found: `the header names several markets (${[...others].join(', ')})`, remedy: ONE_MARKET };
      first += 2;
    }
  } else {
    // Names too few for the rows, which are not to be dropped unseen.
    const short = split.slice(0, first).findLastIndex((row) => row.length > 0);
    if (short >= 0 && isHeader(split[short])) [titles, header] = [split[short], lines[short]];
    const comment = lines.slice(0, first).findLastIndex((line) => line.trim() !== '');
    const named = comment < 0 || !COMMENT.test(lines[comment]) ? [] : splitLine(lines[comment].replace(/^\s*#+\s*/, ''), separator);
    if (titles === undefined && named.length >= 2 && named.length === width && isHeader(named)) [titles, header] = [named, lines[comment]];
  }
  while (first < lines.length && !isUsed(lines[first])) first++;
  const repeated = titles?.map(columnName).join();
  // Joined files hold their headers.
  const isRow = (row: readonly string[]): boolean =>
    row.length === width && (repeated === undefined || row.some(isValue) || row.map(columnName).join() !== repeated);
  const all = split.slice(first).filter(isRow);
  // From another header on the rows are those of another table, which the reader refuses with its line.
  const other = all.findIndex((row) => isHeader(row) && row.every((field) => /\p{L}/u.test(field)));
  const rows = other > 0 ? all.slice(0, other) : all;
  if (rows.length === 0 && preamble > 0) return undefined;
  const made = { separator, header, above, skipLines: first, width, rows, cuts: [] };
  if (titles === undefined) return { ...made, titles, names: undefined, fault: undefined };
  const fitted = fitTitles(titles, rows, width);
  const fault =
    fitted !== undefined || rows.length === 0
      ? several
      : {
          line: first + 1,
          found: `the row has ${width} fields between ${shownSeparator(separator)} and the header ${titles.length} names (${titles.slice(0, 8).join(', ')})`,
          remedy:
            separator === ','
              ? 'If a comma stands before decimals or thousands, export the table with semicolons or tabs between its columns, or with decimal points; otherwise correct the header.'
              : 'Correct the header, so that each column has one name.',
        };
  const shown = fitted ?? titles;
  return { ...made, titles: shown, names: uniqueCase(withoutTable(shown)).map(columnName), fault };
}

const ONE_MARKET = 'Export each market on its own.';

/** The third line of a pandas header with two levels, as yfinance writes it: prices, markets, and the name of the index alone. */
const isIndexName = (row: readonly string[]): boolean => row.length > 2 && row[0] !== '' && row.slice(1).every((field) => field === '');

const shownSeparator = (separator: string): string => (separator === '\t' ? 'tabs' : JSON.stringify(separator));

/** Titles for each column: a name too few stands for the row names that R writes, names too many and fields too many must be empty. Undefined: they do not fit. */
function fitTitles(titles: readonly string[], rows: readonly (readonly string[])[], width: number): readonly string[] | undefined {
  if (titles.length === width) return titles;
  if (titles.length > width) return titles.slice(width).every((title) => title === '') ? titles.slice(0, width) : undefined;
  const isEmpty = (at: number): boolean => rows.every((row) => row[at] === '');
  // A comma too many at the end, or one within a number.
  if (Array.from({ length: width - titles.length }, (_, i) => titles.length + i).every(isEmpty) && !holdsCutNumber(rows, width))
    return [...titles, ...Array<string>(width - titles.length).fill('')];
  // An id in the first column may count like row names, and what is too much be a cut number.
  const isRowName =
    titles.length === width - 1 &&
    !holdsCutNumber(rows, width) &&
    rows.every((row, i) => Number(row[0]) === Number(rows[0][0]) + i && /^\d+$/.test(row[0]));
  return isRowName ? ['', ...titles] : undefined;
}

/** Whole numbers next to digits of one length: 4790 and 75, or 1 and 09431; or the rest of a number with thousands: 46 and 211.37. */
function holdsCutNumber(rows: readonly (readonly string[])[], width: number): boolean {
  const all = (at: number, look: RegExp): boolean => rows.every((row) => look.test(row[at] ?? ''));
  const isDecimals = (at: number): boolean => all(at, /^\d{2,9}$/) && new Set(rows.map((row) => row[at].length)).size === 1;
  // The thousands of a price hardly change.
  const isGrouped = (at: number): boolean =>
    all(at, /^[1-9]\d{0,2}$/) && all(at + 1, /^\d{3}(?:\.\d+)?$/) && new Set(rows.map((row) => row[at])).size <= MAX_THOUSANDS;
  return Array.from({ length: width - 1 }, (_, at) => at).some((at) => (all(at, /^\d+$/) && isDecimals(at + 1)) || isGrouped(at));
}

/** Hive and Impala write the name of the table before that of each column. */
function withoutTable(titles: readonly string[]): readonly string[] {
  const table = titles[0].slice(0, titles[0].indexOf('.') + 1);
  return table.length > 1 && titles.length > 1 && titles.every((title) => title.startsWith(table))
    ? titles.map((title) => title.slice(table.length))
    : titles;
}

/** `t` and `T` in one header are two names: the capital one is marked. */
function uniqueCase(titles: readonly string[]): readonly string[] {
  return titles.map((title) => (/^[A-Z]$/.test(title) && titles.includes(title.toLowerCase()) ? `capital ${title}` : title));
}

function isHeader(fields: readonly string[]): boolean {
  return fields.length >= 2 && !fields.some(isValue) && fields.some((field) => /\p{L}/u.test(field));
}

export function isValue(field: string): boolean {
  return (
    /^\p{Sc}? ?[-+]?[\d.,]*\d[\d.,]*(?:e[-+]?\d+)? ?\p{Sc}?$/iu.test(field) ||
    /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(field) ||
    /^\d{1,2}:\d\d/.test(field)
  );
}
