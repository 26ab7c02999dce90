import {
  MAX_DOUBTED_SPREAD,
  MAX_RATIO,
  MIN_ROWS,
  bars,
  canBePrice,
  FIXED_POINT,
  isFixedPoint,
  likely,
  ONLY_ONE,
  type PricePlan,
  type PricePlans,
  quotes,
  type Seen,
  trades,
} from './PricePlan.ts';
import type { Table } from './Table.ts';
import { movementOf, movesLikePrices } from './columns.ts';
import { sidesOf } from './unnamedPrices.ts';
import { barTimeByName, type ColumnRole, columnsOf, isNoPriceName, isOtherPriceName, isWeakPriceName } from './names.ts';

/** Of the rows. */
const MIN_NEAR = 0.8;
/** A named price may move by so much from row to row on average. */
const MAX_NAMED_STEP = 0.2;

export function titledPrices(table: Table, names: readonly string[], seen: readonly Seen[]): PricePlans {
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
      ? { plans: [bars(bidClose, 'the closes of bid and ask by their names', [], askClose)], doubt: '' }
      : { plans: [bars(Math.max(bidClose, askClose), 'the close of one side by its name')], doubt: '' };
  if (bid >= 0 && ask >= 0) return checked(quotes(bid, ask, 'by their names'), table, byColumn, [price, close]);
  const last = close >= 0 ? close : price;
  if (high >= 0 && low >= 0 && last >= 0 && (close >= 0 || open >= 0)) {
    // Sierra Chart writes a tick as a bar without an open, with ask and bid as high and low.
    const isTick = open >= 0 && byColumn.get(open)!.values.every((value) => value === 0);
    const isDay = [open, high, low].every((column) => column < 0 || byColumn.get(column)!.movement.isConstant) && table.rows.length > 2;
    // Snapshots of a feed hold the open, the highest and the lowest of the day so far.
    const isSoFar =
      (open < 0 || byColumn.get(open)!.movement.isConstant) && neverFalls(byColumn.get(high)!) && neverFalls(byColumn.get(low)!, -1);
    const hasLast = close < 0 || (price >= 0 && price !== close);
    if (!isTick && !(isDay && close < 0) && !(isSoFar && hasLast && table.rows.length >= MIN_ROWS))
      return { plans: [bars(last, 'open, high, low and close by their names', [open, high, low])], doubt: '' };
  }
  if (open >= 0 && price >= 0 && names[price] === 'price' && close < 0 && byColumn.get(open)?.movement.isConstant === false && high >= 0)
    return { plans: [bars(price, 'next to an open', [open, high, low])], doubt: '' };
  // A close that is named as such, next to the beginning or the end of a bar, needs no range.
  const edge = names.map(barTimeByName).find((name) => name !== undefined);
  if (close >= 0 && edge !== undefined)
    return { plans: [bars(close, `by its name, next to the ${edge === 'open' ? 'beginning' : 'end'} of a bar`)], doubt: '' };
  if (price >= 0) return checked(trades(price, evidence), table, byColumn, [close]);
  if (close >= 0) return checked(trades(close, evidence), table, byColumn, []);
  if (bid >= 0 || ask >= 0) return oneSide(bid, ask, table, byColumn);
  const others = likely(seen).filter(({ column }) => !isNoPriceName(column.name));
  const plans = others.map(({ column }) => trades(column.at, ONLY_ONE));
  // By its content alone, as without a header, where no other column under a name of its own holds numbers that may be prices.
  const unknown = seen.filter(({ column, movement }) => canBePrice(movement) && !isNoPriceName(column.name));
  if (plans.length === 1 && unknown.length === 1 && table.rows.length >= MIN_ROWS && likely(seen).length === 1) return { plans, doubt: '' };
  return { plans: [...sidesOf(others), ...plans], doubt: 'no column is named as a price' };
}

/** Or never rises. */
const neverFalls = ({ values }: Seen, sign = 1): boolean => values.every((value, i) => i === 0 || !(sign * (value - values[i - 1]) < 0));

