import type { ImportKind } from '../ImportReport.ts';
import { movementOf, movesBySteps, movesLikePrices, type Column, type Movement } from './columns.ts';
import { type ColumnRole, columnsOf, isNoPriceName, isPriceName, isOtherPriceName, isWeakPriceName } from './names.ts';
import { isNoValue, type NumberForm, type NumberReading, POINT_FORM, readNumbers } from './numbers.ts';
import type { Columns } from './resolveColumns.ts';
import type { Table } from './Table.ts';

/** One way to read the price of each row, with what speaks for it. */
export type PricePlan = {
  readonly kind: ImportKind;
  readonly firstColumn: number;
  readonly askColumn: number;
  readonly form: NumberForm;
  readonly divisor: number;
  readonly evidence: string;
};

export type PricePlans = {
  readonly plans: readonly PricePlan[];
  /** Why there is not exactly one. */
  readonly doubt: string;
};

/** Two columns are bid and ask if they never differ by more than this fraction of the price. */
const MAX_SPREAD = 0.02;
/** Of a cheap market one step of the price may be more: enough to doubt that a column stands alone. */
const MAX_DOUBTED_SPREAD = 0.1;
/** A side that stands still next to a price of more values is a price of another day. */
const MAX_QUIET_VALUES = 4;
/** Checks of how a column moves need so many rows. */
const MIN_ROWS = 30;
/** Prices of one market, and the last, close, bid and ask of it, are of one order of magnitude. */
const MAX_RATIO = 2;
/** A named price may move by so much from row to row on average. */
const MAX_NAMED_STEP = 0.2;
const FIXED_POINT = 1e9;
/** Pairs of sides that a refusal proposes. */
const MAX_SIDES = 3;
/** Without a header, whole numbers below are counts: of levels, hours, seconds, lots. */
const MIN_WHOLE_PRICE = 60;

type Seen = { readonly column: Column; readonly values: readonly number[]; readonly movement: Movement };

/** Every way to read the price that the names and the content of the columns allow; exactly one is sure. */
export function findPrices(table: Table, columns: readonly Column[], named: Columns, taken: readonly number[]): PricePlans {
  const plans = named.price ?? named.bid ?? named.ask ?? named.close;
  if (plans !== undefined) return namedPrices(table, columns, named);
  const free = columns.filter(({ at }) => !taken.includes(at));
  const seen = free.flatMap((column): Seen[] => {
    const values = column.numbers[0]?.values;
    return values === undefined ? [] : [{ column, values, movement: movementOf(values) }];
  });
  const found = table.names === undefined ? unnamedPrices(table, seen) : titledPrices(table, table.names, seen);
  if (found.plans.length !== 1 || found.doubt !== '') return found;
  const unread = unreadPrice(free, table, found.plans[0]!);
  if (unread !== '') return { plans: found.plans, doubt: unread };
  return formed(found.plans[0]!, columns);
}

/** Why the price may stand in a column that is not read: its name says so, or of a plan by content alone, its texts or the rows that it is filled in. */
function unreadPrice(free: readonly Column[], { names }: Table, { firstColumn, askColumn, evidence }: PricePlan): string {
  const others = free.filter(({ at, isEmpty }) => at !== firstColumn && at !== askColumn && !isEmpty);
  const isText = ({ numbers, stamp, clocks }: Column): boolean => numbers.length === 0 && stamp === undefined && clocks.length === 0;
  const title = ({ at, name }: Column): string => (name === '' ? `column ${at + 1}` : `the column ${JSON.stringify(name)}`);
  const named = others.find((column) => isText(column) && isPriceName(column.name) && column.texts.some((text) => /\d/.test(text)));
  if (named !== undefined) return `${title(named)} is named as a price, and ${JSON.stringify(named.texts[0])} is no number`;
  if (names !== undefined && evidence !== ONLY_ONE) return '';
  const odd = others.find((column) => isText(column) && column.texts.every((text) => isNoValue(text) || ODD_NUMBER.test(text)));
  if (odd !== undefined) return `${title(odd)} may hold prices, in a form that is not known: ${JSON.stringify(odd.texts[0])}`;
  const sparse = others.find(({ numbers }) => {
    // Prices of 0 are none.
    const movement = movementOf((numbers[0]?.values ?? []).map((value) => (value > 0 ? value : NaN)));
    return movement.filled < 0.9 && movesLikePrices({ ...movement, positive: movement.positive / movement.filled });
  });
  return sparse === undefined ? '' : `${title(sparse)} holds numbers like prices, in some rows alone`;
}

