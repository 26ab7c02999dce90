import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { changesLevel } from '../../ticks/LevelWatch.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { moveBetween } from './labelOrigin.ts';
import { sessionGapS } from './sessionGap.ts';
import type { WindowRefusal } from './WindowMeasures.ts';

/** Half-lives of the three variances, bars. */
const HALF_LIVES = [10, 50, 200] as const;
/** Half-life of the usual true range, bars. */
const RANGE_HALF_LIFE = 200;
/** A mean over fewer bars is pulled to that of the window, as if it had one bar of it. */
const PRIOR_BARS = 1;
const LAST_BARS = 5;
/** A true range of 0 counts as this fraction of the usual one. */
const LEAST_RANGE = 0.1;
const MOST_RANGE_LOG = 1.5;
/** Of moves over so many bars at most, the default threshold is made. */
const MOST_LAG = 12;
const LEAST_PAIRS = 20;
const LEAST_BARS = 40;
/** A longer horizon has the profile of a day. */
const MOST_AHEAD_MS = 24 * 3_600_000;
/** As for ticks (FeatureBuilder). */
const MEAN_MOVES = 1.5;
const QUANTILE_FLOOR = 0.575;
const QUANTILE_WEIGHT = 0.9;
const TYPICAL_SIGMA = 0.6e-4;

/** The profile of the clock: mean over a span of times, 1 on average. */
export type ClockScale = (fromMs: number, toMs: number) => number;

export const FLAT_CLOCK: ClockScale = () => 1;

/** Measures of a window of bars at the end of its last one. */
export type BarMeasures = {
  readonly bars: number;
  readonly horizonMs: number;
  /** From the end of the first bar. */
  readonly windowMs: number;
  /** ln of the expected size of a move over the horizon, log price, by the three variances. */
  readonly logMoves: readonly [number, number, number];
  /** ln of the true range of the last bar, and of the mean of the last five, over the usual one, within 1.5; null: without highs and lows. */
  readonly ranges: readonly [number, number] | null;
  /** ln of theta* over the expected move by the whole window, without the clock: how moves over the horizon compare with those between bars. */
  readonly level: number;
  /** theta*, log price. */
  readonly thetaDefault: number;
};

/**
 * Measures bars [from, to) of a series, for a horizon from the end of the last bar. Variances are by elapsed time; moves across a pause do
 * not count. Moves and ranges are divided by the profile of the clock where they happened, and the result is multiplied by that of the
 * horizon ahead. `known`: the same bars, measured with another clock.
 */
export function measureBars(
  series: TickSeries,
  bars: BarWindow,
  horizonMs: number,
  clock: ClockScale = FLAT_CLOCK,
  known?: Threshold,
): BarMeasures | WindowRefusal {
  const { timesUs, prices, ranges } = lastOfEnd(series, bars.ranges);
  const { periodMs } = bars;
  const to = timesUs.length;
  const pauseMs = MS_PER_SECOND * sessionGapS(0, periodMs);
  const sums = new Float64Array(3);
  const spans = new Float64Array(3);
  const usual = HALF_LIVES.map((bars) => 0.5 ** (1 / bars));
  let squares = 0;
  let openMs = 0;
  let rangeSum = 0;
  let rangeWeight = 0;
  const rangeDecay = 0.5 ** (1 / RANGE_HALF_LIFE);
  const last: number[] = [];
  const moves = new Float64Array(to);
  for (let i = 1; i < to; i++) {
    const before = timesUs[i - 1] / 1000;
    const end = timesUs[i] / 1000;
    const elapsed = end - before;
    if (elapsed > pauseMs) continue;
    const scale = clock(before, end);
    const move = moveBetween(prices[i - 1], prices[i]);
    moves[i] = move;
    const square = (move * move) / scale;
    squares += square;
    openMs += elapsed;
    for (let k = 0; k < 3; k++) {
      const decay = elapsed === periodMs ? usual[k] : 0.5 ** (elapsed / (periodMs * HALF_LIVES[k]));
      sums[k] = sums[k] * decay + square;
      spans[k] = spans[k] * decay + elapsed;
    }
    if (ranges === undefined) continue;
    const high = Math.max(ranges.high[i], prices[i - 1]);
    const low = Math.min(ranges.low[i], prices[i - 1]);
    const range = Math.log(high / low) / Math.sqrt(scale * elapsed);
    rangeSum = rangeSum * rangeDecay + range;
    rangeWeight = rangeWeight * rangeDecay + 1;
    last.push(range);
    if (last.length > LAST_BARS) last.shift();
  }
  const windowMs = (timesUs[to - 1] - timesUs[0]) / 1000;
  if (to < LEAST_BARS) return windowMs > 0 ? 'too_few_distinct_ticks' : 'window_without_duration';
  if (!(openMs > 0 && squares > 0)) return 'constant_price';
  const rule = { periodUs: US_PER_MS * periodMs, pauseUs: US_PER_MS * pauseMs };
  if (known === undefined && changesLevel({ timesUs, prices }, 0, to, rule)) return 'level_changed';
  const endMs = timesUs[to - 1] / 1000;
  const ahead = clock(endMs, endMs + Math.min(horizonMs, MOST_AHEAD_MS)) * horizonMs;
  const prior = PRIOR_BARS * periodMs;
  const { level, thetaDefault } = known ?? thresholdOf({ timesUs, prices }, moves, { periodMs, horizonMs, pauseMs });
  const logMoves = Array.from(sums, (sum, k) => 0.5 * Math.log(((sum + (prior * squares) / openMs) / (spans[k] + prior)) * ahead));
  return {
    ...{ bars: to, horizonMs, windowMs },
    logMoves: logMoves as unknown as BarMeasures['logMoves'],
    ranges: ranges === undefined ? null : rangesOf(last, rangeSum / rangeWeight),
    ...{ level, thetaDefault },
  };
}