/** One side of the market by its name: the other one, or the price of the trades, may stand under a name that says nothing. */
function oneSide(bid: number, ask: number, table: Table, byColumn: ReadonlyMap<number, Seen>): PricePlans {
  const named = byColumn.get(Math.max(bid, ask))!;
  const sign = bid >= 0 ? 1 : -1;
  const others = [...byColumn.values()].filter(
    ({ column, values }) =>
      column !== named.column && !isNoPriceName(column.name) && !isOtherPriceName(column.name) && areMostlyClose(named.values, values),
  );
  const sides = others.filter(({ values }) => values.every((value, i) => sign * (value - named.values[i]) >= 0));
  const single = trades(named.column.at, 'by its name');
  if (others.length === 0) return checked(single, table, byColumn, []);
  const pairs = sides.map(({ column: { at } }) => (bid >= 0 ? quotes(bid, at, '') : quotes(at, ask, '')));
  const names = [named, ...others].map(({ column: { name } }) => JSON.stringify(name)).join(' and ');
  return {
    plans: [...pairs, ...others.map(({ column }) => trades(column.at, '')), single],
    doubt:
      sides.length > 0
        ? `the columns ${names} lie apart as bid and ask do, and only one is named as a side`
        : `the columns ${names} both move like prices, and only the first is named: as one side of the market`,
  };
}

/** Rows of another kind in between lie further away. */
function areMostlyClose(a: readonly number[], b: readonly number[]): boolean {
  const near = a.filter((value, i) => value > 0 && Math.abs(value - b[i]) <= MAX_DOUBTED_SPREAD * value).length;
  return near >= MIN_NEAR * a.length && a.some((value, i) => value !== b[i]);
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
    if (isWeakPriceName(names![at]) && rival !== undefined && plan.kind === 'trades')
      doubts.push(`the columns ${name(at)} and ${name(rival.column.at)} both move like prices, and neither name says which is the price`);
    // A price of 0 is none, and is left out.
    const movement = movementOf(values.map((value) => (value > 0 ? value : NaN)));
    if (values.filter((value) => value > 0).length < MIN_ROWS) continue;
    const other = rivals.find(({ column }) => !isOtherPriceName(column.name));
    if (movement.isConstant && plan.kind === 'trades' && other !== undefined)
      doubts.push(`the column ${name(at)} never changes, and ${name(other.column.at)} moves like a price`);
    if (movement.isConstant) continue;
    const isOdd = movement.step > MAX_NAMED_STEP || (isWeakPriceName(names![at]) && !movesLikePrices({ ...movement, positive: 1 }));
    if (movement.isNoise && plan.kind === 'trades' && other !== undefined)
      doubts.push(`the column ${name(at)} is drawn again in each row as sizes are, and ${name(other.column.at)} moves like a price`);
    if (movement.counts) doubts.push(`the column ${name(at)} counts its rows or sums up, as no price does`);
    else if (isOdd && rivals.length > 0)
      doubts.push(`the column ${name(at)} moves by ${percent(movement.step)} a row, and ${name(rivals[0].column.at)} moves like a price`);
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
  return { plans: [...candidates, plan], doubt: doubts[0] };
}

/** Columns under unknown names that move like prices next to the price: one never below it, one never above it, both to and fro, and one in between. */
function barAround(close: number, seen: readonly Seen[]): readonly Seen[] | undefined {
  const values = seen.find(({ column }) => column.at === close)!.values;
  const others = likely(seen).filter(
    ({ column, values: { length } }) =>
      column.at !== close && length >= MIN_ROWS && !isNoPriceName(column.name) && !isOtherPriceName(column.name),
  );
  const reaches = ({ values: own }: Seen, sign: number): boolean =>
    own.every((value, i) => sign * (value - values[i]) >= 0) &&
    // The highest of a day never falls.
    own.some((value, i) => i > 0 && sign * (value - own[i - 1]) < 0) &&
    own.some((value, i) => value !== values[i]);
  const highs = others.filter((each) => reaches(each, 1));
  const lows = others.filter((each) => reaches(each, -1));
  // A quote near the price may be one of them too.
  for (const high of highs)
    for (const low of lows) {
      const open = others.find(
        (each) => each !== high && each !== low && each.values.every((value, i) => value <= high.values[i] && value >= low.values[i]),
      );
      if (open !== undefined) return [high, low, open];
    }
  return undefined;
}

const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(2))} %`;
