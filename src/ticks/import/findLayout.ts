import { plural } from '../../core/plural.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { TimestampForm } from './DateReader.ts';
import { isNewestFirst } from './guessTimestampFormat.ts';
import { AmbiguousDate, type ImportOptions, fileFault } from './ImportReport.ts';
import { columnsIn, movementOf, movesLikePrices, type Column } from './plan/columns.ts';
import { findGroups, type Group } from './plan/findGroups.ts';
import { findPrices, pricesOf, type PricePlan } from './plan/findPrices.ts';
import { findStamps, runsOn, type StampPlan } from './plan/findStamps.ts';
import { isNamedBook, movesLikeBook } from './plan/holdsLevels.ts';
import { knownPlan } from './plan/knownLayouts.ts';
import { nameFormat } from './plan/nameFormat.ts';
import { isEventName, isSymbolName } from './plan/names.ts';
import { resolveColumns } from './plan/resolveColumns.ts';
import { type Table, tableOf } from './plan/Table.ts';
import type { Filter, TableLayout } from './TableLayout.ts';

const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;
const MAX_SAMPLE_LINES = 1000;
/** Fewer rows may grow by chance. */
const MIN_ID_ROWS = 20;
const MAX_CANDIDATES = 4;
/** Bars lie apart by whole numbers of their length, within this fraction of it. */
const MAX_UNEVEN = 0.05;
const ORDER_WORDS = { dmy: 'day/month/year', mdy: 'month/day/year', ymd: 'year/month/day', packed: '' } as const;
const UNIT_WORDS = {
  ...{ s: 'epoch seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' },
  ...{ dotnet: '.NET ticks', filetime: 'Windows file times', kdb: 'nanoseconds since 2000', excel: 'day numbers of a spreadsheet' },
} as const;
const DAY_US = 86_400_000_000;

export type LayoutOptions = ImportOptions & { readonly nowMs: number; readonly isUtf8: boolean };

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
      return layoutOf(table, options);
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
}
const isSure = (fault: unknown): boolean =>
  fault instanceof ServiceError && ('isSure' in fault || fault.code === 'command.invalid' || 'orders' in fault);

function planFault(name: string, line: number, found: string, remedy: string): Error {
  return new PlanFault('file.malformed', `${name}${line > 0 ? `, line ${line}` : ''}: ${found}.`, { remedy });
}

const headerFault = (name: string, line: number, found: string, remedy: string): Error => fileFault(name, `line ${line}`, found, remedy);

function layoutOf(all: Table, options: LayoutOptions): TableLayout {
  const { name, nowMs } = options;
  if (all.rows.length === 0) throw fileFault(name, '', 'there is a header but no row after it', 'Export the file again, with its ticks.');
  if (all.fault !== undefined)
    throw (all.separator === ',' ? planFault : headerFault)(name, all.fault.line, all.fault.found, all.fault.remedy);
  const named = resolveColumns(options.columns, all, name);
  const filters = filtersOf(all, options);
  const kept = all.rows.filter((row) => filters.every(({ column, value }) => row[column] === value));
  const table = kept.length > 0 ? { ...all, rows: kept } : all;
  const columns = columnsIn(table, nowMs);
  const known = Object.keys(named).length === 0 ? knownPlan(table, columns) : undefined;
  const context = {
    ...{ rows: table.rows, titles: table.titles, nowMs, clock: options.columns?.clock },
    namedBy: known?.prices.evidence ?? 'named by you',
  };
  const found = findStamps(columns, known === undefined ? named : { time: known.time }, context);
  const ref = refOf(table, options.isUtf8);
  if (isNamedBook(table)) throw levelsFault(table, name);
  if (found.plans.length === 0) throw noStamp(table, columns, found.doubt, ref, name);
  const taken = found.plans.flatMap(({ stampColumn, timeColumn, fractionColumn }) => [stampColumn, timeColumn, fractionColumn]);
  const prices = known?.prices !== undefined ? { plans: [known.prices], doubt: '' } : findPrices(table, columns, named, taken);
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
  if (stamps.plans.length === 1 && prices.doubt !== '' && suspected !== undefined) {
    const { first } = pricesOf(suspected, columns);
    const [mixed] = findGroups(columns, [...taken, suspected.firstColumn, suspected.askColumn], first, table.names !== undefined).filter(
      ({ values }) => values.length > 1,
    );
    if (mixed !== undefined) throw groupFault(table, mixed, ref, name);
  }
  if (stamps.doubt !== '' || prices.plans.length !== 1 || prices.doubt !== '')
    throw doubtful(table, stamps.plans, stamps.doubt, prices.plans, prices.doubt, ref, name);
  const [stamp, price] = [stamps.plans[0]!, prices.plans[0]!];
  const form = sureForm(stamp, table, options);
  const barUs = price.kind === 'bars' ? barLength(stamp, price, ref, name) : 0;
  const { first, ask } = pricesOf(price, columns);
  const priced = first.map((value, i) => (Number.isNaN(value) || (ask.length > 0 && Number.isNaN(ask[i]!)) ? NaN : value));
  if (price.kind === 'trades' && movesLikeBook(table, stamp.us, priced)) throw levelsFault(table, name);
  const used = [...taken, price.firstColumn, price.askColumn, ...filters.map(({ column }) => column)];
  const groups = findGroups(columns, used, priced, table.names !== undefined);
  const asked = groups.find(({ values }) => values.length > 1);
  if (asked !== undefined) throw groupFault(table, asked, ref, name);
  const { format, zone, note } = nameFormat(table, form, price, stamp.stampColumn);
  const carriesForward = format === 'metatrader' && price.kind === 'quotes';
  const traits = [
    ...(form.kind === 'epoch' ? [UNIT_WORDS[form.unit]] : []),
    ...(price.kind === 'bars' ? [`bars of ${barUs / 1e6} s, the close at the bar's end`] : []),
    ...(table.titles === undefined ? ['no header'] : []),
    ...(note === '' ? [] : [note]),
  ];
  return {
    ...{ format, traits, kind: price.kind, separator: table.separator.charCodeAt(0), ...price.form, divisor: price.divisor },
    ...{ firstColumn: price.firstColumn, askColumn: price.askColumn, barUs, skipLines: table.skipLines, header: table.header },
    columns: table.width,
    stamp: form,
    ...{ stampColumn: stamp.stampColumn, timeColumn: stamp.timeColumn },
    ...{ fractionColumn: stamp.fractionColumn, fractionUnit: stamp.fractionUnit },
    hasRowIds: hasRowIds(table.rows, used),
    carriesForward,
    // What did not change is not written again: from the end such rows cannot be read.
    isNewestFirst: !carriesForward && isNewestFirst(stamp.us),
    zone: zone ?? stamp.zone,
    filters,
    watches: groups.map(({ column, option, values }) => ({ column, option, value: values[0] ?? '', title: titleOf(table, column) })),
    plan: planText(table, stamp, form, price, filters, groups),
  };
}

