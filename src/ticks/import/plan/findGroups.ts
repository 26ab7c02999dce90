import { type Column, movementOf, movesLikePrices } from './columns.ts';
import { isEventName, isHarmless, isOrderEvent, isSideValue, isSymbolName } from './names.ts';

/** A column whose values are markets or kinds of rows, and those values. */
export type Group = {
  readonly column: number;
  readonly option: 'symbol' | 'event';
  readonly values: readonly string[];
  readonly why: string;
};

const MAX_VALUES = 40;
/** Prices of two groups lie apart by more than a spread, and move far less within each group than from row to row. */
const MIN_APART = 0.0005;
const MIN_SIDE_APART = 0.03;
const MIN_QUIETER = 3;
const MIN_ROWS = 20;

/** The columns that say of which market or kind a row is. `prices`: of each row, NaN where it has none. Rows without a price tell nothing. */
export function findGroups(
  columns: readonly Column[],
  taken: readonly number[],
  prices: readonly number[],
  hasHeader: boolean,
): readonly Group[] {
  const groups: Group[] = [];
  for (const { at, name, texts, isEmpty, numbers } of columns) {
    if (taken.includes(at) || isEmpty) continue;
    const isPrice = numbers.length > 0 && movesLikePrices(movementOf(numbers[0]!.values));
    const values = [...new Set(texts.filter((_, i) => !Number.isNaN(prices[i]!)))];
    const add = (option: Group['option'], why: string): void => void groups.push({ column: at, option, values, why });
    if (hasHeader && isSymbolName(name) && (name !== 's' || isTickerColumn(texts))) add('symbol', 'by its name');
    else if (hasHeader && isEventName(name) && !values.every((value) => isHarmless(value) && !isBookSide(values)))
      add('event', 'by its name');
    else if (!hasHeader && isTickerColumn(texts)) add('symbol', 'by its words in capital letters');
    else if (!hasHeader && values.length > 1 && values.length <= MAX_VALUES && values.some(isOrderEvent)) add('event', 'by its words');
    else if (!isPrice && values.length > 1 && values.length <= MAX_VALUES && splitsPrices(texts, values, prices))
      add(
        values.every(isSideValue) ? 'event' : isName(values) ? 'symbol' : 'event',
        'by its values, which split the prices into quieter series',
      );
  }
  return groups;
}

/** Bid and ask as sides: levels of a book, or quotes one below the other. */
const isBookSide = (values: readonly string[]): boolean => values.length === 2 && values.every((value) => /^(?:bid|ask)s?$/i.test(value));
const isName = (values: readonly string[]): boolean => values.every((value) => /^[A-Z][A-Z0-9._:/=^-]+$/i.test(value));
/** ESH4, EUR/USD, BTC-USDT, AAPL: without a header, a column of nothing else. Sides and flags are shorter or known. */
const isTickerColumn = (texts: readonly string[]): boolean =>
  texts.length >= 3 &&
  texts.every((text) => /^[A-Z][A-Z0-9._:/=^-]{2,20}$/.test(text) && !isHarmless(text) && !isSideValue(text)) &&
  new Set(texts).size <= MAX_VALUES &&
  new Set(texts).size < texts.length;

/** Whether the price depends on the value of the column: its levels lie apart, and within one value it is far quieter than from row to row. */
function splitsPrices(texts: readonly string[], values: readonly string[], prices: readonly number[]): boolean {
  const last = new Map<string, number>();
  const byValue = new Map<string, number[]>(values.map((value) => [value, []]));
  let previous = NaN;
  let across = 0;
  let within = 0;
  let switches = 0;
  let rows = 0;
  let before: string | undefined;
  for (const [i, text] of texts.entries()) {
    const price = prices[i]!;
    if (!(price > 0)) continue;
    rows++;
    if (before !== undefined && before !== text) switches++;
    if (!Number.isNaN(previous)) across += Math.abs(price / previous - 1);
    const own = last.get(text);
    if (own !== undefined) within += Math.abs(price / own - 1);
    last.set(text, price);
    byValue.get(text)?.push(price);
    previous = price;
    before = text;
  }
  if (rows < MIN_ROWS || switches < 3 || within * MIN_QUIETER > across) return false;
  const middles = [...byValue.values()]
    .filter(({ length }) => length > 1)
    .map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]!);
  const apart = Math.max(...middles) / Math.min(...middles) - 1;
  return middles.length > 1 && apart > (values.every(isSideValue) ? MIN_SIDE_APART : MIN_APART);
}
