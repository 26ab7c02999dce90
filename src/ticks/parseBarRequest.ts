import type { BarTime } from '../core/barTime.ts';
import { type FieldProblem, fieldProblem, invalidRequest, quoteValue } from '../core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES, US_PER_MS, US_PER_SECOND } from '../core/units.ts';
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
import type { BarsBefore } from './fillers.ts';
import type { TickRequest } from './parseTickRequest.ts';
import { BAR_PERIOD_US, type BarFault, type BarPrices, type Bars, fitsGrid, placeBars } from './placeBars.ts';
import type { PriceColumn, Timestamps } from './tickColumns.ts';
import { MAX_YEAR, writeTimestamp } from './timestamps.ts';

/** Bars as they are sent: with their ranges, or closes alone. */
export type BarLists = {
  readonly Timestamp: Timestamps;
  readonly Close: readonly number[];
  readonly Open?: readonly number[];
  readonly High?: readonly number[];
  readonly Low?: readonly number[];
  /** Bars of volume 0 that repeat the close before them are left out. */
  readonly Volume?: readonly unknown[];
};

/** What is known of a series that goes on; lastUs: the end of its last bar. */
export type KnownBars = { readonly periodMs?: number | undefined; readonly lastUs?: number | undefined } & BarsBefore;

/** What each value of bar_time means, for messages. */
const BAR_TIME_MEANS =
  'open: timestamps are the beginnings of bars; close: their ends. A wrong one lets a forecast see one bar of the future, so none is assumed';

/**
 * Parses the lists of a request of bars, whose last entry is the future timestamp with 0 as each price; it is a moment, so `barTime` does not
 * change it. Problems and pointers as in `parseTickRequest`.
 */
export function parseBarRequest(lists: BarLists, barTime: BarTime | undefined): TickRequest {
  const columns = columnsOf(lists);
  checkLengths(lists.Timestamp, [...columns, ...volumeOf(lists)], [MIN_ENTRIES, MAX_ENTRIES, ', including the future timestamp']);
  const { Timestamp } = lists;
  const future = Timestamp.length - 1;
  const problems = missing(barTime);
  const read = readEntries(Timestamp, columns, future, problems, INCREASING);
  const futureUs = readFuture(Timestamp, columns, problems);
  refuseProblems(problems);
  const time = barTime!;
  const bars = barsOf(read, time, lists);
  const endUs = bars.series.timesUs.at(-1)!;
  if (futureUs <= endUs) throw invalidRequest([notLater(future, Timestamp[future], endUs, time)]);
  return { ...bars, futureUs };
}

/** Parses the lists of a request for several horizons: bars without a future entry. */
export function parseObservedBars(lists: BarLists, barTime: BarTime | undefined): Bars {
  const columns = columnsOf(lists);
  checkLengths(lists.Timestamp, [...columns, ...volumeOf(lists)], [MIN_ENTRIES - 1, MAX_ENTRIES - 1, ' without a future timestamp']);
  const { Timestamp } = lists;
  refuseFuture(columns, Timestamp.length - 1, 'horizons');
  const problems = missing(barTime);
  const read = readEntries(Timestamp, columns, Timestamp.length, problems, INCREASING);
  refuseProblems(problems);
  return barsOf(read, barTime!, lists);
}

/**
 * Parses the lists of a message that continues a series of bars, all of which have ended: a later message cannot correct them. The lists are
 * not empty, but what is left of them may be, where all repeat the close before them. Without a known period, it is measured.
 */
export function parseNextBars(lists: BarLists, barTime: BarTime, { periodMs, lastUs, ...before }: KnownBars): Bars {
  const { Timestamp } = lists;
  const columns = columnsOf(lists);
  checkEqual(Timestamp, [...columns, ...volumeOf(lists)]);
  const problems: FieldProblem[] = [];
  const read = readEntries(Timestamp, columns, Timestamp.length, problems, INCREASING);
  refuseProblems(problems);
  const ended = { periodUs: periodMs === undefined ? undefined : periodMs * US_PER_MS };
  const bars = barsOf(read, barTime, lists, { ended, before });
  const firstUs = read.timesUs[0] + (barTime === 'close' ? 0 : bars.bars.periodMs * US_PER_MS);
  if (lastUs === undefined || fitsGrid(firstUs - lastUs, bars.bars.periodMs * US_PER_MS)) return bars;
  const last = `the last bar of the series, which ended at "${writeTimestamp(lastUs)}"`;
  const [code, rule] =
    firstUs > lastUs
      ? (['bars.no_period', `no ${gridRule(bars.bars.periodMs / 1000)} after ${last}`] as const)
      : ([
          'timestamp.not_increasing',
          `not after ${last}: each bar is sent once, when it has ended, so leave out one that still runs`,
        ] as const);
  throw invalidRequest([fieldProblem('/Timestamp/0', code, `Timestamp[0] is ${quoteValue(Timestamp[0])}, ${rule}.`)]);
}