/** How `--columns` names a column: by its title where that is plain, else by its number. */
const refOf =
  ({ titles }: Table, isUtf8: boolean) =>
  (at: number): string => {
    // What is no UTF-8 is not typed as it is shown.
    const title = isUtf8 ? (titles?.[at] ?? '') : '';
    const isPlain =
      /^[\p{L}\p{N}_.<>#/ ()-]{1,40}$/u.test(title) && !/^\d+$/.test(title) && titles!.indexOf(title) === titles!.lastIndexOf(title);
    return isPlain ? title : String(at + 1);
  };

const titleOf = ({ titles }: Table, at: number): string => (titles?.[at] ? JSON.stringify(titles[at]) : `column ${at + 1}`);

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

function noStamp(table: Table, columns: readonly Column[], doubt: string, ref: (at: number) => string, name: string): Error {
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
  const found = doubt === '' ? `no column has date and time in a known form${oddStamps(table, columns)}` : doubt;
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
      : 'Write stamps as 2024-01-31 09:30:00.123, or as seconds, milliseconds, microseconds or nanoseconds since 1970; if a column of another name holds them, name it: --columns time=NAME, or date=NAME,time=NAME.';
  const text = `${found}; the row is ${row}${header}`;
  return doubt === '' ? fileFault(name, `line ${table.skipLines + 1}`, text, remedy) : planFault(name, table.skipLines + 1, text, remedy);
}

/** What makes numbers and texts no stamps, where it is a known mishap. */
function oddStamps(table: Table, columns: readonly Column[]): string {
  const first = ({ texts }: Column): string => texts.find((text) => text !== '') ?? '';
  const rounded = columns.find((column) => /^\d[.,]\d+E\+1\d$/i.test(first(column)));
  if (rounded !== undefined)
    return `: a spreadsheet has rounded ${titleOf(table, rounded.at)} to ${first(rounded)}, show the whole numbers before you save it`;
  const minutes = columns.find((column) => /^\d\d:\d\d[.,]\d+$/.test(first(column)));
  if (minutes !== undefined)
    return `: ${titleOf(table, minutes.at)} holds minutes and seconds (${first(minutes)}) without hour and date, as a spreadsheet shows them`;
  const epoch = columns.find(({ numbers, stamp }) => stamp === undefined && numbers[0]?.values.every((value) => value >= 1e8) === true);
  return epoch === undefined ? '' : `: ${titleOf(table, epoch.at)} is no time between 2000 and next year in any unit since 1970`;
}

function doubtful(
  table: Table,
  stamps: readonly StampPlan[],
  stampDoubt: string,
  prices: readonly PricePlan[],
  priceDoubt: string,
  ref: (at: number) => string,
  name: string,
): Error {
  const options = stamps.flatMap((stamp) => {
    const time = timeOption(stamp, ref);
    return prices.length === 0 ? [`${time},price=NAME`] : prices.map((price) => `${time},${priceOption(price, ref)}`);
  });
  const each = Math.max(1, Math.ceil(MAX_CANDIDATES / Math.max(1, stamps.length)));
  const spread = options.filter((_, i) => i % Math.max(1, prices.length) < each);
  const shown = [...new Set(spread)].slice(0, MAX_CANDIDATES).map(option);
  const titles = table.titles === undefined ? '' : `; the header is ${JSON.stringify(table.header?.slice(0, 200))}`;
  const row = `; the first row is ${JSON.stringify(table.rows[0]!.join(table.separator).slice(0, 120))}`;
  const doubt = [stampDoubt, priceDoubt].filter((each) => each !== '').join(', and ');
  return planFault(
    name,
    table.skipLines + (table.titles === undefined ? 1 : 0),
    `${doubt}${titles}${row}`,
    priceDoubt.includes('decimal comma')
      ? `If it is one number, export the table with decimal points, or with semicolons between its columns.${prices.length === 0 ? '' : ` If it is two, say which column is the price: ${shown.join(' or ')}.`}`
      : `Say which columns are read: ${shown.join(' or ')}.`,
  );
}

function groupFault(table: Table, { column, option: flag, values, why }: Group, ref: (at: number) => string, name: string): Error {
  const rank = (value: string): number => (/^(?:t|trades?|fill|0)$/i.test(value) ? 0 : value === '' ? 2 : 1);
  const sorted = [...values].sort((a, b) => rank(a) - rank(b));
  const typed = (value: string): string => {
    const text = isByName(table, column, flag) ? value : `${ref(column)}=${value}`;
    return `--${flag} ${/^[\w.:/=-]+$/.test(text) ? text : `'${text}'`}`;
  };
  const shown =
    sorted
      .slice(0, 6)
      .map((value) => JSON.stringify(value))
      .join(', ') + (values.length > 6 ? ', …' : '');
  const what = flag === 'symbol' ? 'several markets' : 'several kinds of rows';
  return planFault(
    name,
    0,
    `it holds ${what}: ${titleOf(table, column)} has ${plural(values.length, 'value')} (${shown}), told ${why}; together they are no series of prices`,
    `Say which one is read: ${sorted
      .filter((value) => value !== '')
      .slice(0, MAX_CANDIDATES)
      .map(typed)
      .join(' or ')}.`,
  );
}

const isByName = ({ names }: Table, column: number, flag: 'symbol' | 'event'): boolean =>
  names !== undefined && (flag === 'symbol' ? isSymbolName : isEventName)(names[column] ?? '');

/** Rows that step back by days, again and again, are two series in one file: their prices need no look. */
function refuseOtherDays([plan]: readonly StampPlan[], { skipLines }: Table, name: string): void {
  const us = plan!.us;
  const at = us.findIndex((each, i) => i > 0 && each >= 0 && us[i - 1]! - each > DAY_US);
  const back = us.filter((each, i) => i > 0 && each >= 0 && us[i - 1]! - each > DAY_US).length;
  if (back < 3 || isNewestFirst(us)) return;
  throw planFault(
    name,
    skipLines + at + 1,
    `the stamp is ${Math.round((us[at - 1]! - us[at]!) / DAY_US)} days earlier than that of the row before, as in ${back} of the first ${us.length} rows: rows of other days stand in between`,
    'Export each day, or each market, on its own.',
  );
}

function levelsFault({ titles }: Table, name: string): Error {
  const columns = titles === undefined ? '' : `: the columns are ${titles.join(', ').slice(0, 200)}`;
  return planFault(
    name,
    0,
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

function sureForm({ guess, stampColumn }: StampPlan, { rows, skipLines }: Table, { dateOrder, name }: ImportOptions): TimestampForm {
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
    throw planFault(name, 0, 'these are price bars, and one bar is not enough to detect their length', 'Give more rows, or ticks.');
  if (equal > 0.5 * steps)
    throw planFault(
      name,
      0,
      `its columns are those of price bars, and ${equal} of ${steps} rows have the stamp of the row before, as no bars do`,
      `If its rows are trades, name their price: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}; if another column holds their time, name that.`,
    );
  const isWhole = (length: number): boolean => Math.abs(length / commonest! - Math.round(length / commonest!)) <= MAX_UNEVEN;
  const uneven = [...counts].reduce((sum, [length, count]) => sum + (isWhole(length) ? 0 : count), 0);
  if (uneven > 0.5 * (steps - equal))
    throw planFault(
      name,
      0,
      `its columns are those of price bars, and its stamps are apart by times of any length, as those of trades or of bars of some volume are`,
      `If each row is one trade, or its stamp is the end of the bar: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}.`,
    );
  if (commonest! >= DAY_US)
    throw planFault(
      name,
      0,
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
