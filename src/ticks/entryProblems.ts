import { isEpochList } from '../core/isEpochList.ts';
import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import { isPrice, type PriceColumn, timeReader, type Timestamps } from './tickColumns.ts';
import { timestampFault } from './timestamps.ts';
import { PRICE_LIMIT } from './TickSeries.ts';

/** The response to a body with thousands of faults lists only the first ones. */
export const MAX_PROBLEMS = 20;

/** Throws the first problems, if there are any. */
export function refuseProblems(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidRequest(problems.slice(0, MAX_PROBLEMS));
}

/** Throws what is wrong with the lists as a whole. `bounds`: fewest and most entries, and what belongs to them. */
export function checkLengths(
  timestamps: unknown,
  columns: readonly PriceColumn[],
  [fewest, most, what]: readonly [number, number, string],
): void {
  const problems: FieldProblem[] = [];
  if (!Array.isArray(timestamps)) problems.push(wrongType('/Timestamp', 'Timestamp', 'a list of strings', timestamps));
  for (const { name, values } of columns)
    if (!Array.isArray(values)) problems.push(wrongType(`/${name}`, name, 'a list of numbers', values));
  if (problems.length === 0 && Array.isArray(timestamps)) {
    const count = timestamps.length;
    const rule = `Timestamp has ${count} entries; ${fewest} to ${most} are allowed${what}.`;
    if (count < fewest) problems.push(fieldProblem('/Timestamp', 'ticks.too_few', rule));
    if (count > most) problems.push(fieldProblem('/Timestamp', 'ticks.too_many', rule));
    for (const { name, values } of columns) if (values.length !== count) problems.push(lengthsDiffer(name, count, values.length));
  }
  refuseProblems(problems);
}

/** Throws what is wrong with lists of a message that are not as long as its timestamps. */
export function checkEqual({ length }: Timestamps, columns: readonly PriceColumn[]): void {
  const uneven = columns.filter(({ values }) => values.length !== length);
  refuseProblems(uneven.map(({ name, values }) => lengthsDiffer(name, length, values.length)));
}

/** Throws for lists with a future entry, where a parameter asks for forecasts without one. */
export function refuseFuture(columns: readonly PriceColumn[], last: number, parameter: string): void {
  const withFuture = columns.find(({ values }) => values[last] === 0);
  if (withFuture === undefined) return;
  const detail = `${withFuture.name}[${last}] is 0; with ${parameter} the future entry is left out.`;
  throw invalidRequest([fieldProblem(`/${withFuture.name}/${last}`, 'price.not_positive', detail)]);
}

/** Timestamps, and prices of each column. */
export type Entries = { readonly timesUs: Float64Array; readonly prices: readonly Float64Array[]; readonly previous: number };

/** Two timestamps in the wrong order, the later entry first. */
export type OrderProblem = (index: number, value: unknown, before: number, valueBefore: unknown) => FieldProblem;

/**
 * Reads the first `count` entries, and adds what is wrong with them to `problems`, up to the limit. Each timestamp is later than the last valid one
 * before it by `leastUs` or more, or `outOfOrder`. `previous`: the last valid timestamp, -1 without one.
 */
export function readEntries(
  timestamps: Timestamps,
  columns: readonly PriceColumn[],
  count: number,
  problems: FieldProblem[],
  [leastUs, outOfOrder]: readonly [leastUs: number, outOfOrder: OrderProblem],
): Entries {
  const readTime = timeReader(timestamps);
  const timesUs = new Float64Array(count);
  const prices = columns.map(() => new Float64Array(count));
  let previous = -1;
  for (let i = 0; i < count && problems.length < MAX_PROBLEMS; i++) {
    const stamp: unknown = timestamps[i];
    const timeUs = readTime(stamp);
    if (timeUs < 0) problems.push(timestampProblem(i, stamp, timeUs, timestamps));
    else {
      if (previous >= 0 && timeUs - timesUs[previous] < leastUs) problems.push(outOfOrder(i, stamp, previous, timestamps[previous]));
      timesUs[i] = timeUs;
      previous = i;
    }
    for (let column = 0; column < columns.length; column++) {
      const price = columns[column].values[i];
      if (isPrice(price)) prices[column][i] = price;
      else problems.push(priceProblem(columns[column].name, i, price));
    }
  }
  return { timesUs, prices, previous };
}

/** Reads the last entry, the future timestamp with 0 as each price, and adds what is wrong with it to `problems`. `check`: of its timestamp. */
export function readFuture(
  timestamps: Timestamps,
  columns: readonly PriceColumn[],
  problems: FieldProblem[],
  check: (futureUs: number) => FieldProblem[] = () => [],
): number {
  const at = timestamps.length - 1;
  const stamp: unknown = timestamps[at];
  const futureUs = timeReader(timestamps)(stamp);
  problems.push(...(futureUs < 0 ? [timestampProblem(at, stamp, futureUs, timestamps)] : check(futureUs)));
  // This comparison also accepts -0, the value of JSON's -0.
  for (const { name, values } of columns) if (values[at] !== 0) problems.push(futurePriceProblem(name, at, values[at]));
  return futureUs;
}

function lengthsDiffer(name: string, timestamps: number, prices: number): FieldProblem {
  const detail = `${name} has ${prices} entries and Timestamp has ${timestamps}; both lists must have the same length.`;
  return fieldProblem(`/${name}`, 'ticks.lengths_differ', detail);
}

function wrongType(pointer: string, name: string, type: string, value: unknown): FieldProblem {
  return fieldProblem(pointer, 'field.wrong_type', `${name} is ${quoteValue(value)}; it must be ${type}.`);
}

function timestampProblem(index: number, value: unknown, fault: number, all: Timestamps): FieldProblem {
  const pointer = `/Timestamp/${index}`;
  const type = isEpochList(all) ? 'number' : 'string';
  if (typeof value !== type) return wrongType(pointer, `Timestamp[${index}]`, `a ${type}`, value);
  const { code, rule } = timestampFault(fault);
  return fieldProblem(pointer, code, `Timestamp[${index}] is ${quoteValue(value)}; ${rule}.${otherUnit(value)}`);
}

/** What digits that are neither milliseconds nor microseconds since 1970 look like, also in a text. */
function otherUnit(value: unknown): string {
  const count = /^\d{9,20}(?:\.\d+)?$/.test(String(value)) ? Number(value) : NaN;
  if (count < 1e11) return ' It may be seconds: send whole milliseconds, 1000 times as much.';
  return count >= 1e17 ? ' It may be nanoseconds: send whole microseconds, a thousandth of it.' : '';
}

function priceProblem(list: string, index: number, value: unknown): FieldProblem {
  const pointer = `/${list}/${index}`;
  const name = `${list}[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  // String instead of shown, because JSON has no Infinity and no NaN.
  if (!Number.isFinite(value)) return fieldProblem(pointer, 'price.not_finite', `${name} is ${String(value)}; a price must be finite.`);
  if (value <= 0) return fieldProblem(pointer, 'price.not_positive', `${name} is ${value}; a price must be above 0.`);
  return fieldProblem(pointer, 'price.too_large', `${name} is ${value}; a price must be below ${PRICE_LIMIT}.`);
}

function futurePriceProblem(list: string, index: number, value: unknown): FieldProblem {
  const pointer = `/${list}/${index}`;
  const name = `${list}[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  return fieldProblem(pointer, 'price.future_not_zero', `${name}, the future price, is ${String(value)}; it must be exactly 0.`);
}
