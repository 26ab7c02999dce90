import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { TimestampForm } from './DateReader.ts';
import { isNewestFirst } from './guessTimestampFormat.ts';
import { AmbiguousDate, type ColumnMap, type ImportOptions, fileFault, isAmbiguousDate } from './ImportReport.ts';
import { columnsIn, movementOf, movesLikePrices, type Column } from './plan/columns.ts';
import { findGroups, type Group } from './plan/findGroups.ts';
import { clockDistance } from './plan/clockForms.ts';
import { CUT_DECIMAL, findPrices, isDoubtfulForm, pricesOf, type PricePlan, type PricePlans } from './plan/findPrices.ts';
import { findStamps, runsOn, type StampPlan } from './plan/findStamps.ts';
import { isNamedBook, movesLikeBook } from './plan/holdsLevels.ts';
import { knownPlan } from './plan/knownLayouts.ts';
import { nameFormat } from './plan/nameFormat.ts';
import { isEventName, isSymbolName } from './plan/names.ts';
import { cutPrices, fieldOf, joinDecimals } from './plan/joinDecimals.ts';
import { type Columns, resolveColumns } from './plan/resolveColumns.ts';
import { type Table, tableOf } from './plan/Table.ts';
import type { Filter, TableLayout } from './TableLayout.ts';
import type { RowNames } from './TickRows.ts';

const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;
const MAX_SAMPLE_LINES = 1000;
/** Fewer rows may grow by chance. */
const MIN_ID_ROWS = 20;
const MAX_CANDIDATES = 8;
/** Bars lie apart by whole numbers of their length, within this fraction of it. */
const MAX_UNEVEN = 0.05;
const ORDER_WORDS = { dmy: 'day/month/year', mdy: 'month/day/year', ymd: 'year/month/day', packed: '' } as const;
const UNIT_WORDS = {
  ...{ s: 'epoch seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' },
  ...{ dotnet: '.NET ticks', filetime: 'Windows file times', kdb: 'nanoseconds since 2000', excel: 'day numbers of a spreadsheet' },
} as const;
const DAY_US = 86_400_000_000;

export type LayoutOptions = ImportOptions & {
  readonly nowMs: number;
  readonly isUtf8: boolean;
  readonly rowNames: RowNames;
  /** A market or a kind of rows is tried, to say what else must be named with it. */
  readonly isTrial?: boolean;
};

/** A table that knows how its rows are counted for people. */
type Counted = Table & { readonly rowNames: RowNames };

/**
 * The plan by which a delimited text is read, by its first lines. Throws ServiceError file.malformed where no plan or more than one fits, with what
 * was found, why it is doubted, and the command that reads it.
 *
 * @param text the beginning of the file, without byte order mark
 * @param isWhole whether that is all of it: else the last line may be cut and is not looked at
 */
export function findLayout(text: string, isWhole: boolean, options: LayoutOptions): TableLayout {
  const lines = text.split(/\r\n|\n|\r/, MAX_SAMPLE_LINES);
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

/** A fault of a table whose columns are known. */
class PlanFault extends ServiceError {
  readonly isSure = true;
  /** Each way on, as it is typed. */
  commands: readonly string[] = [];
}
const isSure = (fault: unknown): boolean =>
  fault instanceof ServiceError && ('isSure' in fault || fault.code === 'command.invalid' || 'orders' in fault);

/** Where a line of the text is, as people count: nothing for 0, or for the header that a table from JSON or Parquet gets. */
function placeOf({ rowNames: { word, offset } }: Pick<Counted, 'rowNames'>, line: number): string {
  return line > 0 && line + offset > 0 ? `${word} ${line + offset}` : '';
}

function planFault(name: string, place: string, found: string, remedy: string): PlanFault {
  return new PlanFault('file.malformed', `${name}${place === '' ? '' : `, ${place}`}: ${found}.`, { remedy });
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
    const columns: ColumnMap = { ...Object.fromEntries(roles.map((role, i) => [role, names[i]!])), decimal: 'comma' };
    const text = option(`${roles.map((role, i) => `${role}=${names[i]}`).join()},decimal=comma`);
    try {
      layoutOf(table, { ...options, columns, isTrial: true });
      return [text];
    } catch (fault) {
      return waysOn(fault).map((way) => (way.startsWith('--columns') ? way : `${text} ${way}`));
    }
  });
}

