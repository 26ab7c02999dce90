import { ServiceError } from '../../../core/ServiceError.ts';
import { plural } from '../../../core/plural.ts';
import { US_PER_DAY } from '../../timestamps.ts';
import { fileFault } from '../ImportReport.ts';
import type { RowNames } from '../TickRows.ts';
import { isNewestFirst } from '../guessTimestampFormat.ts';
import type { StampPlan, StampPlans } from './StampPlan.ts';
import type { Table } from './Table.ts';
import { MAX_CANDIDATES, option, titleOf } from './columnOptions.ts';
import { type Column, movementOf, movesLikePrices } from './columns.ts';
import { runsOn } from './datePairs.ts';
import type { ZoneDoubt } from './doubtfulZone.ts';
import type { Group } from './findGroups.ts';
import { isEventName, isSymbolName } from './names.ts';
import { CUT_DECIMAL } from './unnamedPrices.ts';

/** A table that knows how its rows are counted for people. */
export type Counted = Table & { readonly rowNames: RowNames };

/** A fault of a table whose columns are known. */
class PlanFault extends ServiceError {
  /** Each way on, as it is typed. */
  readonly commands: readonly string[];

  constructor(detail: string, remedy: string, commands: readonly string[]) {
    super('file.malformed', detail, { remedy });
    this.commands = commands;
  }
}

/** Not `instanceof PlanFault`: that holds for every ServiceError. */
const isPlanFault = (fault: unknown): fault is PlanFault => fault instanceof ServiceError && 'commands' in fault;

export const isSure = (fault: unknown): boolean =>
  isPlanFault(fault) || (fault instanceof ServiceError && fault.code === 'command.invalid');

/** Where a line of the text is, as people count: nothing for 0, or for the header that a table from JSON or Parquet gets. */
export function placeOf({ rowNames: { word, offset } }: Pick<Counted, 'rowNames'>, line: number): string {
  return line > 0 && line + offset > 0 ? `${word} ${line + offset}` : '';
}

export function planFault(name: string, place: string, found: string, remedy: string, commands: readonly string[] = []): PlanFault {
  return new PlanFault(`${name}${place === '' ? '' : `, ${place}`}: ${found}.`, remedy, commands);
}

/** What a refusal proposes. */
export const waysOn = (fault: unknown): readonly string[] => (isPlanFault(fault) ? fault.commands : []);

export function noStamp(
  table: Counted,
  columns: readonly Column[],
  { doubt, remedy: odder }: StampPlans,
  ref: (at: number) => string,
  name: string,
): Error {
  const row = JSON.stringify(table.rows[0].join(table.separator).slice(0, 80));
  const dates = columns.filter(({ stamp }) => stamp?.isDate === true);
  const clocks = columns.filter(
    (column) => !column.isConstant && column.clocks.length > 0 && (column.clocks[0].kind === 'clock' || runsOn(column, dates)),
  );
  const prices = columns.filter(
    ({ at, numbers }) =>
      ![...dates, ...clocks].some((column) => column.at === at) && numbers.length > 0 && movesLikePrices(movementOf(numbers[0].values)),
  );
  const price = prices.length === 1 ? ref(prices[0].at) : 'NAME';
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
    odder ??
    (pairs.length > 0
      ? `If these are date and time, say so: ${pairs.join(' or ')}.`
      : (odd?.remedy ??
        'Write stamps as 2024-01-31 09:30:00.123, or as seconds, milliseconds, microseconds or nanoseconds since 1970; if a column of another name holds them, name it: --columns time=NAME, or date=NAME,time=NAME.'));
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
export function doubtful(
  table: Counted,
  doubts: readonly string[],
  cut: readonly string[],
  commands: readonly string[],
  name: string,
): Error {
  const titles = table.titles === undefined ? '' : `; the header is ${JSON.stringify(table.header?.slice(0, 200))}`;
  const row = `; the first row is ${JSON.stringify(table.rows[0].join(table.separator).slice(0, 120))}`;
  const doubt = doubts.filter((each) => each !== '').join(', and ');
  return planFault(
    name,
    placeOf(table, table.skipLines + (table.titles === undefined ? 1 : 0)),
    `${doubt}${titles}${row}`,
    doubt.includes(CUT_DECIMAL)
      ? `If it is one number, ${cut.length > 0 ? `say so: ${cut.join(' or ')}` : 'export the table with decimal points, or with semicolons between its columns'}. If it is two, say which column is the price: ${commands.join(' or ')}.`
      : `Say which columns are read: ${commands.join(' or ')}.`,
    [...cut, ...commands],
  );
}

/** How `--symbol` and `--event` name a value. */
export const groupFilter =
  (table: Table, { column, option: flag }: Group, ref: (at: number) => string) =>
  (value: string): string =>
    isByName(table, column, flag) ? value : `${ref(column)}=${value}`;

/** `more`: what else must be said with a value, each a way. `single`: the columns to name where all rows are one series in truth. */
export function groupFault(
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
  return planFault(
    name,
    '',
    `it holds ${what}: ${titleOf(table, column)} has ${plural(values.length, 'value')} (${shown}), told ${why}; together they are no series of prices`,
    `Say which one is read: ${commands.join(' or ')}.${isByWords && single !== undefined ? ` If all of them are, name the price: ${single}.` : ''}`,
    commands,
  );
}

const isByName = ({ names }: Table, column: number, flag: 'symbol' | 'event'): boolean =>
  names !== undefined && (flag === 'symbol' ? isSymbolName : isEventName)(names[column] ?? '');

/** Rows that step back by days, again and again, are two series in one file: their prices need no look. */
export function refuseOtherDays([plan]: readonly StampPlan[], table: Counted, name: string): void {
  const us = plan!.us;
  const at = us.findIndex((each, i) => i > 0 && each >= 0 && us[i - 1] - each > US_PER_DAY);
  const back = us.filter((each, i) => i > 0 && each >= 0 && us[i - 1] - each > US_PER_DAY).length;
  if (back < 3 || isNewestFirst(us)) return;
  throw planFault(
    name,
    placeOf(table, table.skipLines + at + 1),
    `the stamp is ${Math.round((us[at - 1] - us[at]) / US_PER_DAY)} days earlier than that of the row before, as in ${back} of the first ${us.length} rows: rows of other days stand in between`,
    'Export each day, or each market, on its own.',
  );
}

export function levelsFault({ titles }: Table, name: string): Error {
  const columns = titles === undefined ? '' : `: the columns are ${titles.join(', ').slice(0, 200)}`;
  return planFault(
    name,
    '',
    `it holds the levels of an order book, not trades${columns}`,
    'Export the trades, or the best bid and ask, of the same market.',
  );
}

/** Stamps of a zone that the file names and that is not known for sure. */
export function zoneFault({ found, zones }: ZoneDoubt, name: string): Error {
  const commands = zones.map((zone) => `--zone ${zone}`);
  return planFault(name, '', found, `Say in which zone the stamps are: ${commands.join(' or ')}.`, commands);
}
