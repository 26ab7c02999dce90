import { type ColumnMap, fileFault } from './ImportReport.ts';
import { type LayoutOptions, LayoutSearch, type OtherWays } from './LayoutSearch.ts';
import { option, refOf } from './plan/columnOptions.ts';
import { cutPrices, joinDecimals } from './plan/joinDecimals.ts';
import { type Counted, isSure, placeOf, planFault, waysOn } from './plan/refusals.ts';
import { type Columns, resolveColumns } from './plan/resolveColumns.ts';
import { tableOf } from './plan/Table.ts';
import type { TableLayout } from './TableLayout.ts';

const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;
const MAX_SAMPLE_LINES = 1000;

/**
 * The plan by which a delimited text is read, by its first lines. Throws ServiceError file.malformed where no plan or more than one fits, with what
 * was found, why it is doubted, and the command that reads it.
 *
 * @param text the beginning of the file, without byte order mark
 * @param isWhole whether that is all of it: else the last line may be cut and is not looked at
 */
export function findLayout(text: string, isWhole: boolean, options: LayoutOptions): TableLayout {
  // As the reader counts them: programs on Windows write two carriage returns before a line feed.
  const lines = text.includes('\n')
    ? text.split('\n', MAX_SAMPLE_LINES).map((line) => line.replace(/\r+$/, ''))
    : text.split('\r', MAX_SAMPLE_LINES);
  if (!isWhole && lines.length > 1 && lines.length < MAX_SAMPLE_LINES) lines.pop();
  // A last line without an end may be cut too.
  else if (lines.length > 3 && lines.length < MAX_SAMPLE_LINES && lines.at(-1) !== '') lines.pop();
  while (lines.length > 0 && lines.at(-1)!.replaceAll('\0', '') === '') lines.pop();
  let firstFault: unknown;
  for (const separator of SEPARATORS) {
    const table = tableOf(lines, separator);
    if (table === undefined) continue;
    try {
      return layoutOf({ ...table, rowNames: options.rowNames }, options);
    } catch (fault) {
      // Columns that are there for sure are not looked for between other signs.
      if (isSure(fault)) throw firstFault ?? fault;
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

function layoutOf(given: Counted, options: LayoutOptions): TableLayout {
  const { name } = options;
  if (given.rows.length > 0 && options.columns?.decimal === 'comma') {
    const joined = joinDecimals(given, resolveColumns(options.columns, given, name));
    if (joined !== undefined) return layoutBy({ ...given, ...joined.table }, joined.named, options);
  }
  if (given.rows.length === 0) throw fileFault(name, '', 'there is a header but no row after it', 'Export the file again, with its ticks.');
  if (given.fault !== undefined) {
    const { line, found, remedy } = given.fault;
    const commands = decimalCommands(given, options);
    const way = commands.length === 0 ? remedy : `If a price is cut at its decimal comma, say so: ${commands.join(' or ')}. ${remedy}`;
    throw (given.separator === ',' ? planFault : fileFault)(name, placeOf(given, line), found, way);
  }
  return layoutBy(given, resolveColumns(options.columns, given, name), options);
}

/** The options that read prices which the commas between columns cut in two, each tried. */
function decimalCommands(table: Counted, options: LayoutOptions): readonly string[] {
  if (options.columns !== undefined) return [];
  const ref = refOf(table, options.isUtf8);
  return cutPrices(table).flatMap((fields) => {
    const roles = fields.length === 2 ? (['bid', 'ask'] as const) : (['price'] as const);
    // Of a header, each name has one place whatever its column is cut in.
    const names = fields.map((at, i) => ref(table.titles === undefined ? at : at - i));
    const columns: ColumnMap = { ...Object.fromEntries(roles.map((role, i) => [role, names[i]])), decimal: 'comma' };
    const text = option(`${roles.map((role, i) => `${role}=${names[i]}`).join()},decimal=comma`);
    try {
      layoutOf(table, { ...options, columns, isTrial: true });
      return [text];
    } catch (fault) {
      return waysOn(fault).map((way) => (way.startsWith('--columns') ? way : `${text} ${way}`));
    }
  });
}

function layoutBy(table: Counted, named: Columns, options: LayoutOptions): TableLayout {
  const withOption: OtherWays['withOption'] = (said) => {
    try {
      layoutBy(table, named, { ...options, ...said, isTrial: true });
      return [];
    } catch (fault) {
      return waysOn(fault);
    }
  };
  return new LayoutSearch(table, named, options, { decimals: () => decimalCommands(table, options), withOption }).layout();
}
