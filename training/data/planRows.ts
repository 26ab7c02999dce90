import { seededRandom, type Random } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { type OriginRange, spacedOrigins } from '../../src/engine/features/spacedOrigins.ts';
import { bucketRange, type HorizonScope } from './HorizonScope.ts';
import { planOf, seriesOf, type PlanBlock, type PlannedWindow, type RowPlan } from './RowPlan.ts';
import type { Segment } from './readSegments.ts';
import { AUGMENTATIONS } from './augment.ts';
import { thinToBars } from './BarCloses.ts';
import type { TickSource } from './TickSource.ts';

/** Training thresholds: ln(theta / theta*) from 1/4 to 8. */
export const LOG_THETA_RANGE = [Math.log(0.25), Math.log(8)] as const;
/** Random thresholds per training row, in addition to theta*: log-uniform near theta*, and twice over the whole range. */
const TRAIN_RANGES: readonly (readonly [number, number])[] = [[-0.5, 0.5], LOG_THETA_RANGE, LOG_THETA_RANGE];
/** ln(theta / theta*) of the further thresholds per test row: the middle of the decision bands. */
const TEST_RATIOS = [-1.05, -0.5, 0.5, 1.05, 1.7] as const;
const WINDOW_TICKS: readonly [number, number] = [200, 3000];
/** Ticks of test windows. */
export const TEST_LENGTHS = [200, 500, 1000, 3000] as const;
/** Most test windows of one source at one horizon. */
const MAX_TEST_ORIGINS = 3000;
/** Bars that simulate sparse series, seconds; a quarter as many rows as from ticks come from them. */
const BARS_S = [1, 5, 20, 60] as const;
const THINNED_FRACTION = 0.25;
/** Rows from each augmentation, as a fraction of those from ticks. */
const AUGMENTED_FRACTION = 0.1;
/** Horizons on bars are from two to this many bars. */
const HORIZON_BARS: readonly [number, number] = [2, 40];

export type TrainPlanOptions = {
  readonly scope: HorizonScope;
  readonly seed: number;
  /** Most training windows of one source in one horizon bucket. */
  readonly maxPerBucket: number;
  /** Origins are at or after this, microseconds. */
  readonly fromUs?: number;
  /** Labels of the source end at or before this (purge), microseconds. */
  readonly untilUs?: (source: number) => number;
};

export type TestPlanOptions = {
  readonly scope: HorizonScope;
  readonly seed: number;
  readonly maxCount?: number;
  /** Origins of the source are at or after this, microseconds. */
  readonly fromUs?: (source: number) => number;
  /** Labels end before this, microseconds. */
  readonly untilUs?: number;
  /** Test on bars of this many seconds instead of ticks: one-minute closes, sparse markets. */
  readonly barS?: number;
};

/**
 * Training windows: per source and bucket of the scope, at most `maxPerBucket` from its ticks, a quarter as many from the same ticks
 * thinned to bars, and some from augmented ticks. Horizons and lengths are log-uniform. The same sources and options give the same plan.
 */
export function planTrainRows(sources: readonly TickSource[], options: TrainPlanOptions): RowPlan {
  const blocks = sources.flatMap((source, at) => {
    const random = seededRandom(options.seed * 1009 + at);
    const untilUs = options.untilUs?.(at) ?? Infinity;
    return eachSegment(source, (segment, number) => {
      const rows = rowsBefore(source, untilUs) - rowsBefore(source, options.fromUs ?? -Infinity);
      const share = Math.min(1, (segment.to - segment.from) / Math.max(1, rows));
      return trainBlocks(segment, { source: at, segment: number }, random, { ...options, share, until: untilUs });
    });
  });
  return planOf(blocks, 1 + TRAIN_RANGES.length);
}

type BlockOptions = TrainPlanOptions & { readonly share: number; readonly until: number };

function trainBlocks(segment: Segment, place: Pick<PlanBlock, 'source' | 'segment'>, random: Random, options: BlockOptions): PlanBlock[] {
  const { scope, maxPerBucket, share, until } = options;
  const range = originRange(segment, options.fromUs ?? -Infinity);
  const windowsOf = (series: TickSeries, rangeS: readonly [number, number], maxCount: number): PlannedWindow[] =>
    scope.heads.flatMap((head): PlannedWindow[] => {
      const horizons = bucketRange(head, rangeS);
      if (horizons === undefined || maxCount < 1) return [];
      const spacingHorizonS = Math.sqrt(horizons[0] * horizons[1]);
      return [...trainOrigins(series, spacingHorizonS, range, random, maxCount)].flatMap((origin) => {
        const horizonS = logUniform(random, horizons);
        const ticks = Math.min(origin + 1, Math.round(logUniform(random, WINDOW_TICKS)));
        const logThetaRatios = TRAIN_RANGES.map(([low, high]) => low + (high - low) * random.uniform());
        const endsInTime = (series.timesUs[origin] as number) + horizonS * 1e6 < until;
        return endsInTime ? [{ from: origin + 1 - ticks, origin, horizonS, logThetaRatios }] : [];
      });
    });
  const ticks = { ...place, barS: 0, windows: windowsOf(segment.series, scope.rangeS, Math.ceil(maxPerBucket * share)) };
  const bars = BARS_S.map((barS) => {
    const low = Math.max(scope.rangeS[0], HORIZON_BARS[0] * barS);
    const high = Math.min(scope.rangeS[1], HORIZON_BARS[1] * barS);
    const maxCount = Math.ceil((maxPerBucket * share * THINNED_FRACTION) / BARS_S.length);
    return { ...place, barS, windows: low < high ? windowsOf(thinToBars(segment.series, barS), [low, high], maxCount) : [] };
  });
  const augmented = AUGMENTATIONS.map((augmentation) => {
    const view = { ...place, barS: 0, augmentation };
    const maxCount = Math.ceil(maxPerBucket * share * AUGMENTED_FRACTION);
    return { ...view, windows: windowsOf(seriesOf(view, segment.series), scope.rangeS, maxCount) };
  });
  return [ticks, ...bars, ...augmented];
}

