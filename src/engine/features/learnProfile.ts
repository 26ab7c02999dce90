import { daylightMinutes, type DaylightRule } from './daylightMinutes.ts';
import { hourOfWeek, HOURS_PER_WEEK, MINUTES_PER_DAY, type MarketProfile } from './MarketClock.ts';

const SECONDS_PER_MINUTE = 60;
/** A longer time without a tick is a pause of the market: its minutes are not open, and the move across it does not count. */
const PAUSE_MINUTES = 30;
/** Days with fewer open minutes have no level of their own. */
const LEAST_MINUTES = 60;
/** Lower bound of the shape: a minute in which the market hardly moves must not make a ratio explode. */
const LEAST_SHAPE = 0.05;
/** E|N(0, 1)|: a mean |move| over this is a standard deviation. */
const MEAN_OF_ABSOLUTE_NORMAL = Math.sqrt(2 / Math.PI);
/** Bandwidth of one week; it shrinks with the square root of the weeks, within these bounds. Minutes. */
const BANDWIDTH_OF_A_WEEK = 16;
const BANDWIDTH_RANGE = [3, 20] as const;
const DAYS_PER_WEEK = 5;

/** |log moves| of the open minutes of a market, in time order. */
export type MinuteMoves = {
  /** Minutes since 1970 UTC. */
  readonly minute: Int32Array;
  readonly size: Float64Array;
};

/**
 * Moves between consecutive one-minute closes. `minute`: minutes since 1970 UTC with a tick, ascending; `close`: their last prices. An open
 * minute without a tick has the move 0.
 */
export function minuteMoves(minute: ArrayLike<number>, close: ArrayLike<number>): MinuteMoves {
  const minutes: number[] = [];
  const sizes: number[] = [];
  for (let i = 1; i < minute.length; i++) {
    const from = minute[i - 1] as number;
    const to = minute[i] as number;
    if (to - from > PAUSE_MINUTES) continue;
    for (let still = from + 1; still < to; still++) {
      minutes.push(still);
      sizes.push(0);
    }
    minutes.push(to);
    sizes.push(Math.abs(Math.log((close[i] as number) / (close[i - 1] as number))));
  }
  return { minute: Int32Array.from(minutes), size: Float64Array.from(sizes) };
}

/** The moves of one day of the market's own clock. */
export type DayMoves = {
  /** Days since 1970. */
  readonly day: number;
  /** Minutes of the day, and the |log moves| in them. */
  readonly minute: Int16Array;
  readonly size: Float64Array;
};

/** Divides moves into days of the clock of a daylight-saving rule. */
export function splitDays({ minute, size }: MinuteMoves, daylight: DaylightRule): DayMoves[] {
  const days: DayMoves[] = [];
  let from = 0;
  const local = minute.map((at) => at + daylightMinutes(daylight, at * SECONDS_PER_MINUTE));
  for (let i = 1; i <= local.length; i++) {
    const day = Math.floor((local[from] as number) / MINUTES_PER_DAY);
    if (i < local.length && Math.floor((local[i] as number) / MINUTES_PER_DAY) === day) continue;
    days.push({ day, minute: Int16Array.from(local.subarray(from, i), (at) => at - day * MINUTES_PER_DAY), size: size.subarray(from, i) });
    from = i;
  }
  return days;
}

/** The level of one day: its volatility per sqrt(second) where the shape is 1, and the open minutes that it comes from. */
export type DayLevel = { readonly day: number; readonly level: number; readonly minutes: number };

export type LearnedShape = Pick<MarketProfile, 'shape'> & {
  /** Days with enough open minutes, in time order. */
  readonly levels: readonly DayLevel[];
};

/** Gaussian bandwidth of the shape in minutes: the more days, the finer. */
export function bandwidthOf(days: number): number {
  const wanted = BANDWIDTH_OF_A_WEEK / Math.sqrt(Math.max(1, days / DAYS_PER_WEEK));
  return Math.min(BANDWIDTH_RANGE[1], Math.max(BANDWIDTH_RANGE[0], wanted));
}

