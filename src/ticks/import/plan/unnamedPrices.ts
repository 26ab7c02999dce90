import {
  MAX_DOUBTED_SPREAD,
  MAX_RATIO,
  MIN_ROWS,
  areClose,
  bars,
  canBePrice,
  likely,
  ONLY_ONE,
  type PricePlan,
  type PricePlans,
  quotes,
  type Seen,
  trades,
} from './PricePlan.ts';
import type { Table } from './Table.ts';
import { type Column, movementOf, movesBySteps, movesLikePrices } from './columns.ts';

/** A side that stands still next to a price of more values is a price of another day. */
const MAX_QUIET_VALUES = 4;
const MAX_TAGS = 20;
/** Pairs of sides that a refusal proposes. */
const MAX_SIDES = 3;
/** Without a header, whole numbers below are counts: of levels, hours, seconds, lots. */
const MIN_WHOLE_PRICE = 60;
export const CUT_DECIMAL = 'may be one number with a decimal comma';

/** Without a header: prices are what moves like prices, where nothing else does. */
export function unnamedPrices({ rows, separator }: Table, seen: readonly Seen[]): PricePlans {
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
  const areInRow = (four: readonly Seen[]): boolean => four[3].column.at - four[0].column.at === 3;
  if (moving.length === 4 && areInRow(moving) && isBarAt(moving)) return { plans: [barsOf(moving)], doubt: '' };
  if (numeric.length >= 4 && rows.length < MIN_ROWS) {
    const four = numeric.slice(0, 4);
    if (areInRow(four) && isBarAt(four)) return { plans: [barsOf(four)], doubt: '' };
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
    const isBidFirst = a.values.every((value, i) => !(value > b.values[i]));
    const isAskFirst = a.values.every((value, i) => !(value < b.values[i]));
    // Ask and bid in that order are rare: a trade and a bid that lies one step below it look the same.
    if (isBidFirst !== isAskFirst && ((isBidFirst && !(isPair && holdsTags(rows))) || areSides(a, b)))
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
    const rival = numeric.find((other) => rivals(other, like[0]));
    if (rival === undefined) return { plans: [trades(like[0].column.at, ONLY_ONE)], doubt: '' };
    return {
      plans: [...sidesOf([like[0], rival]), trades(like[0].column.at, ''), trades(rival.column.at, '')],
      doubt: `column ${like[0].column.at + 1} moves like prices, column ${rival.column.at + 1} may hold them too, and there is no header`,
    };
  }
  // A price that stands still shows nothing: it may be one as well as the next column.
  const others = numeric.filter(({ movement }) => movement.positive >= 0.9 && !movement.counts);
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
  const apart = other.values.map((value, row) => value - values[row]);
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
export function sidesOf(like: readonly Seen[]): readonly PricePlan[] {
  const apart = (low: Seen, high: Seen): number => high.movement.median - low.movement.median;
  const isNext = (low: Seen, high: Seen): number => Number(Math.abs(high.column.at - low.column.at) <= 2);
  const all = like
    .flatMap((low) => like.map((high) => [low, high] as const))
    .filter(([low, high]) => areClose(low.values, high.values) && low.values.every((value, row) => value <= high.values[row]))
    .sort((a, b) => isNext(...b) - isNext(...a) || apart(...b) - apart(...a))
    .map(([low, high]) => quotes(low.column.at, high.column.at, ''));
  return all.slice(0, MAX_SIDES);
}

const barsOf = (four: readonly Seen[]): PricePlan => {
  const [open, high, low, close] = four.map(({ column }) => column.at);
  return bars(close!, 'four columns with the highest and the lowest in between', [open!, high!, low!]);
};

function isBarAt(four: readonly Seen[]): boolean {
  const [open, high, low, close] = four.map(({ values }) => values);
  if (close === undefined) return false;
  let isMoving = false;
  for (let i = 0; i < close.length; i++) {
    const [o, h, l, c] = [open![i], high![i], low![i], close[i]];
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
  values.length > 3 && values.every((value, i) => Number.isInteger(value) && (i === 0 || value > values[i - 1]));

/** Whether the numbers fall into two groups that lie apart, and move like prices within each. */
function holdsTwoPrices(values: readonly number[]): boolean {
  const sorted = values.filter((value) => value > 0).sort((x, y) => x - y);
  if (sorted.length < values.length * 0.9 || sorted.length < MIN_ROWS) return false;
  let cut = 1;
  for (let at = 1; at < sorted.length; at++) if (sorted[at] / sorted[at - 1] > sorted[cut] / sorted[cut - 1]) cut = at;
  const border = sorted[cut];
  const sides = [values.filter((value) => value > 0 && value < border), values.filter((value) => value >= border)];
  return sides.every((side) => side.length >= values.length / 20 && movesLikePrices(movementOf(side)));
}

/** Bid and ask stand side by side, or each with its size behind it. */
function areNext(a: Seen, b: Seen, numeric: readonly Seen[]): boolean {
  const isSize = (at: number): boolean => numeric.some(({ column, movement }) => column.at === at && !movement.counts);
  return b.column.at - a.column.at === 1 || (b.column.at - a.column.at === 2 && isSize(a.column.at + 1) && isSize(b.column.at + 1));
}

/** Whether a letter or a word changes from row to row, as venue, side or condition of trades do: quotes mostly have none. */
function holdsTags(rows: readonly (readonly string[])[]): boolean {
  return rows[0].some((_, at) => {
    const values = new Set(rows.map((row) => row[at]));
    return values.size > 1 && values.size <= MAX_TAGS && [...values].every((value) => /^[a-z]{1,8}$/i.test(value));
  });
}

/**
 * Never equal, apart by a spread that changes, and written with the same decimals: a price and a mark, a limit or a price of
 * another time are mostly not all of that.
 */
function areSides(a: Seen, b: Seen): boolean {
  const spreads = a.values.map((value, i) => Math.abs(value - b.values[i]));
  const unit = Math.min(...spreads) / 2;
  const isOne = spreads.every((spread) => Math.abs(spread - spreads[0]) < unit);
  return unit > 0 && !isOne && decimalsOf(a) === decimalsOf(b);
}

const decimalsOf = ({ column }: Seen): number => Math.max(...column.texts.map((text) => /[.,](\d+)$/.exec(text)?.[1].length ?? 0));

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
