import type { TimestampForm } from './DateReader.ts';
import { isNewestFirst } from './guessTimestampFormat.ts';
import { AmbiguousDate, type ColumnMap, type ImportOptions, fileFault } from './ImportReport.ts';
import { columnOptions, option, refOf, titleOf } from './plan/columnOptions.ts';
import { areClosesOfBars, barLength } from './plan/barLength.ts';
import { barTimeOf, STAMPED } from './plan/barTimeOf.ts';
import { columnsIn } from './plan/columns.ts';
import { doubtfulZone } from './plan/doubtfulZone.ts';
import { filtersOf } from './plan/filtersOf.ts';
import { findGroups, type Group } from './plan/findGroups.ts';
import { findPrices } from './plan/findPrices.ts';
import { findStamps } from './plan/findStamps.ts';
import { holdsGoneLevels, isNamedBook, movesLikeBook } from './plan/holdsLevels.ts';
import { knownPlan } from './plan/knownLayouts.ts';
import { columnsOf } from './plan/names.ts';
import { marketFlags } from './plan/marketFlags.ts';
import { nameFormat } from './plan/nameFormat.ts';
import { cutPrices, fieldOf, joinDecimals } from './plan/joinDecimals.ts';
import { type Counted, isSure, placeOf, planFault, waysOn } from './plan/PlanFault.ts';
import { bars as barsPlan, type PricePlans, pricesOf } from './plan/PricePlan.ts';
import { ORDER_WORDS, planText, UNIT_WORDS } from './plan/planText.ts';
import { doubtful, groupFault, groupFilter, levelsFault, noStamp, refuseOtherDays, zoneFault } from './plan/refusals.ts';
import { type Columns, resolveColumns } from './plan/resolveColumns.ts';
import { runApart } from './plan/sameTimes.ts';
import type { StampPlan } from './plan/StampPlan.ts';
import { tableOf } from './plan/Table.ts';
import { CUT_DECIMAL } from './plan/unnamedPrices.ts';
import { volumeColumns } from './plan/volumeColumns.ts';
import type { TableLayout } from './TableLayout.ts';
import type { RowNames } from './TickRows.ts';

const SEPARATORS = ['\t', ';', '|', ',', ' '] as const;
const MAX_SAMPLE_LINES = 1000;
/** Fewer rows may grow by chance. */
const MIN_ID_ROWS = 20;
/** Another time of the rows stays as far from theirs, but for this. */
const MAX_APART_US = 600e6;
/** From here on the digits of bars as hours and minutes are as likely those of shorter bars as hours, minutes and seconds. */
const RARE_BAR_US = 600e6;

export type LayoutOptions = ImportOptions & {
  readonly nowMs: number;
  readonly isUtf8: boolean;
  readonly rowNames: RowNames;
  /** A market or a kind of rows is tried, to say what else must be named with it. */
  readonly isTrial?: boolean;
};

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

