import type { ImportOptions } from '../ImportReport.ts';
import type { Column } from './columns.ts';
import { clockDistance } from './clockForms.ts';
import { fieldOf } from './joinDecimals.ts';
import { isDoubtfulForm, type PricePlan } from './PricePlan.ts';
import type { StampPlan } from './StampPlan.ts';
import type { Table } from './Table.ts';

/** A message has room for so many commands. */
export const MAX_CANDIDATES = 8;

/** How `--columns` names a column: by its title where that is plain, else by its number. */
export const refOf =
  (table: Table, isUtf8: boolean) =>
  (at: number): string => {
    const { titles } = table;
    // What is no UTF-8 is not typed as it is shown.
    const title = isUtf8 ? (titles?.[at] ?? '') : '';
    const isPlain =
      /^[\p{L}\p{N}_.<>#/ ()-]{1,40}$/u.test(title) && !/^\d+$/.test(title) && titles!.indexOf(title) === titles!.lastIndexOf(title);
    return isPlain ? title : String((titles === undefined ? fieldOf(table, at) : at) + 1);
  };

export const titleOf = (table: Table, at: number): string =>
  table.titles?.[at] ? JSON.stringify(table.titles[at]) : `column ${fieldOf(table, at) + 1}`;

export const timeOption = ({ stampColumn, timeColumn, fractionColumn, clock }: StampPlan, ref: (at: number) => string): string =>
  (timeColumn < 0 ? `time=${ref(stampColumn)}` : `date=${ref(stampColumn)},time=${ref(timeColumn)}`) +
  (clock === undefined ? '' : `,clock=${clock}`) +
  (fractionColumn < 0 ? '' : `,ms=${ref(fractionColumn)}`);

function priceOption({ kind, firstColumn, askColumn }: PricePlan, ref: (at: number) => string): string {
  if (kind === 'quotes') return `bid=${ref(firstColumn)},ask=${ref(askColumn)}`;
  return `${kind === 'bars' ? 'close' : 'price'}=${ref(firstColumn)}`;
}

/** `--columns …` as it is typed: quoted where the shell would cut it. */
export function option(value: string): string {
  return /^[\w=,.-]+$/.test(value) ? `--columns ${value}` : `--columns '${value}'`;
}

/** A way to read the time, and those to read the price next to it. */
type Way = { readonly stamp: StampPlan; readonly prices: readonly PricePlan[] };

/** `--columns …` for each way to read the time and the price, with what else is in doubt then, as far as a message has room. */
export function columnOptions(
  ways: readonly Way[],
  columns: readonly Column[],
  ref: (at: number) => string,
  { dateOrder, columns: named }: Pick<ImportOptions, 'dateOrder' | 'columns'>,
): readonly string[] {
  const distance = ({ stamp: { clock, timeColumn } }: Way): number =>
    clock === undefined ? 0 : clockDistance(clock, columns[timeColumn].texts);
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
