import type { Random } from '../../src/core/Random.ts';
import { BUCKET_UPPER_S } from '../../src/model/NetworkSpec.ts';
import { MAX_TRAIN_ORIGINS, testOrigins, trainOrigins } from '../labels/selectOrigins.ts';
import type { Instrument } from './Instrument.ts';
import { thinToBars } from './thinToBars.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** A window that may become a row: raw ticks [from, origin] of a series, asked for `horizonS`. */
export type PlannedRow = {
  readonly instrument: number;
  readonly series: TickSeries;
  readonly from: number;
  readonly origin: number;
  readonly horizonS: number;
  readonly thinned: boolean;
};

/** Horizons that the base is trained on, seconds. */
export const TRAINED_HORIZON_S: readonly [number, number] = [5, 2700];
/** Thresholds that it is trained on: ln(theta / theta*) within ± this. */
export const LOG_THETA_RANGE = 0.9;
const WINDOW_TICKS: readonly [number, number] = [200, 3000];
/** Bars of sparse series, seconds; a quarter of an instrument's rows come from them. */
const BARS_S = [1, 5, 20, 60] as const;
const THINNED_SHARE = 0.25;
/** Horizons on bars reach from two to this many bars. */
const HORIZON_BARS: readonly [number, number] = [2, 40];

const logUniform = (random: Random, [low, high]: readonly [number, number]): number =>
  low * Math.exp(random.uniform() * Math.log(high / low));

/** The part of a bucket's horizons that lies in `range`; undefined where there is none. */
function bucketRange(bucket: number, range: readonly [number, number]): [number, number] | undefined {
  const low = Math.max(range[0], bucket === 0 ? 0 : (BUCKET_UPPER_S[bucket - 1] as number));
  const high = Math.min(range[1], BUCKET_UPPER_S[bucket] as number);
  return low < high ? [low, high] : undefined;
}

/**
 * Training windows of one instrument: per horizon bucket at most `maxPerBucket` from its ticks and a quarter as many from the
 * same ticks thinned to bars; horizons and lengths drawn log-uniformly. `toUs`: no label may end after it (purge).
 */
export function planTrainRows(
  instrument: Instrument,
  index: number,
  random: Random,
  { maxPerBucket = MAX_TRAIN_ORIGINS, toUs = Infinity } = {},
): PlannedRow[] {
  const planned: PlannedRow[] = [];
  const add = (series: TickSeries, range: readonly [number, number], maxCount: number, thinned: boolean): void => {
    for (let bucket = 0; bucket < BUCKET_UPPER_S.length; bucket++) {
      const horizons = bucketRange(bucket, range);
      if (horizons === undefined) continue;
      const spacingHorizonS = Math.sqrt(horizons[0] * horizons[1]);
      for (const origin of trainOrigins(series, spacingHorizonS, { minTicks: WINDOW_TICKS[0] }, random, maxCount)) {
        const horizonS = logUniform(random, horizons);
        const ticks = Math.min(origin + 1, Math.round(logUniform(random, WINDOW_TICKS)));
        const labelEndUs = (series.timesUs[origin] as number) + horizonS * 1e6;
        if (labelEndUs < toUs) planned.push({ instrument: index, series, from: origin + 1 - ticks, origin, horizonS, thinned });
      }
    }
  };
  add(instrument.series, TRAINED_HORIZON_S, maxPerBucket, false);
  for (const barS of BARS_S) {
    const low = Math.max(TRAINED_HORIZON_S[0], HORIZON_BARS[0] * barS);
    const high = Math.min(TRAINED_HORIZON_S[1], HORIZON_BARS[1] * barS);
    add(thinToBars(instrument.series, barS), [low, high], Math.ceil((maxPerBucket * THINNED_SHARE) / BARS_S.length), true);
  }
  return planned;
}

/** Test windows of one instrument at one horizon: label intervals apart from each other, lengths of 200, 500, 1000 and 3000 in turn. */
export function planTestRows(
  instrument: Instrument,
  index: number,
  horizonS: number,
  random: Random,
  { maxCount = 3000, fromUs = -Infinity } = {},
): PlannedRow[] {
  const lengths = [200, 500, 1000, 3000];
  const origins = testOrigins(instrument.series, horizonS, { minTicks: WINDOW_TICKS[0], fromUs });
  const step = Math.max(1, origins.length / maxCount);
  const planned: PlannedRow[] = [];
  for (let at = 0; Math.floor(at) < origins.length; at += step) {
    const origin = origins[Math.floor(at)] as number;
    const fitting = lengths.filter((length) => length <= origin + 1);
    const ticks = fitting[random.integer(fitting.length)] as number;
    planned.push({ instrument: index, series: instrument.series, from: origin + 1 - ticks, origin, horizonS, thinned: false });
  }
  return planned;
}
