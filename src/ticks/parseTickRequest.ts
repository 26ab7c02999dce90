import { type FieldProblem, fieldProblem, quoteValue } from '../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES } from '../core/units.ts';
import type { BarWindow } from './BarWindow.ts';
import {
  checkEqual,
  checkLengths,
  type Entries,
  type OrderProblem,
  readEntries,
  readFuture,
  refuseFuture,
  refuseProblems,
} from './entryProblems.ts';
import { midPrice } from './midPrice.ts';
import { medianSpreadBps, priceColumns, type PriceLists, spreadsBps, type Timestamps } from './tickColumns.ts';
import type { TickSeries } from './TickSeries.ts';
import { formatTimestamp } from './timestamps.ts';

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
  const entries = readEntries(timestamps, columns, future, problems, IN_ORDER);
  const { timesUs, previous } = entries;
  const futureUs = readFuture(timestamps, columns, problems, (us) =>
    previous >= 0 && us <= timesUs[previous] ? [futureNotLater(future, timestamps[future], previous, timestamps[previous])] : [],
  );
  refuseProblems(problems);
  return { series: seriesOf(entries), futureUs, ...spreadOf(prices, future) };
}

/** Parses the lists of a request for several horizons: observed ticks only. Like `parseTickRequest` otherwise. */
export function parseObservedTicks(
  timestamps: Timestamps,
  prices: PriceLists,
): Pick<TickRequest, 'series' | 'spreadBps' | 'spreadsBps' | 'isCrossed'> {
  const columns = priceColumns(prices);
  checkLengths(timestamps, columns, [MIN_ENTRIES - 1, MAX_ENTRIES - 1, ' without a future timestamp']);
  refuseFuture(columns, timestamps.length - 1, '?horizons=');
  const problems: FieldProblem[] = [];
  const entries = readEntries(timestamps, columns, timestamps.length, problems, IN_ORDER);
  refuseProblems(problems);
  return { series: seriesOf(entries), ...spreadOf(prices, timestamps.length) };
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
  const columns = priceColumns(prices);
  checkEqual(timestamps, columns);
  const problems: FieldProblem[] = [];
  const series = seriesOf(readEntries(timestamps, columns, timestamps.length, problems, IN_ORDER));
  if (problems.length === 0 && afterUs !== undefined && series.timesUs[0] < afterUs) {
    const last = formatTimestamp(afterUs, 6);
    const detail = `Timestamp[0] is ${quoteValue(timestamps[0])}, earlier than the last tick of the series, "${last}"; timestamps must not decrease.`;
    problems.push(fieldProblem('/Timestamp/0', 'timestamp.step_back', detail));
  }
  refuseProblems(problems);
  return series;
}

/** Of one column the prices as they were sent, of two the mids. */
function seriesOf({ timesUs, prices: [first, asks] }: Entries): TickSeries {
  return { timesUs, prices: asks === undefined ? first : first.map((bid, i) => midPrice(bid, asks[i])) };
}

const stepBack: OrderProblem = (index, value, before, valueBefore) => {
  const detail = `Timestamp[${index}] is ${quoteValue(value)}, earlier than Timestamp[${before}], ${quoteValue(valueBefore)}; timestamps must not decrease.`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.step_back', detail);
};
/** Equal timestamps are kept. */
const IN_ORDER = [0, stepBack] as const;

function futureNotLater(index: number, value: unknown, before: number, valueBefore: unknown): FieldProblem {
  const detail =
    `Timestamp[${index}], the future timestamp, is ${quoteValue(value)}; ` +
    `it must be later than the last observed tick, Timestamp[${before}], ${quoteValue(valueBefore)}.`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.future_not_later', detail);
}
