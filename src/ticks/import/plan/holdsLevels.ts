import { isLevelName, isSideValue } from './names.ts';
import type { Table } from './Table.ts';

/** Rows with one stamp are levels of a book where they are so many, and most rows stand in such groups. */
const MIN_LEVELS = 4;
const MIN_GROUPS = 3;
const MOST = 0.8;
const MIN_SIZES = 30;
/** Flags and small counts have fewer values. */
const MIN_DISTINCT = 12;

/** Whether the rows are levels of an order book, by the names of their columns. */
export function isNamedBook({ names, rows }: Table): boolean {
  const valuesOf = (at: number): string[] => [...new Set(rows.map((row) => row[at].toLowerCase()))].filter((value) => value !== '');
  const sides = names?.includes('side') === true ? valuesOf(names.indexOf('side')) : [];
  const level = names?.findIndex(isLevelName) ?? -1;
  const levels = level < 0 || !countsLevels(rows.map((row) => row[level])) ? [] : valuesOf(level);
  return (
    names?.includes('issnapshot') === true ||
    (sides.length === 2 && sides.every((value) => /^(?:bid|ask)s?$/.test(value))) ||
    (levels.length > 1 && levels.every((value) => /^\d{1,2}$/.test(value)))
  );
}

/** Of the rows: so many with a size of 0 say that an order is gone. Trades of less than one share are written as 0 too, and are fewer. */
const MIN_GONE = 0.1;
const MAX_GONE = 0.9;
const SIZE =
  /size|qty|quant|amount|vol|lots|menge|anzahl|cantidad|ilo|quantid|объ|кол|量|出来高|^(?:sz|q|s|v|(?:c|col|column|field|f|x)?\d+)$/;

/** Whether rows are changes of a book: a side next to sizes of which many are 0. */
export function holdsGoneLevels({ rows, width, names }: Table, taken: readonly number[]): boolean {
  const free = Array.from({ length: width }, (_, at) => at).filter((at) => !taken.includes(at));
  const hasSides = free.some((at) => {
    const values = [...new Set(rows.map((row) => row[at].toLowerCase()))];
    return values.length === 2 && values.every((value) => isSideValue(value)) && values.some((value) => /\D/.test(value));
  });
  return (
    hasSides &&
    free.some((at) => {
      if (names !== undefined && !SIZE.test(names[at])) return false;
      const sizes = rows.map((row) => Number(row[at] || NaN));
      const gone = sizes.filter((size) => size === 0).length / rows.length;
      return (
        rows.length >= MIN_SIZES &&
        sizes.every((size) => size >= 0) &&
        new Set(sizes).size >= MIN_DISTINCT &&
        gone >= MIN_GONE &&
        gone <= MAX_GONE
      );
    })
  );
}

/** Whether rows go from level to level, or from side to side of one: numbers of orders, which are named as depths too, go anywhere. */
function countsLevels(values: readonly string[]): boolean {
  const steps = values.slice(1).map((value, i) => Number(value) - Number(values[i]));
  return steps.filter((step) => step === 0 || step === 1 || step < -1).length >= MOST * steps.length && steps.includes(1);
}

/**
 * Whether the rows of one stamp are levels of a book: each price once, and some column of two values puts all of one side below all of the other.
 * Trades of one stamp repeat their prices.
 */
export function movesLikeBook({ rows, width }: Table, us: readonly number[], prices: readonly number[]): boolean {
  const groups: number[][] = [];
  for (const at of us.keys())
    if (at > 0 && us[at] === us[at - 1]) groups.at(-1)!.push(at);
    else groups.push([at]);
  const deep = groups.filter((group) => group.length >= MIN_LEVELS && new Set(group.map((at) => prices[at])).size === group.length);
  if (deep.length < MIN_GROUPS || deep.flat().length < MOST * rows.length) return false;
  return Array.from({ length: width }, (_, column) => column).some((column) => {
    const values = new Set(rows.map((row) => row[column]));
    if (values.size !== 2) return false;
    const [first] = values;
    const signs = deep.map((group) => {
      const pricesOf = (isFirst: boolean): number[] =>
        group.flatMap((at) => ((rows[at][column] === first) === isFirst ? [prices[at]] : []));
      const [a, b] = [pricesOf(true), pricesOf(false)];
      return Math.max(...a) < Math.min(...b) ? -1 : Math.min(...a) > Math.max(...b) ? 1 : 0;
    });
    return [-1, 1].some((sign) => signs.filter((each) => each === sign).length >= MOST * signs.length);
  });
}