/** 4790.25 USD, 110'165: no number, and perhaps a price. */
const ODD_NUMBER = /^(?:[^\d\s%]{1,3}\s?)?\d+(?:[.,'’]\d+)+(?:\s?[^\d\s%]{1,3})?$/;
export const CUT_DECIMAL = 'may be one number with a decimal comma';
const ONLY_ONE = 'the only column that moves like prices';

/** The prices as numbers, in the form of the plan. */
export function pricesOf(
  { firstColumn, askColumn, divisor, form }: PricePlan,
  columns: readonly Column[],
): { first: readonly number[]; ask: readonly number[] } {
  const values = (at: number): readonly number[] => {
    const { numbers } = columns[at]!;
    const reading = numbers.find((each) => each.form.point === form.point && each.form.thousands === form.thousands) ?? numbers[0];
    return (reading?.values ?? []).map((value) => value / divisor);
  };
  return { first: values(firstColumn), ask: askColumn < 0 ? [] : values(askColumn) };
}

const trades = (firstColumn: number, evidence: string): PricePlan => ({
  ...{ kind: 'trades', firstColumn, askColumn: -1, form: POINT_FORM, divisor: 1, evidence },
});
const quotes = (firstColumn: number, askColumn: number, evidence: string): PricePlan => ({
  ...trades(firstColumn, evidence),
  kind: 'quotes',
  askColumn,
});
const bars = (close: number, evidence: string, askColumn = -1): PricePlan => ({ ...trades(close, evidence), kind: 'bars', askColumn });

function namedPrices({ names }: Table, columns: readonly Column[], { bid, ask, price, close }: Columns): PricePlans {
  const evidence = 'named by you';
  const plan =
    bid !== undefined && ask !== undefined
      ? quotes(bid, ask, evidence)
      : close !== undefined
        ? bars(close, evidence)
        : trades((price ?? bid ?? ask)!, evidence);
  const { plans, doubt } = formed(plan, columns);
  const divisor = isFixedPoint(pricesOf(plans[0]!, columns).first, names) ? FIXED_POINT : 1;
  return { plans: [{ ...plans[0]!, divisor }], doubt };
}

/** Databento and Nautilus write whole billionths. */
function isFixedPoint(values: readonly number[], names: readonly string[] | undefined): boolean {
  if (names?.some((name) => name === 'tsevent' || name === 'tsinit') !== true) return false;
  const { isWhole, median } = movementOf(values.map((value) => (value > 0 ? value : NaN)));
  return isWhole && median >= 1e6 && values.every((value) => Number.isNaN(value) || value % 1000 === 0);
}

const readingsOf = ({ firstColumn, askColumn }: PricePlan, columns: readonly Column[]): readonly NumberReading[] =>
  readNumbers(
    [firstColumn, askColumn].flatMap((at) => (at < 0 ? [] : columns[at]!.texts)),
    columns[0]!.sign,
  );

/** Whether 148,123 of a plan is a number with decimals or with thousands. */
export const isDoubtfulForm = (plan: PricePlan, columns: readonly Column[]): boolean => readingsOf(plan, columns).length > 1;

/** The plan with the form of its numbers, one for both sides, and the doubt where there are several. */
function formed(plan: PricePlan, columns: readonly Column[]): PricePlans {
  const readings = readingsOf(plan, columns);
  if (readings.length > 1) return { plans: [plan], doubt: doubtfulNumbers(plan, columns) };
  // Numbers that the sample does not show to be such are named by the reader, with their line.
  return { plans: [{ ...plan, form: readings[0]?.form ?? commonForm(columns[plan.firstColumn]!.texts) }], doubt: '' };
}

/** The form of most values: those that have another one are refused with their line. */
function commonForm(texts: readonly string[]): NumberForm {
  const commas = texts.filter((text) => /^[-+]?\d+,\d+$/.test(text)).length;
  return commas > texts.length / 2 ? { point: 44, thousands: '' } : POINT_FORM;
}

function doubtfulNumbers(plan: PricePlan, columns: readonly Column[]): string {
  const { texts } = columns[plan.firstColumn]!;
  const shown = texts.find((text) => /[.,]/.test(text)) ?? texts[0];
  return `the numbers ${JSON.stringify(shown)} have decimals or thousands behind their ${shown?.includes(',') === true ? 'comma' : 'point'}, and no row shows which`;
}

function titledPrices(table: Table, names: readonly string[], seen: readonly Seen[]): PricePlans {
  const byColumn = new Map(seen.map((each) => [each.column.at, each]));
  const holds = (at: number, test: (value: number) => boolean): boolean => byColumn.get(at)?.values.some(test) === true;
  // A column that is empty in every row is none: MetaTrader writes bid and ask for exchange symbols that only have a last price.
  const at = (role: ColumnRole): number => {
    const all = columnsOf(role, names);
    const filled = all.find((column) => holds(column, (value) => value > 0));
    return filled ?? all.find((column) => holds(column, (value) => !Number.isNaN(value))) ?? -1;
  };
  const [bid, ask, price, open, high, low, close] = [at('bid'), at('ask'), at('price'), at('open'), at('high'), at('low'), at('close')];
  const evidence = 'by its name';
  const [bidClose, askClose] = [at('bidclose'), at('askclose')];
  if ((bid < 0 || ask < 0) && Math.max(bidClose, askClose) >= 0)
    return bidClose >= 0 && askClose >= 0
      ? { plans: [bars(bidClose, 'the closes of bid and ask by their names', askClose)], doubt: '' }
      : { plans: [bars(Math.max(bidClose, askClose), 'the close of one side by its name')], doubt: '' };
  if (bid >= 0 && ask >= 0) return checked(quotes(bid, ask, 'by their names'), table, byColumn, [price, close]);
  const last = close >= 0 ? close : price;
  if (high >= 0 && low >= 0 && last >= 0 && (close >= 0 || open >= 0)) {
    // Sierra Chart writes a tick as a bar without an open, with ask and bid as high and low.
    const isTick = open >= 0 && byColumn.get(open)!.values.every((value) => value === 0);
    const isDay = [open, high, low].every((column) => column < 0 || byColumn.get(column)!.movement.isConstant) && table.rows.length > 2;
    if (!isTick && !(isDay && close < 0)) return { plans: [bars(last, 'open, high, low and close by their names')], doubt: '' };
  }
  if (open >= 0 && price >= 0 && names[price] === 'price' && close < 0 && byColumn.get(open)?.movement.isConstant === false && high >= 0)
    return { plans: [bars(price, 'next to an open')], doubt: '' };
  if (price >= 0) return checked(trades(price, evidence), table, byColumn, [close]);
  if (close >= 0) return checked(trades(close, evidence), table, byColumn, []);
  if (bid >= 0 || ask >= 0) return oneSide(bid, ask, table, byColumn);
  const others = likely(seen).filter(({ column }) => !isNoPriceName(column.name));
  const plans = others.map(({ column }) => trades(column.at, ONLY_ONE));
  // By its content alone, as without a header, where no other column under a name of its own holds numbers that may be prices.
  const unknown = seen.filter(({ column, movement }) => canBePrice(movement) && !isNoPriceName(column.name));
  if (plans.length === 1 && unknown.length === 1 && table.rows.length >= MIN_ROWS && likely(seen).length === 1) return { plans, doubt: '' };
  return { plans, doubt: 'no column is named as a price' };
}

/** One side of the market by its name: the other one may stand under a name that says nothing. */
function oneSide(bid: number, ask: number, table: Table, byColumn: ReadonlyMap<number, Seen>): PricePlans {
  const named = byColumn.get(Math.max(bid, ask))!;
  const sign = bid >= 0 ? 1 : -1;
  const others = [...byColumn.values()].filter(
    ({ column, values }) =>
      column !== named.column &&
      !isNoPriceName(column.name) &&
      !isOtherPriceName(column.name) &&
      areClose(named.values, values, MAX_DOUBTED_SPREAD) &&
      values.every((value, i) => sign * (value - named.values[i]!) >= 0),
  );
  const single = trades(named.column.at, 'by its name');
  if (others.length === 0) return checked(single, table, byColumn, []);
  const pairs = others.map(({ column: { at } }) => (bid >= 0 ? quotes(bid, at, '') : quotes(at, ask, '')));
  const names = [named, ...others].map(({ column: { name } }) => JSON.stringify(name)).join(' and ');
  return {
    plans: [...pairs, single, ...others.map(({ column }) => trades(column.at, ''))],
    doubt: `the columns ${names} lie apart as bid and ask do, and only one is named as a side`,
  };
}

/** Whether the content of the named columns is that of prices. */
function checked(plan: PricePlan, { names, rows }: Table, byColumn: ReadonlyMap<number, Seen>, others: readonly number[]): PricePlans {
  const name = (at: number): string => JSON.stringify(names?.[at] ?? String(at + 1));
  const doubts: string[] = [];
  const used = [plan.firstColumn, plan.askColumn].filter((at) => at >= 0);
  const all = [...byColumn.values()];
  const rivals = all.filter(
    ({ column, movement }) => !used.includes(column.at) && movesLikePrices(movement) && !/id$/.test(column.name) && rows.length >= MIN_ROWS,
  );
  let divisor = 1;
  for (const at of used) {
    const { values } = byColumn.get(at)!;
    // "mid", "value" or "p" next to another price under a name of its own: neither name is sure.
    const rival = likely(all).find(({ column }) => column.at !== at && !isNoPriceName(column.name) && !isOtherPriceName(column.name));
    if (isWeakPriceName(names![at]!) && rival !== undefined && plan.kind === 'trades')
      doubts.push(`the columns ${name(at)} and ${name(rival.column.at)} both move like prices, and neither name says which is the price`);
    // A price of 0 is none, and is left out.
    const movement = movementOf(values.map((value) => (value > 0 ? value : NaN)));
    if (values.filter((value) => value > 0).length < MIN_ROWS || movement.isConstant) continue;
    const isOdd = movement.step > MAX_NAMED_STEP || (isWeakPriceName(names![at]!) && !movesLikePrices({ ...movement, positive: 1 }));
    if (movement.counts) doubts.push(`the column ${name(at)} counts its rows or sums up, as no price does`);
    else if (isOdd && rivals.length > 0)
      doubts.push(`the column ${name(at)} moves by ${percent(movement.step)} a row, and ${name(rivals[0]!.column.at)} moves like a price`);
    else if (movement.step > MAX_NAMED_STEP)
      doubts.push(`the column ${name(at)} moves by ${percent(movement.step)} from row to row, as no price does`);
    if (isFixedPoint(values, names)) divisor = FIXED_POINT;
  }
  const [first] = used.map((at) => byColumn.get(at)!.movement.median);
  for (const at of [...others, plan.askColumn]) {
    const other = at < 0 || at === plan.firstColumn ? undefined : byColumn.get(at)?.movement;
    if (other === undefined || !(other.median > 0) || !(first! > 0) || other.filled < 0.5 || rows.length < MIN_ROWS) continue;
    const ratio = Math.max(other.median / first!, first! / other.median);
    if (ratio > MAX_RATIO)
      doubts.push(`the columns ${name(plan.firstColumn)} and ${name(at)} are of different size (${first} and ${other.median})`);
  }
  const bar = plan.kind === 'trades' ? barAround(plan.firstColumn, all) : undefined;
  if (bar !== undefined)
    return {
      plans: [bars(plan.firstColumn, ''), plan],
      doubt: `the columns ${bar.map(({ column }) => name(column.at)).join(', ')} lie above, below and between as those of bars do`,
    };
  if (doubts.length === 0) return { plans: [{ ...plan, divisor }], doubt: '' };
  const candidatesSeen = rivals.length > 0 ? rivals : likely(all);
  const candidates = candidatesSeen
    .filter(({ column }) => !used.includes(column.at))
    .map(({ column }) => trades(column.at, 'moves like a price'));
  return { plans: [...candidates, plan], doubt: doubts[0]! };
}

/** Columns under unknown names that move like prices next to the price: one never below it, one never above it, both to and fro, and one in between. */
function barAround(close: number, seen: readonly Seen[]): readonly Seen[] | undefined {
  const values = seen.find(({ column }) => column.at === close)!.values;
  const others = likely(seen).filter(
    ({ column, values: { length } }) =>
      column.at !== close && length >= MIN_ROWS && !isNoPriceName(column.name) && !isOtherPriceName(column.name),
  );
  const reaches = ({ values: own }: Seen, sign: number): boolean =>
    own.every((value, i) => sign * (value - values[i]!) >= 0) &&
    // The highest of a day never falls.
    own.some((value, i) => i > 0 && sign * (value - own[i - 1]!) < 0) &&
    own.some((value, i) => value !== values[i]);
  const [high, low] = [1, -1].map((sign) => others.find((each) => reaches(each, sign)));
  if (high === undefined || low === undefined) return undefined;
  const open = others.find(
    (each) => each !== high && each !== low && each.values.every((value, i) => value <= high.values[i]! && value >= low.values[i]!),
  );
  return open === undefined ? undefined : [high, low, open];
}

const canBePrice = ({ positive, counts, isConstant }: Movement): boolean => positive >= 0.9 && !counts && !isConstant;
const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(2))} %`;
const likely = (seen: readonly Seen[]): readonly Seen[] => seen.filter(({ movement }) => movesLikePrices(movement));

/** Without a header: prices are what moves like prices, where nothing else does. */
function unnamedPrices({ rows, separator }: Table, seen: readonly Seen[]): PricePlans {
  const numeric = seen.filter(({ movement }) => movement.filled >= 0.9);
  const [only] = numeric;
  // Columns that say the same are one.
  const moving = likely(numeric);
  const all = moving.filter(
    ({ values, movement }) => !movement.runs && (!movement.isWhole || values.some((value) => value >= MIN_WHOLE_PRICE)),
  );
  const mixed = numeric.find(({ values, movement }) => !movesLikePrices(movement) && holdsTwoPrices(values));
  const like = all.filter(({ values }, i) => !all.slice(0, i).some((other) => other.values.every((value, row) => value === values[row])));
  const cut =
    separator === ','
      ? (like.find(({ column }) => isCutDecimal(column, seen)) ??
        numeric.find(({ column }) => holdsZeros(column) && isCutDecimal(column, seen)))
      : undefined;
  if (cut !== undefined)
    return {
      plans: [...like.map(({ column }) => trades(column.at, '')), ...sidesOf(like)],
      doubt: `column ${cut.column.at + 1} and the digits next to it ${CUT_DECIMAL}`,
    };
  if (numeric.length === 1 && only !== undefined && !only.movement.counts && only.movement.positive > 0)
    return { plans: [trades(only.column.at, 'the only column of numbers')], doubt: '' };
  // Of bars, the open may say what the close of the bar does.
  const areInRow = (four: readonly Seen[]): boolean => four[3]!.column.at - four[0]!.column.at === 3;
  if (moving.length === 4 && areInRow(moving) && isBarAt(moving))
    return { plans: [bars(moving[3]!.column.at, 'four columns with the highest and the lowest in between')], doubt: '' };
  if (numeric.length >= 4 && rows.length < MIN_ROWS) {
    const four = numeric.slice(0, 4);
    if (areInRow(four) && isBarAt(four))
      return { plans: [bars(four[3]!.column.at, 'four columns with the highest and the lowest in between')], doubt: '' };
  }
  const isPair = like.length === 2 && rows.length >= MIN_ROWS;
  const pair = isPair ? like : numeric.filter(({ values }) => values.some((value) => value !== 0));
  const [a, b] = pair.filter(({ values, movement }) => !movement.counts && !movement.isConstant && !isSequence(values));
  if (
    a !== undefined &&
    b !== undefined &&
    areClose(a.values, b.values) &&
    (areAlone(a, b, seen) || (isPair && areNext(a, b, numeric) && areSides(a, b)))
  ) {
    const isBidFirst = a.values.every((value, i) => !(value > b.values[i]!));
    const isAskFirst = a.values.every((value, i) => !(value < b.values[i]!));
    // Ask and bid in that order are rare: a trade and a bid that lies one step below it look the same.
    if (isBidFirst !== isAskFirst && (isBidFirst || areSides(a, b)))
      return {
        plans: [
          isBidFirst
            ? quotes(a.column.at, b.column.at, 'one never above the other')
            : quotes(b.column.at, a.column.at, 'one never below the other'),
        ],
        doubt: '',
      };
  }
  if (like.length === 1 && mixed === undefined) {
    const rival = numeric.find((other) => rivals(other, like[0]!));
    if (rival === undefined) return { plans: [trades(like[0]!.column.at, ONLY_ONE)], doubt: '' };
    return {
      plans: [...sidesOf([like[0]!, rival]), trades(like[0]!.column.at, ''), trades(rival.column.at, '')],
      doubt: `column ${like[0]!.column.at + 1} moves like prices, column ${rival.column.at + 1} may hold them too, and there is no header`,
    };
  }
  const others = numeric.filter(({ movement }) => canBePrice(movement));
  // Whole numbers are mostly something else.
  const isLikely = ({ movement: { isWhole } }: Seen): number => Number(!isWhole);
  const prices = (mixed !== undefined ? [...like, mixed] : like.length > 0 ? like : others).toSorted((x, y) => isLikely(y) - isLikely(x));
  const candidates = [...sidesOf(like), ...prices.map(({ column }) => trades(column.at, ''))];
  const doubt =
    numeric.length === 0
      ? 'no column behind the stamp holds numbers'
      : mixed !== undefined
        ? `column ${mixed.column.at + 1} goes between two levels as prices of two markets do, and there is no header that says which column is the price`
        : like.length === 0
          ? `there are ${numeric.length} columns of numbers, none of which moves like prices, and no header`
          : `there are ${like.length} columns that may be prices and no header that says which is the price`;
  return { plans: candidates, doubt };
}

/** Whether the price may stand in this column, where another one alone moves like prices: as its other side, further than prices mostly go, or in too few rows to tell. */
function rivals(other: Seen, { column, values, movement: { isWhole } }: Seen): boolean {
  if (other.column === column || other.values.every((value, row) => value === values[row])) return false;
  const apart = other.values.map((value, row) => value - values[row]!);
  const isQuiet = !other.movement.isConstant || new Set(values).size <= MAX_QUIET_VALUES;
  const isSide =
    isQuiet && areClose(values, other.values, MAX_DOUBTED_SPREAD) && (apart.every((each) => each >= 0) || apart.every((each) => each <= 0));
  const hasDecimals = other.column.texts.some((text) => /[.,]\d/.test(text));
  const isFew = values.length < MIN_ROWS && canBePrice(other.movement);
  return (
    isSide || isFew || movesBySteps(other.movement) || (isWhole && hasDecimals && other.movement.isConstant && other.movement.positive > 0)
  );
}

/** Columns as bid and ask, of which one is never above the other: side by side first, of those the widest spread. */
function sidesOf(like: readonly Seen[]): readonly PricePlan[] {
  const apart = (low: Seen, high: Seen): number => high.movement.median - low.movement.median;
  const isNext = (low: Seen, high: Seen): number => Number(Math.abs(high.column.at - low.column.at) <= 2);
  const all = like
    .flatMap((low) => like.map((high) => [low, high] as const))
    .filter(([low, high]) => areClose(low.values, high.values) && low.values.every((value, row) => value <= high.values[row]!))
    .sort((a, b) => isNext(...b) - isNext(...a) || apart(...b) - apart(...a))
    .map(([low, high]) => quotes(low.column.at, high.column.at, ''));
  return all.slice(0, MAX_SIDES);
}

function isBarAt(four: readonly Seen[]): boolean {
  const [open, high, low, close] = four.map(({ values }) => values);
  if (close === undefined) return false;
  let isMoving = false;
  for (let i = 0; i < close.length; i++) {
    const [o, h, l, c] = [open![i]!, high![i]!, low![i]!, close[i]!];
    if (!(h >= Math.max(o, c) && l <= Math.min(o, c) && l > 0 && h <= MAX_RATIO * l)) return false;
    if (h > l) isMoving = true;
  }
  return isMoving;
}

/** Bid and ask side by side or each with its size behind it, and no other column with numbers that are not all 0. */
function areAlone(a: Seen, b: Seen, seen: readonly Seen[]): boolean {
  const gap = b.column.at - a.column.at;
  const sizes = gap === 2 ? [a.column.at + 1, b.column.at + 1] : [];
  const others = seen.filter((each) => each !== a && each !== b && each.values.some((value) => value !== 0));
  const areSizes = sizes.every((at) =>
    others.some(({ column, movement }) => column.at === at && !movement.counts && !movesLikePrices(movement)),
  );
  const areLocked = a.values.length >= MIN_ROWS && a.values.some((value, i) => value === b.values[i]);
  return gap <= 2 && areSizes && others.length === sizes.length && !areLocked;
}

/** Whole numbers that grow from each row to the next: ids, even of few rows. */
const isSequence = (values: readonly number[]): boolean =>
  values.length > 3 && values.every((value, i) => Number.isInteger(value) && (i === 0 || value > values[i - 1]!));

/** Whether the numbers fall into two groups that lie apart, and move like prices within each. */
function holdsTwoPrices(values: readonly number[]): boolean {
  const sorted = values.filter((value) => value > 0).sort((x, y) => x - y);
  if (sorted.length < values.length * 0.9 || sorted.length < MIN_ROWS) return false;
  let cut = 1;
  for (let at = 1; at < sorted.length; at++) if (sorted[at]! / sorted[at - 1]! > sorted[cut]! / sorted[cut - 1]!) cut = at;
  const border = sorted[cut]!;
  const sides = [values.filter((value) => value > 0 && value < border), values.filter((value) => value >= border)];
  return sides.every((side) => side.length >= values.length / 20 && movesLikePrices(movementOf(side)));
}

/** Bid and ask stand side by side, or each with its size behind it. */
function areNext(a: Seen, b: Seen, numeric: readonly Seen[]): boolean {
  const isSize = (at: number): boolean => numeric.some(({ column, movement }) => column.at === at && !movement.counts);
  return b.column.at - a.column.at === 1 || (b.column.at - a.column.at === 2 && isSize(a.column.at + 1) && isSize(b.column.at + 1));
}

/**
 * Never equal, apart by a spread that changes, and written with the same decimals: a price and a mark, a limit or a price of
 * another time are mostly not all of that.
 */
function areSides(a: Seen, b: Seen): boolean {
  const spreads = a.values.map((value, i) => Math.abs(value - b.values[i]!));
  const unit = Math.min(...spreads) / 2;
  const isOne = spreads.every((spread) => Math.abs(spread - spreads[0]!) < unit);
  return unit > 0 && !isOne && decimalsOf(a) === decimalsOf(b);
}

const decimalsOf = ({ column }: Seen): number => Math.max(...column.texts.map((text) => /[.,](\d+)$/.exec(text)?.[1]!.length ?? 0));

const areClose = (a: readonly number[], b: readonly number[], limit = MAX_SPREAD): boolean =>
  a.every((value, i) => value > 0 && Math.abs(value - b[i]!) <= limit * value) && a.some((value, i) => value !== b[i]);

/** 00012318 behind 0: decimals that lost their whole part. Codes that begin with a zero do not change, and have no number before them. */
const holdsZeros = ({ at, texts, isConstant, clocks, stamp }: Column): boolean =>
  at > 0 && !isConstant && clocks.length === 0 && stamp === undefined && texts.every((text) => /^0\d{2,}$/.test(text));

/**
 * Whether a whole number and the digits in the column next to it may be a number with a decimal comma, cut in two at that. Against it speak
 * digits of different length of which some end in 0: no program writes 1,50 and 1,5 in one column.
 */
function isCutDecimal({ at, texts }: Column, seen: readonly Seen[]): boolean {
  if (!texts.every((text) => /^\d*$/.test(text))) return false;
  if (texts.some((text) => /^0\d/.test(text))) return true;
  const columnAt = (place: number): Seen | undefined => seen.find(({ column }) => column.at === place);
  const isDecimals = (digits: readonly string[]): boolean => {
    if (!digits.every((text) => /^\d{1,9}$/.test(text))) return false;
    const lengths = new Set(digits.map(({ length }) => length));
    return lengths.size === 1 || !digits.some((text) => text.length > 1 && text.endsWith('0'));
  };
  const [before, after] = [columnAt(at - 1), columnAt(at + 1)];
  if (after !== undefined && isDecimals(after.column.texts) && !after.movement.counts) return true;
  const isWhole = before !== undefined && before.column.texts.every((text) => /^\d+$/.test(text));
  return isWhole && !before.movement.counts && (before.movement.isConstant || movesLikePrices(before.movement)) && isDecimals(texts);
}