/** What a refusal proposes. */
function waysOn(fault: unknown): readonly string[] {
  if (isAmbiguousDate(fault)) return fault.orders.map((order) => `--date-order ${order}`);
  return fault instanceof ServiceError && 'commands' in fault ? (fault as PlanFault).commands : [];
}

function layoutBy(all: Counted, named: Columns, options: LayoutOptions): TableLayout {
  const { name, nowMs } = options;
  const filters = filtersOf(all, options);
  const kept = all.rows.filter((row) => filters.every(({ column, value }) => row[column] === value));
  const table = kept.length > 0 ? { ...all, rows: kept } : all;
  const columns = columnsIn(table, nowMs, options.columns?.decimal);
  const known = Object.keys(named).length === 0 ? knownPlan(table, columns) : undefined;
  const context = {
    ...{ rows: table.rows, titles: table.titles, nowMs, clock: options.columns?.clock },
    namedBy: known?.prices.evidence ?? 'named by you',
  };
  const found = findStamps(columns, known === undefined ? named : { time: known.time }, context);
  const ref = refOf(table, options.isUtf8);
  if (isNamedBook(table)) throw levelsFault(table, name);
  if (found.plans.length === 0) throw noStamp(table, columns, found.doubt, ref, name);
  const takenBy = ({ stampColumn, timeColumn, fractionColumn }: StampPlan): readonly number[] => [stampColumn, timeColumn, fractionColumn];
  const pricesBy = (stamp: StampPlan): PricePlans =>
    known === undefined ? findPrices(table, columns, named, takenBy(stamp)) : { plans: [known.prices], doubt: '' };
  const prices = pricesBy(found.plans[0]!);
  // Bars are stamped to the minute: 1430 is none of the first hour. 30 and 130 may be.
  const isLong = ({ timeColumn }: StampPlan): boolean => {
    const { texts } = columns[timeColumn]!;
    return texts.every(({ length }) => length >= 3) && texts.filter(({ length }) => length >= 4).length > texts.length / 2;
  };
  const minutes = prices.plans.every(({ kind }) => kind === 'bars')
    ? found.plans.filter((plan) => plan.clock === 'hhmm' && isLong(plan))
    : [];
  const stamps = minutes.length === 1 && found.plans.every(({ clock }) => clock !== undefined) ? { plans: minutes, doubt: '' } : found;
  refuseOtherDays(stamps.plans, table, name);
  const suspected = prices.plans.at(-1);
  const isNamed = Object.keys(named).some((role) => /^(?:price|bid|ask|close)$/.test(role));
  // Who names the price has seen the letters next to it.
  const groupsOf = (used: readonly number[], values: readonly number[]): readonly Group[] =>
    findGroups(columns, used, values, table.names !== undefined).filter(({ isByWords }) => !(isByWords && isNamed));
  const isDoubtful = stamps.doubt !== '' || prices.plans.length !== 1 || prices.doubt !== '';
  const commandsOf = (plans: readonly StampPlan[]): readonly string[] =>
    columnOptions(
      plans.map((stamp) => ({ stamp, prices: plans.length === 1 ? prices.plans : pricesBy(stamp).plans })),
      columns,
      ref,
      options,
    );
  // What else must be said once one of several markets is named.
  const asked = (mixed: Group, single?: string): Error => {
    const filter = groupFilter(table, mixed, ref);
    const more = (value: string): readonly string[] => {
      if (options.isTrial === true) return [];
      try {
        layoutBy(all, named, { ...options, isTrial: true, [mixed.option]: filter(value) });
        return [];
      } catch (fault) {
        return waysOn(fault);
      }
    };
    return groupFault(table, mixed, filter, more, name, single);
  };
  if (isDoubtful) {
    const { first } = suspected === undefined ? { first: [] } : pricesOf(suspected, columns);
    const used = [...stamps.plans.flatMap(takenBy), suspected?.firstColumn ?? -1, suspected?.askColumn ?? -1];
    const mixed = groupsOf(used, first).find(({ values }) => values.length > 1);
    if (mixed !== undefined) throw asked(mixed);
    const cut = prices.doubt.includes(CUT_DECIMAL) ? decimalCommands(all, options) : [];
    throw doubtful(table, [stamps.doubt, prices.doubt], cut, commandsOf(stamps.plans), name);
  }
  const [stamp, price] = [stamps.plans[0]!, prices.plans[0]!];
  const barUs = price.kind === 'bars' ? barLength(stamp, price, ref, name) : 0;
  const { first, ask } = pricesOf(price, columns);
  const priced = first.map((value, i) => (Number.isNaN(value) || (ask.length > 0 && Number.isNaN(ask[i]!)) ? NaN : value));
  if (price.kind === 'trades' && movesLikeBook(table, stamp.us, priced)) throw levelsFault(table, name);
  const used = [...takenBy(stamp), price.firstColumn, price.askColumn, ...filters.map(({ column }) => column)];
  const groups = groupsOf(used, priced);
  const mixed = groups.find(({ values }) => values.length > 1);
  if (mixed !== undefined) throw asked(mixed, commandsOf([stamp])[0]);
  const form = sureForm(stamp, table, options);
  const { format, zone, note } = nameFormat(table, form, price, stamp.stampColumn);
  const field = (at: number): number => (at < 0 ? at : fieldOf(table, at));
  const carriesForward = format === 'metatrader' && price.kind === 'quotes';
  const traits = [
    ...(form.kind === 'epoch' ? [UNIT_WORDS[form.unit]] : []),
    ...(price.kind === 'bars' ? [`bars of ${barUs / 1e6} s, the close at the bar's end`] : []),
    ...(table.titles === undefined ? ['no header'] : []),
    ...(note === '' ? [] : [note]),
  ];
  return {
    ...{ format, traits, kind: price.kind, separator: table.separator.charCodeAt(0), ...price.form, divisor: price.divisor },
    ...{
      firstColumn: field(price.firstColumn),
      askColumn: field(price.askColumn),
      barUs,
      skipLines: table.skipLines,
      header: table.header,
    },
    columns: table.width + table.cuts.length,
    cutFields: Math.min(1, table.cuts.length),
    stamp: form,
    ...{ stampColumn: field(stamp.stampColumn), timeColumn: field(stamp.timeColumn) },
    ...{ fractionColumn: field(stamp.fractionColumn), fractionUnit: stamp.fractionUnit },
    hasRowIds: hasRowIds(table.rows, used),
    carriesForward,
    // What did not change is not written again: from the end such rows cannot be read.
    isNewestFirst: !carriesForward && isNewestFirst(stamp.us),
    zone: zone ?? stamp.zone,
    filters: filters.map((filter) => ({ ...filter, column: field(filter.column) })),
    watches: groups.map(({ column, option, values }) => ({
      column: field(column),
      option,
      value: values[0] ?? '',
      title: titleOf(table, column),
    })),
    plan: planText(table, stamp, form, price, filters, groups),
  };
}