/**
 * The shape of a day and the level of each day, from all days but those in `without`: no value depends on an excluded day. Each day is
 * divided by its own level, so that one lively day does not dominate.
 */
export function learnShape(days: readonly DayMoves[], without: ReadonlySet<number> = new Set()): LearnedShape {
  const used = days.filter(({ day, minute }) => !without.has(day) && minute.length >= LEAST_MINUTES);
  const kernel = kernelOf(bandwidthOf(used.length));
  const first = shapeOf(used, () => 1, kernel);
  const scales = new Map(used.map((day) => [day.day, scaleOf(day, first)]));
  const moving = used.filter(({ day }) => (scales.get(day) as number) > 0);
  const shape = shapeOf(moving, ({ day }) => scales.get(day) as number, kernel);
  return {
    shape,
    levels: moving.map((day) => ({
      day: day.day,
      level: perRootSecond(scaleOf(day, shape)),
      minutes: day.minute.length,
    })),
  };
}

/** Volatility per sqrt(second) of a mean |one-minute move|. */
export const perRootSecond = (meanMove: number): number => meanMove / (MEAN_OF_ABSOLUTE_NORMAL * Math.sqrt(SECONDS_PER_MINUTE));

/** Mean |move| of a day where the shape is 1. */
function scaleOf({ minute, size }: DayMoves, shape: Float64Array): number {
  let moved = 0;
  let expected = 0;
  for (let i = 0; i < minute.length; i++) {
    moved += size[i]!;
    expected += shape[minute[i]!]!;
  }
  return moved / expected;
}

/** Smoothed mean of size / scale by minute of the day, mean 1 over the open minutes. */
function shapeOf(days: readonly DayMoves[], scale: (day: DayMoves) => number, kernel: Float64Array): Float64Array {
  const sums = new Float64Array(MINUTES_PER_DAY);
  const counts = new Float64Array(MINUTES_PER_DAY);
  for (const day of days) {
    const factor = 1 / scale(day);
    for (let i = 0; i < day.minute.length; i++) {
      sums[day.minute[i]!]! += factor * day.size[i]!;
      counts[day.minute[i]!]! += 1;
    }
  }
  const smoothSums = smooth(sums, kernel);
  const smoothCounts = smooth(counts, kernel);
  const raw = smoothSums.map((sum, minute) => sum / smoothCounts[minute]!);
  let total = 0;
  let open = 0;
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++)
    if (counts[minute]! > 0) {
      total += raw[minute]! * counts[minute]!;
      open += counts[minute]!;
    }
  const mean = total / open;
  return fillClosed(raw.map((value) => (mean > 0 ? Math.max(LEAST_SHAPE, value / mean) : 1)));
}

/** Weights at distances 0, 1, 2, ... minutes. */
function kernelOf(bandwidth: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(4 * bandwidth) + 1 }, (_, distance) => Math.exp(-0.5 * (distance / bandwidth) ** 2));
}

/** Around the clock: minute 0 follows minute 1439. */
function smooth(values: Float64Array, kernel: Float64Array): Float64Array {
  const out = new Float64Array(MINUTES_PER_DAY);
  for (let minute = 0; minute < MINUTES_PER_DAY; minute++) {
    const value = values[minute]!;
    if (value === 0) continue;
    out[minute]! += kernel[0]! * value;
    for (let distance = 1; distance < kernel.length; distance++) {
      out[(minute + distance) % MINUTES_PER_DAY]! += kernel[distance]! * value;
      out[(minute + MINUTES_PER_DAY - distance) % MINUTES_PER_DAY]! += kernel[distance]! * value;
    }
  }
  return out;
}

/** Minutes without any data near them have the value of the nearest minute before them. */
function fillClosed(shape: Float64Array): Float64Array {
  const start = shape.findIndex(Number.isFinite);
  if (start < 0) return shape.fill(1);
  for (let step = 1; step < MINUTES_PER_DAY; step++) {
    const minute = (start + step) % MINUTES_PER_DAY;
    if (!Number.isFinite(shape[minute]!)) shape[minute] = shape[(minute + MINUTES_PER_DAY - 1) % MINUTES_PER_DAY]!;
  }
  return shape;
}

