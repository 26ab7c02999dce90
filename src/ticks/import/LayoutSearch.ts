import type { TimestampForm } from './DateReader.ts';
import { isNewestFirst } from './guessTimestampFormat.ts';
import type { ImportOptions } from './ImportReport.ts';
import { areClosesOfBars, barLength, barTimeOf, STAMPED, volumeColumns } from './plan/barPlan.ts';
import { columnOptions, refOf, titleOf } from './plan/columnOptions.ts';
import { type Column, columnsIn } from './plan/columns.ts';
import { doubtfulZone } from './plan/doubtfulZone.ts';
import { filtersOf, marketFlags } from './plan/filters.ts';
import { findGroups, type Group } from './plan/findGroups.ts';
import { findPrices } from './plan/findPrices.ts';
import { findStamps } from './plan/findStamps.ts';
import { holdsGoneLevels, isNamedBook, movesLikeBook } from './plan/holdsLevels.ts';
import { fieldOf } from './plan/joinDecimals.ts';
import { knownPlan, nameFormat } from './plan/knownFormats.ts';
import { columnsOf } from './plan/names.ts';
import {
  type Counted,
  doubtful,
  groupFault,
  groupFilter,
  levelsFault,
  noStamp,
  planFault,
  placeOf,
  refuseOtherDays,
  zoneFault,
} from './plan/refusals.ts';
import { bars as barsPlan, type PricePlan, type PricePlans, pricesOf } from './plan/PricePlan.ts';
import { ORDER_WORDS, planText, UNIT_WORDS } from './plan/planText.ts';
import type { Columns } from './plan/resolveColumns.ts';
import { runApart } from './plan/sameTimes.ts';
import type { StampPlan, StampPlans } from './plan/StampPlan.ts';
import { CUT_DECIMAL } from './plan/unnamedPrices.ts';
import type { Filter, TableLayout } from './TableLayout.ts';
import type { RowNames } from './TickRows.ts';

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

/** How else the rows of a table could be read, for a refusal. */
export type OtherWays = {
  /** The options that read prices cut at their decimal comma. */
  readonly decimals: () => readonly string[];
  /** What else must be said once one of several markets is named. */
  readonly withOption: (named: Pick<ImportOptions, 'symbol' | 'event'>) => readonly string[];
};

const takenBy = ({ stampColumn, timeColumn, fractionColumn }: StampPlan): readonly number[] => [stampColumn, timeColumn, fractionColumn];

/** The search for the plan of one table: rows, then stamps, prices, markets and form, each of which must have exactly one answer. */
export class LayoutSearch {
  readonly #named: Columns;
  readonly #options: LayoutOptions;
  readonly #others: OtherWays;
  readonly #name: string;
  readonly #filters: readonly Filter[];
  /** The rows that the filters leave. */
  readonly #table: Counted;
  readonly #columns: readonly Column[];
  readonly #known: ReturnType<typeof knownPlan>;
  readonly #ref: (at: number) => string;
  /** The price is named: what letters next to it mean is known then. */
  readonly #isNamed: boolean;