/** How `--columns` names a column: by its title where that is plain, else by its number. */
const refOf =
  (table: Table, isUtf8: boolean) =>
  (at: number): string => {
    const { titles } = table;
    // What is no UTF-8 is not typed as it is shown.
    const title = isUtf8 ? (titles?.[at] ?? '') : '';
    const isPlain =
      /^[\p{L}\p{N}_.<>#/ ()-]{1,40}$/u.test(title) && !/^\d+$/.test(title) && titles!.indexOf(title) === titles!.lastIndexOf(title);
    return isPlain ? title : String((titles === undefined ? fieldOf(table, at) : at) + 1);
  };

const titleOf = (table: Table, at: number): string =>
  table.titles?.[at] ? JSON.stringify(table.titles[at]) : `column ${fieldOf(table, at) + 1}`;

const timeOption = ({ stampColumn, timeColumn, fractionColumn, clock }: StampPlan, ref: (at: number) => string): string =>
  (timeColumn < 0 ? `time=${ref(stampColumn)}` : `date=${ref(stampColumn)},time=${ref(timeColumn)}`) +
  (clock === undefined ? '' : `,clock=${clock}`) +
  (fractionColumn < 0 ? '' : `,ms=${ref(fractionColumn)}`);

function priceOption({ kind, firstColumn, askColumn }: PricePlan, ref: (at: number) => string): string {
  if (kind === 'quotes') return `bid=${ref(firstColumn)},ask=${ref(askColumn)}`;
  return `${kind === 'bars' ? 'close' : 'price'}=${ref(firstColumn)}`;
}

/** `--columns …` as it is typed: quoted where the shell would cut it. */
function option(value: string): string {
  return /^[\w=,.-]+$/.test(value) ? `--columns ${value}` : `--columns '${value}'`;
}

/** A way to read the time, and those to read the price next to it. */
type Way = { readonly stamp: StampPlan; readonly prices: readonly PricePlan[] };

/** `--columns …` for each way to read the time and the price, with what else is in doubt then, as far as a message has room. */
function columnOptions(
  ways: readonly Way[],
  columns: readonly Column[],
  ref: (at: number) => string,
  { dateOrder, columns: named }: LayoutOptions,
): readonly string[] {
  const distance = ({ stamp: { clock, timeColumn } }: Way): number =>
    clock === undefined ? 0 : clockDistance(clock, columns[timeColumn]!.texts);
  const lists = [...ways]
    .sort((a, b) => distance(a) - distance(b))
    .map(({ stamp, prices }) => {
      const time = timeOption(stamp, ref);
      const orders = stamp.guess.isSure || dateOrder !== undefined ? [''] : stamp.guess.forms.map(({ order }) => ` --date-order ${order}`);
      const columnsOf = prices.flatMap((price) => {
        const said = named?.decimal === undefined ? '' : `,decimal=${named.decimal}`;
        const decimals = said === '' && isDoubtfulForm(price, columns) ? [',decimal=comma', ',decimal=point'] : [said];
        return decimals.map((decimal) => `${time},${priceOption(price, ref)}${decimal}`);
      });
      const all = columnsOf.length === 0 ? [`${time},price=NAME`] : columnsOf;
      return all.flatMap((text) => orders.map((order) => option(text) + order));
    });
  // The first one of each way, then the second one of each.
  const commands = Array.from({ length: MAX_CANDIDATES }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
  return [...new Set(commands)].slice(0, MAX_CANDIDATES);
}

function noStamp(table: Counted, columns: readonly Column[], doubt: string, ref: (at: number) => string, name: string): Error {
  const row = JSON.stringify(table.rows[0]!.join(table.separator).slice(0, 80));
  const dates = columns.filter(({ stamp }) => stamp?.isDate === true);
  const clocks = columns.filter(
    (column) => !column.isConstant && column.clocks.length > 0 && (column.clocks[0]!.kind === 'clock' || runsOn(column, dates)),
  );
  const prices = columns.filter(
    ({ at, numbers }) =>
      ![...dates, ...clocks].some((column) => column.at === at) && numbers.length > 0 && movesLikePrices(movementOf(numbers[0]!.values)),
  );
  const price = prices.length === 1 ? ref(prices[0]!.at) : 'NAME';
  const pairs = dates
    .flatMap((date) => clocks.map((clock) => option(`date=${ref(date.at)},time=${ref(clock.at)},price=${price}`)))
    .slice(0, MAX_CANDIDATES);
  const odd = oddStamps(table, columns);
  const found = doubt === '' ? `no column has date and time in a known form${odd?.found ?? ''}` : doubt;
  const header =
    table.titles === undefined
      ? ''
      : `; the columns are ${table.titles
          .map((title) => title || '(no name)')
          .join(', ')
          .slice(0, 300)}`;
  const remedy =
    pairs.length > 0
      ? `If these are date and time, say so: ${pairs.join(' or ')}.`
      : (odd?.remedy ??
        'Write stamps as 2024-01-31 09:30:00.123, or as seconds, milliseconds, microseconds or nanoseconds since 1970; if a column of another name holds them, name it: --columns time=NAME, or date=NAME,time=NAME.');
  const text = `${found}; the row is ${row}${header}`;
  return (doubt === '' ? fileFault : planFault)(name, placeOf(table, table.skipLines + 1), text, remedy);
}

/** What makes numbers and texts no stamps, where it is a known mishap, and what to do where no option helps. */
function oddStamps(table: Table, columns: readonly Column[]): { readonly found: string; readonly remedy?: string } | undefined {
  const first = ({ texts }: Column): string => texts.find((text) => text !== '') ?? '';
  const rounded = columns.find((column) => /^\d[.,]\d+E\+1\d$/i.test(first(column)));
  if (rounded !== undefined)
    return {
      found: `: a spreadsheet has rounded ${titleOf(table, rounded.at)} to ${first(rounded)}`,
      remedy:
        'What it cut is not in the file: take the file as it was downloaded, or show the whole numbers (format 0) before you save it.',
    };
  const minutes = columns.find((column) => /^\d\d:\d\d[.,]\d+$/.test(first(column)));
  if (minutes !== undefined)
    return {
      found: `: ${titleOf(table, minutes.at)} holds minutes and seconds (${first(minutes)}) without hour and date, as a spreadsheet shows them`,
      remedy: 'Hour and date are not in the file: take it as it was downloaded, or show yyyy-mm-dd hh:mm:ss.000 before you save it.',
    };
  const epoch = columns.find(({ numbers, stamp }) => stamp === undefined && numbers[0]?.values.every((value) => value >= 1e8) === true);
  return epoch === undefined
    ? undefined
    : { found: `: ${titleOf(table, epoch.at)} is no time between 2000 and next year in any unit since 1970` };
}

/** `cut`: the ways to read a number with a decimal comma as one. */
function doubtful(table: Counted, doubts: readonly string[], cut: readonly string[], commands: readonly string[], name: string): Error {
  const titles = table.titles === undefined ? '' : `; the header is ${JSON.stringify(table.header?.slice(0, 200))}`;
  const row = `; the first row is ${JSON.stringify(table.rows[0]!.join(table.separator).slice(0, 120))}`;
  const doubt = doubts.filter((each) => each !== '').join(', and ');
  const fault = planFault(
    name,
    placeOf(table, table.skipLines + (table.titles === undefined ? 1 : 0)),
    `${doubt}${titles}${row}`,
    doubt.includes(CUT_DECIMAL)
      ? `If it is one number, ${cut.length > 0 ? `say so: ${cut.join(' or ')}` : 'export the table with decimal points, or with semicolons between its columns'}. If it is two, say which column is the price: ${commands.join(' or ')}.`
      : `Say which columns are read: ${commands.join(' or ')}.`,
  );
  fault.commands = [...cut, ...commands];
  return fault;
}

/** How `--symbol` and `--event` name a value. */
const groupFilter =
  (table: Table, { column, option: flag }: Group, ref: (at: number) => string) =>
  (value: string): string =>
    isByName(table, column, flag) ? value : `${ref(column)}=${value}`;

/** `more`: what else must be said with a value, each a way. `single`: the columns to name where all rows are one series in truth. */
function groupFault(
  table: Table,
  { column, option: flag, values, why, isByWords }: Group,
  filter: (value: string) => string,
  more: (value: string) => readonly string[],
  name: string,
  single?: string,
): Error {
  const rank = (value: string): number => (/^(?:t|trades?|fill|0)$/i.test(value) ? 0 : value === '' ? 2 : 1);
  const sorted = [...values].sort((a, b) => rank(a) - rank(b));
  const ways = sorted
    .filter((value) => value !== '')
    .slice(0, MAX_CANDIDATES)
    .map((value) => {
      const text = filter(value);
      const typed = `--${flag} ${/^[\w.:/=-]+$/.test(text) ? text : `'${text}'`}`;
      const rest = more(value);
      return rest.length === 0 ? [typed] : rest.map((each) => `${typed} ${each}`);
    });
  // Each value with the likeliest columns, then those of the first ones with others.
  const commands = [...ways.flatMap((way) => way.slice(0, 1)), ...ways.flatMap((way) => way.slice(1))].slice(0, MAX_CANDIDATES);
  const shown =
    sorted
      .slice(0, 6)
      .map((value) => JSON.stringify(value))
      .join(', ') + (values.length > 6 ? ', …' : '');
  const what = flag === 'symbol' ? 'several markets' : 'several kinds of rows';
  const fault = planFault(
    name,
    '',
    `it holds ${what}: ${titleOf(table, column)} has ${plural(values.length, 'value')} (${shown}), told ${why}; together they are no series of prices`,
    `Say which one is read: ${commands.join(' or ')}.${isByWords && single !== undefined ? ` If all of them are, name the price: ${single}.` : ''}`,
  );
  fault.commands = commands;
  return fault;
}

const isByName = ({ names }: Table, column: number, flag: 'symbol' | 'event'): boolean =>
  names !== undefined && (flag === 'symbol' ? isSymbolName : isEventName)(names[column] ?? '');

/** Rows that step back by days, again and again, are two series in one file: their prices need no look. */
function refuseOtherDays([plan]: readonly StampPlan[], table: Counted, name: string): void {
  const us = plan!.us;
  const at = us.findIndex((each, i) => i > 0 && each >= 0 && us[i - 1]! - each > DAY_US);
  const back = us.filter((each, i) => i > 0 && each >= 0 && us[i - 1]! - each > DAY_US).length;
  if (back < 3 || isNewestFirst(us)) return;
  throw planFault(
    name,
    placeOf(table, table.skipLines + at + 1),
    `the stamp is ${Math.round((us[at - 1]! - us[at]!) / DAY_US)} days earlier than that of the row before, as in ${back} of the first ${us.length} rows: rows of other days stand in between`,
    'Export each day, or each market, on its own.',
  );
}

function levelsFault({ titles }: Table, name: string): Error {
  const columns = titles === undefined ? '' : `: the columns are ${titles.join(', ').slice(0, 200)}`;
  return planFault(
    name,
    '',
    `it holds the levels of an order book, not trades${columns}`,
    'Export the trades, or the best bid and ask, of the same market.',
  );
}

/** `--symbol` and `--event`, as VALUE or COLUMN=VALUE. */
function filtersOf(table: Table, options: ImportOptions): readonly Filter[] {
  return (['symbol', 'event'] as const).flatMap((flag): Filter[] => {
    const wanted = options[flag];
    if (wanted === undefined) return [];
    const isNamed = flag === 'symbol' ? isSymbolName : isEventName;
    const holding = (value: string): number[] =>
      Array.from({ length: table.width }, (_, at) => at).filter((at) => table.rows.some((row) => row[at] === value));
    const byName = Array.from({ length: table.width }, (_, at) => at).filter((at) => isNamed(table.names?.[at] ?? ''));
    const at = [...holding(wanted).filter((column) => byName.includes(column)), ...holding(wanted), ...byName][0];
    const split = /^([^=]+)=(.*)$/.exec(wanted);
    if (split !== null && (at === undefined || !holding(wanted).includes(at))) {
      const { time } = resolveColumns({ time: split[1]! }, table, options.name);
      return [{ column: time!, value: split[2]!, title: titleOf(table, time!), option: flag }];
    }
    if (at !== undefined) return [{ column: at, value: wanted, title: titleOf(table, at), option: flag }];
    throw new ServiceError('command.invalid', `--${flag} ${wanted}: no column of ${options.name} holds that value in its first rows.`, {
      remedy: `Name the column too: --${flag} COLUMN=${wanted}.`,
    });
  });
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

function sureForm({ guess, stampColumn }: StampPlan, table: Counted, { dateOrder, name }: ImportOptions): TimestampForm {
  if (guess.isSure) return guess.form;
  const { forms } = guess;
  const said = forms.find(({ order }) => order === dateOrder);
  if (said !== undefined) return said;
  const value = JSON.stringify(table.rows[0]![stampColumn]);
  const orders = forms.map(({ order }) => order);
  const shown = orders.map((order) => ORDER_WORDS[order]).join(' or ');
  const isShortYear = forms.some((form) => form.isShortYear === true);
  throw new AmbiguousDate(
    name,
    placeOf(table, table.skipLines + 1),
    `the date ${value}${isShortYear ? ' has a year of two digits: it' : ''} may be ${shown}, and no row shows which`,
    `Say which: ${orders.map((order) => `--date-order ${order}`).join(' or ')}${isShortYear ? ', or export it with years of four digits' : ''}.`,
    orders.filter((order) => order !== 'packed'),
  );
}

/** Most steps between bars are one length of time; pauses of the market are rarer than bars. */
function barLength(stamp: StampPlan, price: PricePlan, ref: (at: number) => string, name: string): number {
  const stampsUs = stamp.us;
  const counts = new Map<number, number>();
  let equal = 0;
  let steps = 0;
  for (let i = 1; i < stampsUs.length; i++) {
    const step = Math.abs(stampsUs[i]! - stampsUs[i - 1]!);
    steps++;
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
    else equal++;
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  if (commonest === undefined && equal === 0)
    throw planFault(name, '', 'these are price bars, and one bar is not enough to detect their length', 'Give more rows, or ticks.');
  if (equal > 0.5 * steps)
    throw planFault(
      name,
      '',
      `its columns are those of price bars, and ${equal} of ${steps} rows have the stamp of the row before, as no bars do`,
      `If its rows are trades, name their price: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}; if another column holds their time, name that.`,
    );
  const isWhole = (length: number): boolean => Math.abs(length / commonest! - Math.round(length / commonest!)) <= MAX_UNEVEN;
  const uneven = [...counts].reduce((sum, [length, count]) => sum + (isWhole(length) ? 0 : count), 0);
  if (uneven > 0.5 * (steps - equal))
    throw planFault(
      name,
      '',
      `its columns are those of price bars, and its stamps are apart by times of any length, as those of trades or of bars of some volume are`,
      `If each row is one trade, or its stamp is the end of the bar: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}.`,
    );
  if (commonest! >= DAY_US)
    throw planFault(
      name,
      '',
      `these are bars of ${commonest! / DAY_US === 1 ? 'a day' : `${Math.round(commonest! / DAY_US)} days`}: what moves within a day is not in the file, and forecasts look seconds to hours ahead`,
      'Export ticks, or bars of a minute or less.',
    );
  return commonest!;
}

function planText(
  table: Table,
  { stampColumn, timeColumn, fractionColumn, evidence }: StampPlan,
  form: TimestampForm,
  price: PricePlan,
  filters: readonly Filter[],
  groups: readonly Group[],
): readonly string[] {
  const title = (at: number): string => titleOf(table, at);
  const parts = [stampColumn, timeColumn, fractionColumn].filter((at) => at >= 0).map(title);
  const unit =
    form.kind === 'epoch'
      ? `, ${UNIT_WORDS[form.unit]}`
      : form.kind === 'calendar' && form.order !== 'packed'
        ? `, ${ORDER_WORDS[form.order]}`
        : '';
  const used = [stampColumn, timeColumn, fractionColumn, price.firstColumn, price.askColumn, ...filters.map(({ column }) => column)];
  const unused = Array.from({ length: table.width }, (_, at) => at).filter((at) => !used.includes(at));
  const shownUnused = unused.slice(0, 12).map(title).join(', ') + (unused.length > 12 ? ', …' : '');
  return [
    `time: ${parts.join(' + ')}${unit} (${evidence})`,
    price.askColumn >= 0
      ? `${price.kind === 'bars' ? 'close of ' : ''}bid: ${title(price.firstColumn)}, ask: ${title(price.askColumn)} (${price.evidence})`
      : `${price.kind === 'bars' ? 'close' : 'price'}: ${title(price.firstColumn)} (${price.evidence})`,
    ...(price.divisor === 1 ? [] : [`prices are whole numbers of 1/${price.divisor}`]),
    ...filters.map(({ title: column, value }) => `only rows with ${column} = ${JSON.stringify(value)}`),
    ...groups.map(
      ({ column, values, option: flag }) => `${flag}: ${title(column)} is ${JSON.stringify(values[0] ?? '')} in all rows with a price`,
    ),
    ...(unused.length === 0 ? [] : [`unused: ${shownUnused}`]),
  ];
}