/** Of bars that end at the same time, the last one counts. */
function lastOfEnd({ timesUs, prices }: TickSeries, ranges: BarWindow['ranges']): TickSeries & Pick<BarWindow, 'ranges'> {
  const isLast = (_: number, i: number): boolean => timesUs[i] !== timesUs[i + 1];
  let distinct = 0;
  while (distinct < timesUs.length && isLast(0, distinct)) distinct++;
  if (distinct === timesUs.length) return { timesUs, prices, ranges };
  const cut = (values: Float64Array): Float64Array => values.filter(isLast);
  const { open, high, low } = ranges ?? {};
  return {
    ...{ timesUs: cut(timesUs), prices: cut(prices) },
    ...(open && high && low ? { ranges: { open: cut(open), high: cut(high), low: cut(low) } } : {}),
  };
}

function rangesOf(last: readonly number[], usual: number): [number, number] {
  const over = (count: number): number => {
    const taken = last.slice(-count);
    const mean = taken.reduce((sum, range) => sum + range, 0) / taken.length;
    const log = Math.log((mean / usual + LEAST_RANGE) / (1 + LEAST_RANGE));
    return Math.min(MOST_RANGE_LOG, Math.max(-MOST_RANGE_LOG, log));
  };
  return usual > 0 ? [over(1), over(LAST_BARS)] : [0, 0];
}

type Threshold = Pick<BarMeasures, 'level' | 'thetaDefault'>;

/** The default threshold: as that of ticks, from moves between closes. `moves`: to each bar that is not after a pause. */
function thresholdOf(
  { timesUs, prices }: TickSeries,
  moves: Float64Array,
  { periodMs, horizonMs, pauseMs }: { readonly periodMs: number; readonly horizonMs: number; readonly pauseMs: number },
): Threshold {
  const to = timesUs.length;
  const lag = Math.max(1, Math.min(Math.round(horizonMs / periodMs), Math.floor(to / 20), MOST_LAG));
  let sum = 0;
  let pairs = 0;
  let squares = 0;
  let openMs = 0;
  let session = 0;
  for (let i = 1; i < to; i++) {
    const step = (timesUs[i] - timesUs[i - 1]) / 1000;
    if (step > pauseMs) {
      session = i;
      continue;
    }
    squares += moves[i] ** 2;
    openMs += step;
    const j = i - lag;
    if (j < session) continue;
    const elapsed = (timesUs[i] - timesUs[j]) / 1000;
    sum += Math.abs(moveBetween(prices[j], prices[i])) * Math.sqrt(horizonMs / elapsed);
    pairs++;
  }
  const sigma = Math.sqrt((squares / openMs) * horizonMs);
  // Normal moves have a mean of 0.8 sigma.
  const mean = pairs < LEAST_PAIRS ? 0.8 * sigma : sum / pairs;
  const quantile = Math.max(MEAN_MOVES * mean, QUANTILE_FLOOR * sigma);
  const thetaDefault = quantile ** QUANTILE_WEIGHT * (TYPICAL_SIGMA * Math.sqrt(horizonMs / 1000)) ** (1 - QUANTILE_WEIGHT);
  return { thetaDefault, level: Math.log(thetaDefault / sigma) };
}
