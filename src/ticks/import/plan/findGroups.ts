import { apart } from '../../priceRatio.ts';
import { type Column, movementOf, movesLikePrices } from './columns.ts';
import {
  areKindsOfRows,
  isEventName,
  isHarmless,
  isLetterName,
  isNoPriceName,
  isOrderEvent,
  isSideValue,
  isSymbolName,
  isTakerName,
} from './names.ts';

/** A column whose values are markets or kinds of rows, and those values. */
export type Group = {
  readonly column: number;
  readonly option: 'symbol' | 'event';
  readonly values: readonly string[];
  readonly why: string;
  /** By words that may mean something else, such as letters of exchanges. */
  readonly isByWords: boolean;
};

const BY_WORDS = 'by its words';
const MAX_VALUES = 40;
/** Prices of two groups lie apart by more than a spread, and move far less within each group than from row to row. */
const MIN_APART = 0.0005;
const MIN_SIDE_APART = 0.03;
const MIN_QUIETER = 3;
/** And by more than so many of the smallest changes: fewer are the sides of a market with large steps. */
const MIN_STEPS = 8;
const MIN_ROWS = 20;
const MIN_KIND_ROWS = 12;
/** Pairs of rows, of all rows: half of them but for a few that lack their other side. */
const MIN_PAIRED = 0.45;
/** Of markets one behind the other: their number, how far the price jumps in so short a time, and the least number that names one. */
const MAX_RUNS = 4;
const MIN_JUMP = 0.002;
const MIN_MEANS = 25;
const MAX_APART_US = 60e6;
const MIN_TOKEN = 1000;
/** Prices of one kind lie so many times as far from their neighbours as those of another one, which chance does not do. */
const MAX_KINDS = 8;
const MAX_NEAR = 1;
const MIN_NOISIER = 3;
const MIN_DEVIATIONS = 6;

/** The columns that say of which market or kind a row is. `prices`: of each row, NaN where it has none. Rows without a price tell nothing. */
export function findGroups(
  columns: readonly Column[],
  taken: readonly number[],
  prices: readonly number[],
  us: readonly number[],
  hasHeader: boolean,
): readonly Group[] {
  const groups: Group[] = [];
  for (const column of columns) {
    const { at, name, texts, isEmpty, numbers } = column;
    if (taken.includes(at) || isEmpty) continue;
    const isPrice = numbers.length > 0 && (movesLikePrices(movementOf(numbers[0].values)) || isNearPrice(column, prices));
    const values = [...new Set(texts.filter((_, i) => !Number.isNaN(prices[i])))];
    const add = (option: Group['option'], why: string): void =>
      void groups.push({ column: at, option, values, why, isByWords: why === BY_WORDS });
    if (hasHeader && isSymbolName(name) && (name !== 's' || isTickerColumn(texts))) add('symbol', 'by its name');
    else if (
      hasHeader &&
      isEventName(name) &&
      values.length <= MAX_VALUES &&
      (isOneKind(values) || areKindsOfRows(values) || !values.every((value) => isHarmless(value) && !isBookSide(values)))
    )
      add('event', 'by its name');
    else if (!hasHeader && isTickerColumn(texts)) add('symbol', 'by its words in capital letters');
    else if (areContracts(values) || changesMarket(column, values, prices, us))
      add('symbol', 'by its values, which are those of contracts');
    else if (!hasHeader && values.length > 1 && values.length <= MAX_VALUES && values.some(isOrderEvent)) add('event', BY_WORDS);
    else if (
      values.length === 2 &&
      values.every(isSideValue) &&
      !isTakerName(name) &&
      (/^(?:is)?(?:bid|ask)(?:or)?(?:bid|ask)?(?:flag|side)?$/.test(name) || arePairedSides(texts, values, prices, us))
    )
      add('event', 'by its values, which are the two sides of each quote');
    else if ((areKindsOfRows(values) && !isLetterName(name)) || (isBookSide(values) && !isTakerName(name))) add('event', BY_WORDS);
    else if (isPrice || areAmounts(values)) continue;
    else if (values.length > 1 && values.length <= MAX_VALUES && splitsPrices(texts, values, prices))
      add(
        values.every(isSideValue) ? 'event' : isName(values) ? 'symbol' : 'event',
        'by its values, which split the prices into quieter series',
      );
    else if (
      values.length > 1 &&
      values.length <= MAX_KINDS &&
      (!isLetterName(name) || /cond/.test(name)) &&
      !isNoPriceName(name) &&
      !values.every((value) => /^(?:buy|sell|b|s)$/i.test(value)) &&
      differInNoise(texts, values, prices)
    )
      add('event', 'by its values, some of which have prices far from those around them');
  }
  return groups;
}

/** All of the first rows are trades: further kinds may come later. */
const isOneKind = ([first, ...others]: readonly string[]): boolean =>
  first !== undefined && first !== '' && others.length === 0 && isHarmless(first);

/** ESH4 and ESM4: futures by their month. */
const areContracts = (values: readonly string[]): boolean =>
  values.length > 1 && values.every((value) => /^[A-Z0-9]{1,5}[FGHJKMNQUVXZ]\d{1,2}$/i.test(value) && !/^\d+$/.test(value));

