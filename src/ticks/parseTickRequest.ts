import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import { formatTimestamp, parseTimestampUs, timestampFault } from './timestamps.ts';
import { PRICE_LIMIT, type TickSeries } from './TickSeries.ts';

export type TickRequest = {
  /** The observed ticks: all entries except the last. */
  readonly series: TickSeries;
  /** The last timestamp, microseconds, strictly later than the last observed tick. */
  readonly futureUs: number;
};

/** The response to a body with thousands of faults lists only the first ones. */
export const MAX_PROBLEMS = 20;

/**
 * Parses the two lists of a request to ticks. Order is compared at microseconds. Element types are checked here too, for callers that
 * do not validate against a schema.
 *
 * @throws ServiceError request.invalid with at most 20 problems, pointers into the body (`/Timestamp/12`, `/Price/3`).
 *   If a length is wrong, the elements are not checked.
 */
export function parseTickRequest(timestamps: readonly string[], prices: readonly number[]): TickRequest {
  const lengthProblems = checkLengths(timestamps, prices);
  if (lengthProblems.length > 0) throw invalidRequest(lengthProblems);

  const future = timestamps.length - 1;
  const problems: FieldProblem[] = [];
  const { series, previous, previousUs } = readObserved(timestamps, prices, future, problems);

  const futureText: unknown = timestamps[future];
  const futureUs = typeof futureText === 'string' ? parseTimestampUs(futureText) : -1;
  if (futureUs < 0) problems.push(timestampProblem(future, futureText, futureUs));
  else if (futureUs <= previousUs) problems.push(futureNotLater(future, futureText, previous, timestamps[previous]));
  const futurePrice: unknown = prices[future];
  // This comparison also accepts -0, the value of JSON's -0.
  if (futurePrice !== 0) problems.push(futurePriceProblem(future, futurePrice));

  if (problems.length > 0) throw invalidRequest(problems.slice(0, MAX_PROBLEMS));
  return { series, futureUs };
}

/**
 * Parses the two lists of a message that continues a series: observed ticks only, none before `afterUs`. Like `parseTickRequest` otherwise;
 * the lists are not empty.
 */
export function parseNextTicks(timestamps: readonly string[], prices: readonly number[], afterUs: number | undefined): TickSeries {
  const count = timestamps.length;
  const problems: FieldProblem[] = [];
  if (prices.length !== count) throw invalidRequest([lengthsDiffer(count, prices.length)]);
  const { series } = readObserved(timestamps, prices, count, problems);
  const firstUs = series.timesUs[0]!;
  if (problems.length === 0 && afterUs !== undefined && firstUs < afterUs) {
    const last = formatTimestamp(afterUs, 6);
    const detail = `Timestamp[0] is ${quoteValue(timestamps[0])}, earlier than the last tick of the series, "${last}"; timestamps must not decrease.`;
    problems.push(fieldProblem('/Timestamp/0', 'timestamp.step_back', detail));
  }
  if (problems.length > 0) throw invalidRequest(problems.slice(0, MAX_PROBLEMS));
  return series;
}