/** What is wrong with a `bar_time` that is not there, next to what is wrong with the bars. */
function missing(barTime: BarTime | undefined): FieldProblem[] {
  if (barTime !== undefined) return [];
  const detail = `bar_time is required with bars; it is missing. ${BAR_TIME_MEANS}.`;
  return [fieldProblem('?bar_time', 'bar_time.required', detail)];
}

/** Close, and Open, High and Low if they are sent: all three or none. */
function columnsOf(lists: BarLists): readonly PriceColumn[] {
  const names = ['Open', 'High', 'Low'] as const;
  const missing = names.filter((name) => lists[name] === undefined);
  if (missing.length === names.length) return [{ name: 'Close', values: lists.Close }];
  refuseProblems(
    missing.map((name) => fieldProblem(`/${name}`, 'field.missing', `${name} is required with ${ALL_RANGES}; it is missing.`)),
  );
  return (['Close', ...names] as const).map((name) => ({ name, values: lists[name]! }));
}
const ALL_RANGES = 'the others of Open, High and Low';

const volumeOf = ({ Volume }: BarLists): readonly PriceColumn[] => (Volume === undefined ? [] : [{ name: 'Volume', values: Volume }]);

/** `ended` as of `placeBars`. Throws for the first rule that the bars break. */
function barsOf(
  entries: Entries,
  barTime: BarTime,
  { Timestamp, Volume }: BarLists,
  { ended, before }: { readonly ended?: Parameters<typeof placeBars>[3]; readonly before?: BarsBefore } = {},
): Bars {
  const bars = placeBars(
    entries.timesUs,
    entries.prices as unknown as BarPrices,
    barTime,
    ended,
    Volume === undefined ? undefined : { list: Volume, before },
  );
  if ('rule' in bars) throw invalidRequest([faultProblem(bars, entries, Timestamp, ended !== undefined)]);
  return bars;
}

function faultProblem(
  fault: BarFault,
  { timesUs, prices: [close, ...ranges] }: Entries,
  timestamps: Timestamps,
  haveEnded: boolean,
): FieldProblem {
  if (fault.rule === 'range') {
    const { at, bound, price } = fault;
    const [open, high, low] = ranges.map((list) => list[at]);
    const [value, side] = bound === 'High' ? [high, 'below'] : [low, 'above'];
    const detail = `${bound}[${at}] is ${value}, ${side} ${price}[${at}], ${price === 'Open' ? open : close[at]}; the rule is low <= open, close <= high.`;
    return fieldProblem(`/${bound}/${at}`, 'bars.range_broken', detail);
  }
  const at = fault.rule === 'grid' ? fault.at : timesUs.length - 1;
  const shown = `Timestamp[${at}] is ${quoteValue(timestamps[at])}`;
  if (fault.rule === 'end')
    return fieldProblem(`/Timestamp/${at}`, 'timestamp.out_of_range', `${shown}; its bar ends after the year ${MAX_YEAR}.`);
  const periodS = fault.periodUs / US_PER_SECOND;
  if (fault.rule === 'grid') {
    const unfinished = haveEnded
      ? 'Send a bar when it has ended.'
      : 'Only with bar_time=close may the last one differ: that of a bar which has not ended.';
    const difference = (timesUs[at] - timesUs[at - 1]) / US_PER_SECOND;
    const detail = `${shown}, ${difference} s after the one before it; each difference must be ${gridRule(periodS)}, the length of the bars. ${unfinished}`;
    return fieldProblem(`/Timestamp/${at}`, 'bars.no_period', detail);
  }
  if (periodS === 0) {
    const detail =
      'Timestamp has one entry, which does not tell the length of the bars; send two or more, or name it as bars.period of `open`.';
    return fieldProblem('/Timestamp', 'bars.no_period', detail);
  }
  const [least, most] = BAR_PERIOD_US.map((us) => us / US_PER_SECOND) as [number, number];
  const detail = `Timestamp has ${periodS} s as the most frequent difference, which is the length of the bars; it must be from ${least} s to ${most} s.`;
  return fieldProblem('/Timestamp', 'bars.period_out_of_range', detail);
}

const notIncreasing: OrderProblem = (index, value, before, valueBefore) => {
  const detail = `Timestamp[${index}] is ${quoteValue(value)}, not later than Timestamp[${before}], ${quoteValue(valueBefore)}; timestamps of bars must increase.`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.not_increasing', detail);
};
/** Microseconds are whole. */
const INCREASING = [1, notIncreasing] as const;

/** As of `fitsGrid`. */
const gridRule = (periodS: number): string =>
  periodS > 60 && periodS % 60 === 0 ? `whole minutes, at least ${periodS} s` : `a multiple of ${periodS} s`;

function notLater(index: number, value: unknown, endUs: number, barTime: BarTime): FieldProblem {
  const why =
    barTime === 'open' ? ' With bar_time=open a bar ends one period after its timestamp: leave out a bar that has not ended.' : '';
  const detail = `Timestamp[${index}], the future timestamp, is ${quoteValue(value)}; it must be later than the end of the last bar, "${writeTimestamp(endUs)}".${why}`;
  return fieldProblem(`/Timestamp/${index}`, 'timestamp.future_not_later', detail);
}