/** Hours of the week in which the market had prices. */
export function openHoursOf({ minute }: MinuteMoves, daylight: DaylightRule): Uint8Array {
  const open = new Uint8Array(HOURS_PER_WEEK);
  for (const at of minute) {
    const timeS = at * SECONDS_PER_MINUTE;
    open[hourOfWeek(timeS + SECONDS_PER_MINUTE * daylightMinutes(daylight, timeS))] = 1;
  }
  return open;
}

/**
 * The usual level after a time: mean of ln level over days before `day` (all days by default), with weights that halve every
 * `halfLifeDays` days. Null without a day.
 */
export function levelBefore(levels: readonly DayLevel[], halfLifeDays: number, day = Infinity): number | null {
  let sum = 0;
  let total = 0;
  const last = levels.findLast((of) => of.day < day)?.day ?? 0;
  for (const of of levels) {
    if (of.day >= day) continue;
    const weight = of.minutes * 0.5 ** ((last - of.day) / halfLifeDays);
    sum += weight * Math.log(of.level);
    total += weight;
  }
  return total > 0 ? Math.exp(sum / total) : null;
}

/** Fewest days on either side of a clock change that count as evidence. */
const LEAST_DAYS_OF_EVIDENCE = 5;
/** Fewest standard errors by which a rule must predict the days better than UTC. */
const LEAST_EVIDENCE = 2;

export type DaylightEvidence = {
  readonly rule: DaylightRule;
  /** Standard errors by which each rule predicts left-out days better than UTC; null: too few days on one side of its clock change. */
  readonly scores: Readonly<Record<Exclude<DaylightRule, 'none'>, number | null>>;
};

/**
 * The daylight-saving rule under which left-out days are predicted best (log-likelihood of exponential |moves|, paired by day with UTC).
 * Without a clock change in the data, or without clear evidence, it is none.
 */
export function chooseDaylight(moves: MinuteMoves): DaylightEvidence {
  const utc = dayScores(moves, 'none');
  const scores = { us: evidenceFor('us', moves, utc), eu: evidenceFor('eu', moves, utc) };
  const best = (scores.us ?? -Infinity) >= (scores.eu ?? -Infinity) ? 'us' : 'eu';
  return { rule: (scores[best] ?? -Infinity) > LEAST_EVIDENCE ? best : 'none', scores };
}

function evidenceFor(rule: 'us' | 'eu', moves: MinuteMoves, utc: ReadonlyMap<number, number>): number | null {
  const days = [...utc.keys()];
  const isSummer = (day: number): boolean => daylightMinutes(rule, (day + 0.5) * MINUTES_PER_DAY * SECONDS_PER_MINUTE) > 0;
  const summer = days.filter(isSummer).length;
  if (Math.min(summer, days.length - summer) < LEAST_DAYS_OF_EVIDENCE) return null;
  const own = dayScores(moves, rule);
  const differences = days.flatMap((day) => (own.has(day) ? [(own.get(day) as number) - (utc.get(day) as number)] : []));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (differences.length - 1);
  return variance > 0 ? mean / Math.sqrt(variance / differences.length) : 0;
}

/** Mean log-likelihood of the moves of each day under the shape of the other days, at the day's own level. */
function dayScores(moves: MinuteMoves, rule: DaylightRule): Map<number, number> {
  const days = splitDays(moves, rule).filter(({ minute }) => minute.length >= LEAST_MINUTES);
  return new Map(
    days.map((of) => {
      const { shape } = learnShape(days, new Set([of.day]));
      const scale = scaleOf(of, shape);
      let sum = 0;
      for (let i = 0; i < of.minute.length; i++) {
        const expected = scale * shape[of.minute[i]!]!;
        sum -= Math.log(expected) + of.size[i]! / expected;
      }
      return [of.day, sum / of.minute.length];
    }),
  );
}