/** Reads the first `count` entries, and adds what is wrong with them to `problems`, up to the limit. `previous`: the last valid timestamp. */
function readObserved(
  timestamps: readonly string[],
  prices: readonly number[],
  count: number,
  problems: FieldProblem[],
): { readonly series: TickSeries; readonly previous: number; readonly previousUs: number } {
  const timesUs = new Float64Array(count);
  const checked = new Float64Array(count);
  let previousUs = -1;
  let previous = -1;
  for (let i = 0; i < count; i++) {
    const timestamp: unknown = timestamps[i];
    const timeUs = typeof timestamp === 'string' ? parseTimestampUs(timestamp) : -1;
    if (timeUs < 0) {
      problems.push(timestampProblem(i, timestamp, timeUs));
    } else {
      if (timeUs < previousUs) problems.push(stepBack(i, timestamp, previous, timestamps[previous]));
      timesUs[i] = timeUs;
      previousUs = timeUs;
      previous = i;
    }
    const price: unknown = prices[i];
    if (typeof price === 'number' && price > 0 && price < PRICE_LIMIT) checked[i] = price;
    else problems.push(priceProblem(i, price));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { series: { timesUs, prices: checked }, previous, previousUs };
}

function checkLengths(timestamps: unknown, prices: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (!Array.isArray(timestamps)) problems.push(wrongType('/Timestamp', 'Timestamp', 'a list of strings', timestamps));
  if (!Array.isArray(prices)) problems.push(wrongType('/Price', 'Price', 'a list of numbers', prices));
  if (!Array.isArray(timestamps) || !Array.isArray(prices)) return problems;

  const count = timestamps.length;
  const rule = `Timestamp has ${count} entries; ${MIN_ENTRIES} to ${MAX_ENTRIES} are allowed, including the future timestamp.`;
  if (count < MIN_ENTRIES) problems.push(fieldProblem('/Timestamp', 'ticks.too_few', rule));
  if (count > MAX_ENTRIES) problems.push(fieldProblem('/Timestamp', 'ticks.too_many', rule));
  if (prices.length !== count) problems.push(lengthsDiffer(count, prices.length));
  return problems;
}

function lengthsDiffer(timestamps: number, prices: number): FieldProblem {
  const detail = `Price has ${prices} entries and Timestamp has ${timestamps}; both lists must have the same length.`;
  return fieldProblem('/Price', 'ticks.lengths_differ', detail);
}

function wrongType(pointer: string, name: string, type: string, value: unknown): FieldProblem {
  return fieldProblem(pointer, 'field.wrong_type', `${name} is ${quoteValue(value)}; it must be ${type}.`);
}

function timestampProblem(index: number, value: unknown, fault: number): FieldProblem {
  const pointer = `/Timestamp/${index}`;
  if (typeof value !== 'string') return wrongType(pointer, `Timestamp[${index}]`, 'a string', value);
  const { code, rule } = timestampFault(fault);
  return fieldProblem(pointer, code, `Timestamp[${index}] is ${quoteValue(value)}; ${rule}.`);
}

function stepBack(index: number, value: unknown, before: number, valueBefore: unknown): FieldProblem {
  const detail = `Timestamp[${index}] is ${quoteValue(value)}, earlier than Timestamp[${before}], ${quoteValue(valueBefore)}; timestamps must not decrease.`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.step_back', detail);
}

function futureNotLater(index: number, value: unknown, before: number, valueBefore: unknown): FieldProblem {
  const detail =
    `Timestamp[${index}], the future timestamp, is ${quoteValue(value)}; ` +
    `it must be later than the last observed tick, Timestamp[${before}], ${quoteValue(valueBefore)}.`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.future_not_later', detail);
}

function priceProblem(index: number, value: unknown): FieldProblem {
  const pointer = `/Price/${index}`;
  const name = `Price[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  // String instead of shown, because JSON has no Infinity and no NaN.
  if (!Number.isFinite(value)) return fieldProblem(pointer, 'price.not_finite', `${name} is ${String(value)}; a price must be finite.`);
  if (value <= 0) return fieldProblem(pointer, 'price.not_positive', `${name} is ${value}; a price must be above 0.`);
  return fieldProblem(pointer, 'price.too_large', `${name} is ${value}; a price must be below ${PRICE_LIMIT}.`);
}

function futurePriceProblem(index: number, value: unknown): FieldProblem {
  const pointer = `/Price/${index}`;
  const name = `Price[${index}]`;
  if (typeof value !== 'number') return wrongType(pointer, name, 'a number', value);
  return fieldProblem(pointer, 'price.future_not_zero', `${name}, the future price, is ${String(value)}; it must be exactly 0.`);
}