function layoutBy(all: Counted, named: Columns, options: LayoutOptions): TableLayout {
  const { name, nowMs } = options;
  const said = filtersOf(all, options);
  const flags = marketFlags(
    all,
    said.map(({ column }) => column),
  );
  const filters = [...said, ...flags];
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
  if (found.plans.length === 0) throw noStamp(table, columns, found, ref, name);
  const takenBy = ({ stampColumn, timeColumn, fractionColumn }: StampPlan): readonly number[] => [stampColumn, timeColumn, fractionColumn];
  const pricesBy = (stamp: StampPlan): PricePlans =>
    known === undefined ? findPrices(table, columns, named, takenBy(stamp)) : { plans: [known.prices], doubt: '' };
  const prices = pricesBy(found.plans[0]!);
  // Bars are stamped to the minute: 1430 is none of the first hour. 30 and 130 may be.
  const isLong = ({ timeColumn }: StampPlan): boolean => {
    const { texts } = columns[timeColumn]!;
    return texts.every(({ length }) => length >= 3) && texts.filter(({ length }) => length >= 4).length > texts.length / 2;
  };
  // 100, 200, 300 are the hours or minutes after midnight, 100, 110, 120 tens of minutes or of seconds.
  const isUsualBar = ({ us }: StampPlan): boolean => us.some((each, i) => i > 0 && each > us[i - 1]! && each - us[i - 1]! < RARE_BAR_US);
  const isContradicted = ({ us }: StampPlan): boolean =>
    columns.some(({ stamp, isConstant }) => stamp?.isDate === false && !isConstant && runApart(us, stamp.us, MAX_APART_US));
  const minutes = prices.plans.every(({ kind }) => kind === 'bars')
    ? found.plans.filter((plan) => plan.clock === 'hhmm' && isLong(plan) && !isContradicted(plan) && isUsualBar(plan))
    : [];
  const stamps = minutes.length === 1 && found.plans.every(({ clock }) => clock !== undefined) ? { plans: minutes, doubt: '' } : found;
  refuseOtherDays(stamps.plans, table, name);
  const suspected = prices.plans.at(-1);
  const isNamed = Object.keys(named).some((role) => /^(?:price|bid|ask|close)$/.test(role));
  // Who names the price has seen the letters next to it.
  const groupsOf = (used: readonly number[], values: readonly number[]): readonly Group[] =>
    findGroups(columns, used, values, stamps.plans[0]!.us, table.names !== undefined).filter(({ isByWords }) => !(isByWords && isNamed));
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
  const [stamp, only] = [stamps.plans[0]!, prices.plans[0]!];
  const isCalledClose = only.kind === 'trades' && columnsOf('close', table.names ?? []).includes(only.firstColumn);
  const price = isCalledClose && areClosesOfBars(stamp.us) ? barsPlan(only.firstColumn, 'by its name, at even times') : only;
  const periodUs = price.kind === 'bars' ? barLength(stamp, price, ref, name) : 0;
  const { first, ask } = pricesOf(price, columns);
  const priced = first.map((value, i) => (Number.isNaN(value) || (ask.length > 0 && Number.isNaN(ask[i]!)) ? NaN : value));
  const used = [...takenBy(stamp), price.firstColumn, price.askColumn, ...price.range, ...filters.map(({ column }) => column)];
  if (price.kind === 'trades' && (movesLikeBook(table, stamp.us, priced) || (!isNamed && holdsGoneLevels(table, used))))
    throw levelsFault(table, name);
  const groups = groupsOf(used, priced);
  // Next to quotes, what tells the kinds of rows may be the price of the trades.
  const traded = price.kind !== 'quotes' || isNamed ? -1 : (columnsOf('price', table.names ?? [])[0] ?? -1);
  const last = columns[traded]?.numbers[0]?.values ?? [];
  const mixed = [...groups, ...(last.length === 0 ? [] : groupsOf([...used, traded], last))].find(({ values }) => values.length > 1);
  if (mixed !== undefined) throw asked(mixed, commandsOf([stamp])[0]);
  const form = sureForm(stamp, table, options);
  const { format, zone, note } = nameFormat(table, form, price, stamp.stampColumn);
  const unsure = options.zone === undefined && zone === undefined ? doubtfulZone(stamp, form, columns, table) : undefined;
  if (unsure !== undefined) throw zoneFault(unsure, name);
  const field = (at: number): number => (at < 0 ? at : fieldOf(table, at));
  const stampName = table.names?.[stamp.timeColumn < 0 ? stamp.stampColumn : stamp.timeColumn];
  const bars = price.kind === 'bars' ? { periodUs, ...barTimeOf(stampName, format, options.barTime) } : undefined;
  const carriesForward = format === 'metatrader' && price.kind === 'quotes';
  const traits = [
    ...(form.kind === 'epoch' ? [UNIT_WORDS[form.unit]] : []),
    ...(bars === undefined ? [] : [`bars of ${periodUs / 1e6} s, the close at the bar's end`]),
    ...(table.titles === undefined ? ['no header'] : []),
    ...(note === '' ? [] : [note]),
  ];
  return {
    ...{ format, traits, kind: price.kind, separator: table.separator.charCodeAt(0), ...price.form, divisor: price.divisor },
    ...{
      firstColumn: field(price.firstColumn),
      askColumn: field(price.askColumn),
      rangeColumns: price.range.map(field),
      volumeColumns: price.kind === 'bars' ? volumeColumns(table, columns, format).map(field) : [],
      bars: bars && { periodUs, barTime: bars.barTime },
      barUs: bars?.barTime === 'close' ? 0 : periodUs,
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
    plan: [
      ...planText(table, stamp, form, price, filters, groups),
      ...(bars === undefined ? [] : [`stamps: ${STAMPED[bars.barTime ?? 'unknown']} (${bars.evidence})`]),
    ],
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