/**
 * Test windows at each test horizon of the scope: label intervals do not overlap, lengths are 200, 500, 1000 and 3000 ticks, thresholds are
 * theta* and five more.
 */
export function planTestRows(sources: readonly TickSource[], options: TestPlanOptions): RowPlan {
  const { scope, maxCount = MAX_TEST_ORIGINS, barS = 0, untilUs = Infinity } = options;
  const blocks = sources.flatMap((source, at) => {
    const random = seededRandom(options.seed * 2003 + at);
    const fromUs = options.fromUs?.(at) ?? -Infinity;
    return eachSegment(source, (segment, number) => {
      const series = barS === 0 ? segment.series : thinToBars(segment.series, barS);
      const share = Math.min(1, (segment.to - segment.from) / Math.max(1, rowsBefore(source, untilUs) - rowsBefore(source, fromUs)));
      const windows = scope.testedS.flatMap((horizonS) => {
        const origins = testOrigins(series, horizonS, originRange(segment, fromUs, untilUs - horizonS * 1e6));
        return spread(origins, Math.ceil(maxCount * share)).map((origin): PlannedWindow => {
          const fitting = TEST_LENGTHS.filter((length) => length <= origin + 1);
          const ticks = fitting[random.integer(fitting.length)] as number;
          return { from: origin + 1 - ticks, origin, horizonS, logThetaRatios: TEST_RATIOS };
        });
      });
      return [{ source: at, segment: number, barS, windows }];
    });
  });
  return planOf(blocks, 1 + TEST_RATIOS.length);
}

/**
 * Origins for training: last ticks of their timestamps, at least max(H/4, 3 s) apart. If there are more than `maxCount`, one is drawn from
 * each of `maxCount` equal parts, so that they cover the whole series. The selection does not depend on ticks after an origin.
 *
 * @param horizonS H in seconds
 * @returns indices into the series, ascending
 */
export function trainOrigins(series: TickSeries, horizonS: number, range: OriginRange, random: Random, maxCount: number): Int32Array {
  const all = spacedOrigins(series.timesUs, Math.max(horizonS / 4, 3), range);
  if (all.length <= maxCount) return all;
  return Int32Array.from({ length: maxCount }, (_, part) => {
    const from = Math.floor((part * all.length) / maxCount);
    const to = Math.floor(((part + 1) * all.length) / maxCount);
    return all[from + random.integer(to - from)];
  });
}

/** Origins for testing: selected greedily in time, at least H + 1 s apart, so that no two label intervals overlap. Ascending indices. */
export function testOrigins(series: TickSeries, horizonS: number, range: OriginRange): Int32Array {
  return spacedOrigins(series.timesUs, horizonS + 1, range);
}

/** Ticks of a source before a time, at least 1; assumes that the ticks of a day are evenly spread. */
export function rowsBefore(source: TickSource, us: number): number {
  let rows = 0;
  for (const day of source.days) {
    if (day.toUs < us) rows += day.rows;
    else if (day.fromUs < us) rows += (day.rows * (us - day.fromUs)) / (day.toUs - day.fromUs);
  }
  return Math.max(1, rows);
}

/** The blocks of `plan` for each segment, sequentially: the segments use the same memory. */
function eachSegment(source: TickSource, plan: (segment: Segment, number: number) => PlanBlock[]): PlanBlock[] {
  const blocks: PlanBlock[] = [];
  let number = 0;
  for (const segment of source.segments()) blocks.push(...plan(segment, number++));
  return blocks;
}

function originRange({ series, from, to }: Segment, fromUs: number, untilUs = Infinity): OriginRange {
  return {
    minTicks: WINDOW_TICKS[0],
    fromUs: Math.max(fromUs, from === 0 ? -Infinity : (series.timesUs[from] as number)),
    toUs: Math.min(untilUs, to < series.timesUs.length ? (series.timesUs[to] as number) : Infinity),
  };
}

/** At most `maxCount` of the origins, evenly spread. */
function spread(origins: Int32Array, maxCount: number): number[] {
  const step = Math.max(1, origins.length / maxCount);
  const chosen: number[] = [];
  for (let at = 0; Math.floor(at) < origins.length; at += step) chosen.push(origins[Math.floor(at)] as number);
  return chosen;
}

function logUniform(random: Random, [low, high]: readonly [number, number]): number {
  return low * Math.exp(random.uniform() * Math.log(high / low));
}