/** Whether the price jumps, as at no other row, where a name or a number of a market gives way to the next one for good. */
function changesMarket(
  { texts, stamp, clocks }: Column,
  values: readonly string[],
  prices: readonly number[],
  us: readonly number[],
): boolean {
  if (
    stamp !== undefined ||
    clocks.some(({ kind }) => kind === 'clock' || kind === 'minutes') ||
    values.length < 2 ||
    values.length > MAX_RUNS
  )
    return false;
  if (!values.every((value) => /^(?=.*[\d/._:-]).{3,}$/.test(value) && !(Number(value) < MIN_TOKEN))) return false;
  const rows = prices.flatMap((price, i) => (price > 0 ? [{ price, text: texts[i], us: us[i] }] : []));
  const moves = rows
    .slice(1)
    .map((row, i) => ({ size: apart(row.price, rows[i].price), isSwitch: row.text !== rows[i].text, us: row.us - rows[i].us }));
  const switches = moves.filter(({ isSwitch }) => isSwitch);
  const others = moves.filter(({ isSwitch }) => !isSwitch);
  if (others.length < MIN_ROWS || switches.length !== values.length - 1) return false;
  const mean = others.reduce((sum, { size }) => sum + size, 0) / others.length;
  const highest = Math.max(...others.map(({ size }) => size));
  return switches.some(
    ({ size, us: apartUs }) => Math.abs(apartUs) <= MAX_APART_US && size > Math.max(MIN_JUMP, highest, MIN_MEANS * mean),
  );
}

/** Whether each moment has one row of each side, and those of one side never lie above the other: a bid and an ask in rows of their own. */
function arePairedSides(texts: readonly string[], [first]: readonly string[], prices: readonly number[], us: readonly number[]): boolean {
  const rows = prices.flatMap((price, i) => (price > 0 ? [{ price, isFirst: texts[i] === first, us: us[i] }] : []));
  if (rows.length < MIN_ROWS) return false;
  const pairs = rows.flatMap((row, i) =>
    i > 0 && rows[i - 1].us === row.us && rows[i - 1].isFirst !== row.isFirst ? [[rows[i - 1], row] as const] : [],
  );
  const distances = pairs.map(([a, b]) => (a.isFirst ? b.price - a.price : a.price - b.price));
  return (
    pairs.length >= MIN_PAIRED * rows.length &&
    distances.some((each) => each !== 0) &&
    (distances.every((each) => each >= 0) || distances.every((each) => each <= 0))
  );
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

/** Changes of the price: signs and decimals are those of no market and no kind. */
const areAmounts = (values: readonly string[]): boolean => values.length > 2 && values.some((value) => /^-\d|\d[.,]\d/.test(value));
/** Another price of the row: of the same size. */
const isNearPrice = ({ numbers }: Column, prices: readonly number[]): boolean =>
  numbers[0]?.values.every((value, i) => Number.isNaN(value) || !(prices[i] > 0) || apart(value, prices[i]) < MAX_NEAR) === true &&
  numbers[0].values.some((value) => value > MAX_KINDS);

/** Whether prices of some values keep near their neighbours and those of others do not: trades next to quotes, or to orders that wait further away. */
function differInNoise(texts: readonly string[], values: readonly string[], prices: readonly number[]): boolean {
  const near = prices.map((price, i) => {
    const around = [-2, -1, 1, 2].flatMap((step) => (prices[i + step] > 0 ? [prices[i + step]] : [])).sort((a, b) => a - b);
    const [low, high] = [around[1], around[2]];
    return high === undefined ? NaN : Math.max(0, low! - price, price - high);
  });
  const groups = values.map((value) => near.filter((each, i) => texts[i] === value && !Number.isNaN(each)));
  const told = groups
    .filter(({ length }) => length >= MIN_KIND_ROWS)
    .map((all) => {
      const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
      return { mean, error: all.reduce((sum, each) => sum + (each - mean) ** 2, 0) / all.length ** 2 };
    });
  return told.some((far) =>
    told.some(
      (close) => far.mean > MIN_NOISIER * close.mean && far.mean - close.mean > MIN_DEVIATIONS * Math.sqrt(far.error + close.error),
    ),
  );
}

/** Whether the price depends on the value of the column: its levels lie apart, and within one value it is far quieter than from row to row. */
function splitsPrices(texts: readonly string[], values: readonly string[], prices: readonly number[]): boolean {
  const last = new Map<string, number>();
  const byValue = new Map<string, number[]>(values.map((value) => [value, []]));
  let previous = NaN;
  let across = 0;
  let within = 0;
  let switches = 0;
  let rows = 0;
  let smallest = Infinity;
  let before: string | undefined;
  for (const [i, text] of texts.entries()) {
    const price = prices[i];
    if (!(price > 0)) continue;
    rows++;
    if (before !== undefined && before !== text) switches++;
    const own = last.get(text);
    if (!Number.isNaN(previous)) across += apart(price, previous);
    if (own !== undefined) within += apart(price, own);
    for (const other of [previous, own ?? NaN]) if (price !== other) smallest = Math.min(smallest, Math.abs(price - other) || Infinity);
    last.set(text, price);
    byValue.get(text)?.push(price);
    previous = price;
    before = text;
  }
  if (rows < MIN_ROWS || switches < 3 || within * MIN_QUIETER > across) return false;
  const middles = [...byValue.values()]
    .filter(({ length }) => length > 1)
    .map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)]);
  const [low, high] = [Math.min(...middles), Math.max(...middles)];
  const isFar = apart(high, low) > (values.every(isSideValue) ? MIN_SIDE_APART : MIN_APART);
  return middles.length > 1 && isFar && high - low > MIN_STEPS * smallest;
}