  /** @param named the columns that the user named */
  constructor(all: Counted, named: Columns, options: LayoutOptions, others: OtherWays) {
    const said = filtersOf(all, options);
    const flags = marketFlags(
      all,
      said.map(({ column }) => column),
    );
    this.#named = named;
    this.#options = options;
    this.#others = others;
    this.#name = options.name;
    this.#filters = [...said, ...flags];
    const kept = all.rows.filter((row) => this.#filters.every(({ column, value }) => row[column] === value));
    this.#table = kept.length > 0 ? { ...all, rows: kept } : all;
    this.#columns = columnsIn(this.#table, options.nowMs, options.columns?.decimal);
    this.#known = Object.keys(named).length === 0 ? knownPlan(this.#table, this.#columns) : undefined;
    this.#ref = refOf(this.#table, options.isUtf8);
    this.#isNamed = Object.keys(named).some((role) => /^(?:price|bid|ask|close)$/.test(role));
  }

  /** Throws ServiceError file.malformed where a part of the plan has no answer or several. */
  layout(): TableLayout {
    if (isNamedBook(this.#table)) throw levelsFault(this.#table, this.#name);
    const found = this.#foundStamps();
    const prices = this.#pricesBy(found.plans[0]);
    const stamps = this.#minutesOfBars(found, prices) ?? found;
    refuseOtherDays(stamps.plans, this.#table, this.#name);
    const [stamp, only] = [stamps.plans[0], prices.plans[0]];
    if (stamps.doubt !== '' || prices.plans.length !== 1 || prices.doubt !== '' || only === undefined) throw this.#doubt(stamps, prices);
    const price = this.#withBars(stamp, only);
    const periodUs = price.kind === 'bars' ? barLength(stamp, price, this.#ref, this.#name) : 0;
    const used = [...takenBy(stamp), price.firstColumn, price.askColumn, ...price.range, ...this.#filters.map(({ column }) => column)];
    const groups = this.#onlyGroups(stamp, price, used);
    return this.#layoutOf(stamp, price, periodUs, used, groups);
  }

  #foundStamps(): StampPlans {
    const [table, known, options] = [this.#table, this.#known, this.#options];
    const found = findStamps(this.#columns, known === undefined ? this.#named : { time: known.time }, {
      ...{ rows: table.rows, titles: table.titles, nowMs: options.nowMs, clock: options.columns?.clock },
      namedBy: known?.prices.evidence ?? 'named by you',
    });
    if (found.plans.length === 0) throw noStamp(table, this.#columns, found, this.#ref, this.#name);
    return found;
  }

  #pricesBy(stamp: StampPlan): PricePlans {
    if (this.#known !== undefined) return { plans: [this.#known.prices], doubt: '' };
    return findPrices(this.#table, this.#columns, this.#named, takenBy(stamp));
  }

  /** Of times in digits that can be read in several ways: the one as hours and minutes, where bars make the others unlikely. */
  #minutesOfBars(found: StampPlans, prices: PricePlans): StampPlans | undefined {
    if (!prices.plans.every(({ kind }) => kind === 'bars') || !found.plans.every(({ clock }) => clock !== undefined)) return undefined;
    // Bars are stamped to the minute: 1430 is none of the first hour. 30 and 130 may be.
    const isLong = ({ timeColumn }: StampPlan): boolean => {
      const { texts } = this.#columns[timeColumn];
      return texts.every(({ length }) => length >= 3) && texts.filter(({ length }) => length >= 4).length > texts.length / 2;
    };
    // 100, 200, 300 are the hours or minutes after midnight, 100, 110, 120 tens of minutes or of seconds.
    const isUsualBar = ({ us }: StampPlan): boolean => us.some((each, i) => i > 0 && each > us[i - 1] && each - us[i - 1] < RARE_BAR_US);
    const isContradicted = ({ us }: StampPlan): boolean =>
      this.#columns.some(({ stamp, isConstant }) => stamp?.isDate === false && !isConstant && runApart(us, stamp.us, MAX_APART_US));
    const minutes = found.plans.filter((plan) => plan.clock === 'hhmm' && isLong(plan) && !isContradicted(plan) && isUsualBar(plan));
    return minutes.length === 1 ? { plans: minutes, doubt: '' } : undefined;
  }

  /** What is refused where stamps or prices have several plans or none. */
  #doubt(stamps: StampPlans, prices: PricePlans): Error {
    const suspected = prices.plans.at(-1);
    const { first } = suspected === undefined ? { first: [] } : pricesOf(suspected, this.#columns);
    const used = [...stamps.plans.flatMap(takenBy), suspected?.firstColumn ?? -1, suspected?.askColumn ?? -1];
    const mixed = this.#groupsOf(stamps.plans[0], used, first).find(({ values }) => values.length > 1);
    if (mixed !== undefined) return this.#mixedFault(mixed);
    const cut = prices.doubt.includes(CUT_DECIMAL) ? this.#others.decimals() : [];
    return doubtful(this.#table, [stamps.doubt, prices.doubt], cut, this.#commandsOf(stamps.plans), this.#name);
  }

  #commandsOf(plans: readonly StampPlan[]): readonly string[] {
    const ways = plans.map((stamp) => ({ stamp, prices: this.#pricesBy(stamp).plans }));
    return columnOptions(ways, this.#columns, this.#ref, this.#options);
  }

  /** The columns of markets or kinds of rows, but for those that mean something else next to a named price. */
  #groupsOf({ us }: StampPlan, used: readonly number[], values: readonly number[]): readonly Group[] {
    const groups = findGroups(this.#columns, used, values, us, this.#table.names !== undefined);
    return groups.filter(({ isByWords }) => !(isByWords && this.#isNamed));
  }

  #mixedFault(mixed: Group, single?: string): Error {
    const filter = groupFilter(this.#table, mixed, this.#ref);
    const more = (value: string): readonly string[] =>
      this.#options.isTrial === true ? [] : this.#others.withOption({ [mixed.option]: filter(value) });
    return groupFault(this.#table, mixed, filter, more, this.#name, single);
  }

  /** Trades that are called closes and come at even times are bars. */
  #withBars({ us }: StampPlan, price: PricePlan): PricePlan {
    const isCalledClose = price.kind === 'trades' && columnsOf('close', this.#table.names ?? []).includes(price.firstColumn);
    return isCalledClose && areClosesOfBars(us) ? barsPlan(price.firstColumn, 'by its name, at even times') : price;
  }

  /** The groups, each of which has one value: levels of a book and several markets are refused. */
  #onlyGroups(stamp: StampPlan, price: PricePlan, used: readonly number[]): readonly Group[] {
    const [table, columns] = [this.#table, this.#columns];
    const { first, ask } = pricesOf(price, columns);
    const priced = first.map((value, i) => (Number.isNaN(value) || (ask.length > 0 && Number.isNaN(ask[i])) ? NaN : value));
    if (price.kind === 'trades' && (movesLikeBook(table, stamp.us, priced) || (!this.#isNamed && holdsGoneLevels(table, used))))
      throw levelsFault(table, this.#name);
    const groups = this.#groupsOf(stamp, used, priced);
    // Next to quotes, what tells the kinds of rows may be the price of the trades.
    const traded = price.kind !== 'quotes' || this.#isNamed ? -1 : (columnsOf('price', table.names ?? [])[0] ?? -1);
    const last = columns[traded]?.numbers[0]?.values ?? [];
    const ofTrades = last.length === 0 ? [] : this.#groupsOf(stamp, [...used, traded], last);
    const mixed = [...groups, ...ofTrades].find(({ values }) => values.length > 1);
    if (mixed !== undefined) throw this.#mixedFault(mixed, this.#commandsOf([stamp])[0]);
    return groups;
  }

  #layoutOf(stamp: StampPlan, price: PricePlan, periodUs: number, used: readonly number[], groups: readonly Group[]): TableLayout {
    const [table, columns, filters, options] = [this.#table, this.#columns, this.#filters, this.#options];
    const form = this.#sureForm(stamp);
    const { format, zone, note } = nameFormat(table, form, price, stamp.stampColumn);
    const unsure = options.zone === undefined && zone === undefined ? doubtfulZone(stamp, form, columns, table) : undefined;
    if (unsure !== undefined) throw zoneFault(unsure, this.#name);
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
        ...planText(table, stamp, form, price, filters, groups, used),
        ...(bars === undefined ? [] : [`stamps: ${STAMPED[bars.barTime ?? 'unknown']} (${bars.evidence})`]),
      ],
    };
  }

  #sureForm({ guess, stampColumn }: StampPlan): TimestampForm {
    const [table, name, { dateOrder }] = [this.#table, this.#name, this.#options];
    if (guess.isSure) return guess.form;
    const { forms } = guess;
    const said = forms.find(({ order }) => order === dateOrder);
    if (said !== undefined) return said;
    const value = JSON.stringify(table.rows[0][stampColumn]);
    const shown = forms.map(({ order }) => ORDER_WORDS[order]).join(' or ');
    const commands = forms.map(({ order }) => `--date-order ${order}`);
    const isShortYear = forms.some((form) => form.isShortYear === true);
    throw planFault(
      name,
      placeOf(table, table.skipLines + 1),
      `the date ${value}${isShortYear ? ' has a year of two digits: it' : ''} may be ${shown}, and no row shows which`,
      `Say which: ${commands.join(' or ')}${isShortYear ? ', or export it with years of four digits' : ''}.`,
      commands,
    );
  }
}

/** Whether some other column is a whole number that grows (or falls) from each row to the next that differs. */
function hasRowIds(rows: readonly (readonly string[])[], taken: readonly number[]): boolean {
  const distinct = rows.filter((row, i) => i === 0 || row.some((field, at) => field !== rows[i - 1][at]));
  if (distinct.length < MIN_ID_ROWS) return false;
  return distinct[0].some((_, at) => {
    const ids = taken.includes(at) ? [] : distinct.map((row) => (/^\d+$/.test(row[at] ?? '') ? Number(row[at]) : NaN));
    const isOrdered = (sign: number): boolean =>
      ids.length > 0 && ids.every((id, i) => (i === 0 ? !Number.isNaN(id) : sign * (id - ids[i - 1]) > 0));
    return isOrdered(1) || isOrdered(-1);
  });
}
