import { type Column, movementOf, movesLikePrices } from './columns.ts';
import { isPriceName } from './names.ts';
import { isNoValue } from './numbers.ts';
import {
  bars,
  FIXED_POINT,
  formed,
  isFixedPoint,
  ONLY_ONE,
  type PricePlan,
  type PricePlans,
  pricesOf,
  quotes,
  type Seen,
  trades,
} from './PricePlan.ts';
import type { Columns } from './resolveColumns.ts';
import type { Table } from './Table.ts';
import { titledPrices } from './titledPrices.ts';
import { unnamedPrices } from './unnamedPrices.ts';

/** Fewer different prices may have such fractions by chance. */
const [MIN_PARTS_ROWS, MIN_PARTS] = [30, 8];
/** 4790.25 USD, 110'165: no number, and perhaps a price. */
const ODD_NUMBER = /^(?:[^\d\s%]{1,3}\s?)?\d+(?:[.,'’]\d+)+(?:\s?[^\d\s%]{1,3})?$/;

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
  const unread =
    unreadPrice(free, table, found.plans[0]) || partsOf32(columns[found.plans[0].firstColumn]) || restOfNumber(free, table, found.plans[0]);
  if (unread !== '') return { plans: found.plans, doubt: unread };
  return formed(found.plans[0], columns);
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

/** Why decimals may be 32nds: 110.165 is 110 and 16.5 of 32 parts in futures on bonds, where no fraction goes beyond 31. */
function partsOf32({ texts, numbers }: Column): string {
  const prices = texts.filter((text) => !isNoValue(text));
  if (prices.length < MIN_PARTS_ROWS || !prices.every((text) => /^\d{2,3}[.,'-](?:[0-2]\d|3[01])[0257]?$/.test(text))) return '';
  const distinct = [...new Set(prices)];
  const values = (numbers[0]?.values ?? []).filter((value) => !Number.isNaN(value));
  // Quarters of a 32nd end in 2 and 7; decimals do not go from .31 to the next whole number again and again.
  const hasQuarters = distinct.some((text) => /\d{3}$/.test(text) && /[27]$/.test(text)) && distinct.every((text) => /\D\d{3}$/.test(text));
  const crosses = values.some((value, i) => i > 0 && Math.floor(value) !== Math.floor(values[i - 1]));
  if (distinct.length < MIN_PARTS || !(hasQuarters || crosses)) return '';
  return `the prices look like 32nds of a point (${JSON.stringify(prices[0])}: no fraction is above 31), which are not read: write them as decimals, or name the column if they are decimals`;
}

/** Why the price may be the rest of a number whose beginning stands in the column before: 46,211.37 cut at its comma, or 1.08 and the points behind it. */
function restOfNumber(free: readonly Column[], { names, separator }: Table, { firstColumn }: PricePlan): string {
  const [before, price] = [firstColumn - 1, firstColumn].map((at) => free.find((column) => column.at === at));
  if (names !== undefined || before === undefined || price === undefined || before.stamp !== undefined) return '';
  const all = ({ texts }: Column, look: RegExp): boolean => texts.every((text) => look.test(text));
  const isCut = separator === ',' && all(before, /^[1-9]\d{0,2}$/) && all(price, /^\d{3}(?:\.\d+)?$/);
  const isFigure = all(before, /^\d+\.\d{1,3}$/) && all(price, /^\d{1,3}$/);
  const values = before.numbers[0]?.values ?? [];
  if (!(isCut || isFigure) || !(before.isConstant || movesLikePrices(movementOf(values)))) return '';
  return `column ${before.at + 1} (${before.texts[0]}) and column ${price.at + 1} (${price.texts[0]}) may be one number, and there is no header: write it in one column, without signs between thousands`;
}

function namedPrices({ names }: Table, columns: readonly Column[], { bid, ask, price, open, high, low, close }: Columns): PricePlans {
  const evidence = 'named by you';
  const plan =
    bid !== undefined && ask !== undefined
      ? quotes(bid, ask, evidence)
      : close !== undefined
        ? bars(close, evidence, [open ?? -1, high ?? -1, low ?? -1])
        : trades((price ?? bid ?? ask)!, evidence);
  const { plans, doubt } = formed(plan, columns);
  const divisor = isFixedPoint(pricesOf(plans[0], columns).first, names) ? FIXED_POINT : 1;
  return { plans: [{ ...plans[0], divisor }], doubt };
}
