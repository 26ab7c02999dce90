import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import {
  isPrice,
  medianSpreadBps,
  spreadsBps,
  priceColumns,
  type PriceColumn,
  type PriceLists,
  readPrice,
  timeReader,
  type Timestamps,
} from './tickColumns.ts';
import { formatTimestamp } from './timestamps.ts';
import type { BarWindow } from './BarWindow.ts';
import {
  checkLengths,
  futurePriceProblem,
  lengthsDiffer,
  MAX_PROBLEMS,
  priceProblem,
  refuseProblems,
  timestampProblem,
} from './entryProblems.ts';
import type { TickSeries } from './TickSeries.ts';

export type TickRequest = {
  /** The observed ticks: all entries except the last. */
  readonly series: TickSeries;
  /** The last timestamp, microseconds, strictly later than the last observed tick. */
  readonly futureUs: number;
  /** The ticks are closes of bars; absent: they are trades or quotes. */
  readonly bars?: BarWindow;
  /** Median spread of the quotes, basis points of their mid; absent or undefined: the ticks have no bid and ask. */
  readonly spreadBps?: () => number | undefined;
  /** The spreads of all quotes. */
  readonly spreadsBps?: () => Float64Array;
  /** Whether a bid is above its ask; absent: as for `spreadBps`. */
  readonly isCrossed?: () => boolean;
};

/**
 * Parses the lists of a request to ticks: timestamps as texts or numbers, and prices, or bids and asks. Order is compared at microseconds.
 * Element types are checked here too, for callers that do not validate against a schema.
 *
 * @throws ServiceError request.invalid with at most 20 problems, pointers into the body (`/Timestamp/12`, `/Price/3`).
 *   If a length is wrong, the elements are not checked.
 */
export function parseTickRequest(timestamps: Timestamps, prices: PriceLists): TickRequest {
  const columns = priceColumns(prices);
  checkLengths(timestamps, columns, [MIN_ENTRIES, MAX_ENTRIES, ', including the future timestamp']);

  const future = timestamps.length - 1;
  const problems: FieldProblem[] = [];
  const { series, previous, previousUs } = readObserved(timestamps, columns, future, problems);

  const futureStamp: unknown = timestamps[future];
  const futureUs = timeReader(timestamps)(futureStamp);
  if (futureUs < 0) problems.push(timestampProblem(future, futureStamp, futureUs, timestamps));
  else if (futureUs <= previousUs) problems.push(futureNotLater(future, futureStamp, previous, timestamps[previous]));
  for (const { name, values } of columns) {
    const price: unknown = values[future];
    // This comparison also accepts -0, the value of JSON's -0.
    if (price !== 0) problems.push(futurePriceProblem(name, future, price));
  }

  refuseProblems(problems);
  return { series, futureUs, ...spreadOf(prices, future) };
}

/** Parses the lists of a request for several horizons: observed ticks only. Like `parseTickRequest` otherwise. */
export function parseObservedTicks(
  timestamps: Timestamps,
  prices: PriceLists,
): Pick<TickRequest, 'series' | 'spreadBps' | 'spreadsBps' | 'isCrossed'> {
  const columns = priceColumns(prices);
  checkLengths(timestamps, columns, [MIN_ENTRIES - 1, MAX_ENTRIES - 1, ' without a future timestamp']);
  const last = timestamps.length - 1;
  const withFuture = columns.find(({ values }) => values[last] === 0);
  if (withFuture !== undefined) {
    const detail = `${withFuture.name}[${last}] is 0; with ?horizons= the future entry is left out.`;
    throw invalidRequest([fieldProblem(`/${withFuture.name}/${last}`, 'price.not_positive', detail)]);
  }
  const problems: FieldProblem[] = [];
  const { series } = readObserved(timestamps, columns, timestamps.length, problems);
  refuseProblems(problems);
  return { series, ...spreadOf(prices, timestamps.length) };
}

/** Computed on demand: most answers do not need it. */
export function spreadOf(
  prices: PriceLists | { readonly Bid: Float64Array; readonly Ask: Float64Array },
  count: number,
): Pick<TickRequest, 'spreadBps' | 'spreadsBps' | 'isCrossed'> {
  if (!('Bid' in prices)) return {};
  const spreads = (): Float64Array => spreadsBps(prices, count);
  return { spreadBps: () => medianSpreadBps(spreads()), spreadsBps: spreads, isCrossed: () => spreads().some((spread) => spread < 0) };
}

/**
 * Parses the lists of a message that continues a series: observed ticks only, none before `afterUs`. Like `parseTickRequest` otherwise;
 * the lists are not empty.
 */
export function parseNextTicks(timestamps: Timestamps, prices: PriceLists, afterUs: number | undefined): TickSeries {
  const count = timestamps.length;
  const problems: FieldProblem[] = [];
  const columns = priceColumns(prices);
  const uneven = columns.filter(({ values }) => values.length !== count);
  if (uneven.length > 0) throw invalidRequest(uneven.map(({ name, values }) => lengthsDiffer(name, count, values.length)));
  const { series } = readObserved(timestamps, columns, count, problems);
  const firstUs = series.timesUs[0];
  if (problems.length === 0 && afterUs !== undefined && firstUs < afterUs) {
    const last = formatTimestamp(afterUs, 6);
    const detail = `Timestamp[0] is ${quoteValue(timestamps[0])}, earlier than the last tick of the series, "${last}"; timestamps must not decrease.`;
    problems.push(fieldProblem('/Timestamp/0', 'timestamp.step_back', detail));
  }
  refuseProblems(problems);
  return series;
}

/** Reads the first `count` entries, and adds what is wrong with them to `problems`, up to the limit. `previous`: the last valid timestamp. */
function readObserved(
  timestamps: Timestamps,
  columns: readonly PriceColumn[],
  count: number,
  problems: FieldProblem[],
): { readonly series: TickSeries; readonly previous: number; readonly previousUs: number } {
  const readTime = timeReader(timestamps);
  const timesUs = new Float64Array(count);
  const checked = new Float64Array(count);
  let previousUs = -1;
  let previous = -1;
  for (let i = 0; i < count; i++) {
    const timestamp: unknown = timestamps[i];
    const timeUs = readTime(timestamp);
    if (timeUs < 0) {
      problems.push(timestampProblem(i, timestamp, timeUs, timestamps));
    } else {
      if (timeUs < previousUs) problems.push(stepBack(i, timestamp, previous, timestamps[previous]));
      timesUs[i] = timeUs;
      previousUs = timeUs;
      previous = i;
    }
    const price = readPrice(columns, i);
    if (price > 0) checked[i] = price;
    else for (const { name, values } of columns) if (!isPrice(values[i])) problems.push(priceProblem(name, i, values[i]));
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { series: { timesUs, prices: checked }, previous, previousUs };
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
