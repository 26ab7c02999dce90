import { MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { sessionGapS } from './sessionGap.ts';
import { quantile } from './selectKth.ts';
import type { WindowRefusal } from './WindowMeasures.ts';
import { COUNTED_GAP_MS, type Workspace } from './Workspace.ts';

const MIN_DISTINCT_TICKS = 40;
/** A log return of at most this size counts as 0: it is the rounding of a mid, not a move. */
const SMALLEST_RETURN = 1e-9;
/** Largest argument for which the terms of `logRatio` that are left out stay below rounding. */
const SERIES_LIMIT = 0.02;

/**
 * Copies ticks [from, to) into the workspace: timestamps cut to ms relative to the last one, equal timestamps collapsed to their last price,
 * and everything before the last session gap removed. The session gap's median is over the distinct timestamps before the removal;
 * `medianGapMs` is over those that stay. Integers are subtracted first, so a shift in time changes no bit.
 */
export function collapseTicks(series: TickSeries, from: number, to: number, space: Workspace): WindowRefusal | null {
  if (to - from < MIN_DISTINCT_TICKS) return 'too_few_distinct_ticks';
  const { timesUs, prices: sentPrices } = series;
  const { timesMs, prices, sentEnd } = space;
  const originMs = Math.floor(timesUs[to - 1] / US_PER_MS);
  let last = -1;
  let lastMs = NaN;
  for (let i = from; i < to; i++) {
    const timeMs = Math.floor(timesUs[i] / US_PER_MS) - originMs;
    if (timeMs !== lastMs) {
      timesMs[++last] = timeMs;
      lastMs = timeMs;
    }
    prices[last] = sentPrices[i];
    sentEnd[last] = i + 1 - from;
  }
  space.count = last + 1;
  space.ticksBeforeGap = 0;
  if (space.count === 1) return 'window_without_duration';
  if (space.count < MIN_DISTINCT_TICKS) return 'too_few_distinct_ticks';
  space.medianGapMs = medianGapMs(space);
  if (!cutAtSessionGap(space)) return 'too_few_distinct_ticks';
  timesMs[space.count] = Infinity;
  fillLogPrices(space);
  return null;
}

/**
 * Counts gaps below COUNTED_GAP_MS by their length, which takes a fifth of the time of a selection: its comparisons are unpredictable. The
 * median is the same number, because gaps are whole milliseconds.
 */
function medianGapMs({ timesMs, scratch, gapCounts, count }: Workspace): number {
  const gaps = count - 1;
  for (let i = 1; i < count; i++) gapCounts[Math.min(timesMs[i] - timesMs[i - 1], COUNTED_GAP_MS)]++;
  const median = countedMedian(gapCounts, gaps);
  gapCounts.fill(0);
  if (median !== undefined) return median;
  for (let i = 1; i < count; i++) scratch[i - 1] = timesMs[i] - timesMs[i - 1];
  return quantile(scratch, gaps, 0.5);
}

/** Undefined if the median is not among the gaps that are counted one by one. */
function countedMedian(gapCounts: Uint16Array, gaps: number): number | undefined {
  const before = (gaps - 1) >> 1;
  let lower = 0;
  let seen = gapCounts[0];
  while (seen <= before && lower < COUNTED_GAP_MS) seen += gapCounts[++lower];
  let upper = lower;
  if (gaps % 2 === 0 && seen === before + 1) while (++upper < COUNTED_GAP_MS && gapCounts[upper] === 0);
  return upper >= COUNTED_GAP_MS ? undefined : lower + 0.5 * (upper - lower);
}

/** Returns false if too few ticks are left. */
function cutAtSessionGap(space: Workspace): boolean {
  const { timesMs, prices, sentEnd, count } = space;
  const limitMs = sessionGapS(space.medianGapMs / MS_PER_SECOND) * MS_PER_SECOND;
  if (-timesMs[0] <= limitMs) return true;
  let start = count - 1;
  while (start > 0 && timesMs[start] - timesMs[start - 1] <= limitMs) start--;
  if (start === 0) return true;
  space.ticksBeforeGap = sentEnd[start - 1];
  space.count = count - start;
  if (space.count < MIN_DISTINCT_TICKS) return false;
  timesMs.copyWithin(0, start, count);
  prices.copyWithin(0, start, count);
  space.medianGapMs = medianGapMs(space);
  return true;
}

/** A price counts as unchanged while it stays within SMALLEST_RETURN of the last price that counted as a change. */
function fillLogPrices({ timesMs, timesS, prices, logPrices, returns, count }: Workspace): void {
  const lastPrice = prices[count - 1];
  for (let i = 0; i < count; i++) logPrices[i] = logRatio(prices[i], lastPrice);
  let kept = logPrices[0];
  for (let i = 1; i < count; i++) {
    const change = logPrices[i] - kept;
    if (change <= SMALLEST_RETURN && change >= -SMALLEST_RETURN) logPrices[i] = kept;
    // Also if `change` is NaN, so that an overflow is detected later and not hidden here.
    else kept = logPrices[i];
  }
  let previous = logPrices[0] - kept;
  for (let i = 0; i < count; i++) {
    const logPrice = logPrices[i] - kept;
    logPrices[i] = logPrice;
    returns[i] = logPrice - previous;
    previous = logPrice;
    timesS[i] = timesMs[i] / MS_PER_SECOND;
  }
}

/**
 * ln(price / last) by the series of 2 artanh((p - l) / (p + l)): exact to one ulp for close prices (where ln p - ln l loses digits),
 * odd if the two are exchanged, and cheaper than Math.log.
 */
function logRatio(price: number, last: number): number {
  const x = (price - last) / (price + last);
  if (!(x < SERIES_LIMIT && x > -SERIES_LIMIT)) return Math.log(price / last);
  const s = x * x;
  return 2 * x * (1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s / 11)))));
}
