import { movementOf, movesLikePrices } from './columns.ts';
import type { Columns } from './resolveColumns.ts';
import type { Table } from './Table.ts';

const DIGITS = /^\d+$/;

/** Where a column of the table stands in the rows of the file: behind the decimals that were joined to columns before it. */
export const fieldOf = ({ cuts }: Pick<Table, 'cuts'>, at: number): number => at + cuts.filter((cut) => cut < at).length;

/**
 * The table whose prices, as the user says, are cut in two by the commas between its columns: each price with the field behind it as one number.
 * Without a header the columns are named by their place in the rows, and counted again. Undefined: the rows hold no such numbers.
 */
export function joinDecimals(table: Table, named: Columns): { readonly table: Table; readonly named: Columns } | undefined {
  const { titles, rows, width } = table;
  const prices = [named.price, named.bid, named.ask, named.close].filter((at) => at !== undefined).sort((a, b) => a - b);
  if (table.separator !== ',' || prices.length === 0) return undefined;
  const cuts = titles === undefined ? prices.map((at, i) => at - i) : prices;
  if (titles !== undefined && width !== titles.length + cuts.length) return undefined;
  const fields = cuts.map((cut) => fieldOf({ cuts }, cut));
  if (!fields.every((at) => holdsTwo(rows, at))) return undefined;
  const before = (at: number): number => (titles === undefined ? at - prices.filter((price) => price < at).length : at);
  return {
    table: {
      ...table,
      cuts,
      width: width - cuts.length,
      fault: undefined,
      rows: rows.map((row) =>
        row.flatMap((field, at) => (fields.includes(at - 1) ? [] : [fields.includes(at) ? `${field},${row[at + 1]}` : field])),
      ),
    },
    named: Object.fromEntries(Object.entries(named).map(([role, at]) => [role, before(at)])),
  };
}

/** Places of numbers that move like prices with the digits behind them as decimals: two of them that keep close are also bid and ask. */
export function cutPrices({ rows, width, separator }: Table): readonly (readonly number[])[] {
  if (separator !== ',') return [];
  const found = Array.from({ length: width - 1 }, (_, at) => at).filter(
    (at) => holdsTwo(rows, at) && movesLikePrices(movementOf(rows.map((row) => Number(`${row[at]}.${row[at + 1]}`)))),
  );
  const [bid, ask] = found;
  const isPair = found.length === 2 && ask! - bid! >= 2;
  return [...(isPair ? [found] : []), ...found.map((at) => [at])];
}

const holdsTwo = (rows: Table['rows'], at: number): boolean =>
  rows.every((row) => DIGITS.test(row[at] ?? '') && DIGITS.test(row[at + 1] ?? ''));
