import type { Random } from '../../src/core/Random.ts';
import { US_PER_MS } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { firstAtOrAfter, lastAtOrBefore } from '../../src/engine/features/labelOrigin.ts';

/** Most training origins of one instrument in one horizon bucket. */
export const MAX_TRAIN_ORIGINS = 2600;

export type OriginRange = {
  /** Raw ticks of the window including the origin: an origin has index minTicks − 1 or above. */
  readonly minTicks: number;
  /** Only timestamps in [fromUs, toUs); the window may begin earlier. Default: the whole series. */
  readonly fromUs?: number;
  readonly toUs?: number;
};

/**
 * Origins for training: last ticks of their timestamps, at least max(H/4, 3 s) apart. If there are more than `maxCount`, one is drawn from
 * each of `maxCount` equal parts, so that they cover the whole series. The selection does not depend on ticks after an origin.
 *
 * @param horizonS H in seconds (for a bucket: its shortest horizon, or a fixed one)
 * @returns indices into the series, ascending
 */
export function trainOrigins(
  series: TickSeries,
  horizonS: number,
  range: OriginRange,
  random: Random,
  maxCount = MAX_TRAIN_ORIGINS,
): Int32Array {
  const all = spacedOrigins(series, Math.max(horizonS / 4, 3), range);
  if (all.length <= maxCount) return all;
  return Int32Array.from({ length: maxCount }, (_, part) => {
    const from = Math.floor((part * all.length) / maxCount);
    const to = Math.floor(((part + 1) * all.length) / maxCount);
    return all[from + random.integer(to - from)]!;
  });
}

/** Origins for testing: selected greedily in time, at least H + 1 s apart, so that no two label intervals overlap. Ascending indices. */
export function testOrigins(series: TickSeries, horizonS: number, range: OriginRange): Int32Array {
  return spacedOrigins(series, horizonS + 1, range);
}

/** Last ticks of their timestamps, greedily from the first one allowed, at least `spacingS` apart by timestamps cut to ms. */
export function spacedOrigins(series: TickSeries, spacingS: number, range: OriginRange): Int32Array {
  const { timesUs } = series;
  const { minTicks, fromUs = -Infinity, toUs = Infinity } = range;
  if (!(spacingS > 0 && minTicks >= 1)) throw new RangeError(`spacedOrigins: spacing ${spacingS} s, ${minTicks} ticks`);
  const found: number[] = [];
  let next = minTicks - 1;
  if (fromUs > -Infinity) next = Math.max(next, firstAtOrAfter(timesUs, fromUs / US_PER_MS));
  while (next < timesUs.length) {
    const ms = Math.floor(timesUs[next]! / US_PER_MS);
    if (ms * US_PER_MS >= toUs) break;
    const origin = lastAtOrBefore(timesUs, ms, next);
    found.push(origin);
    next = firstAtOrAfter(timesUs, ms + spacingS * 1000, origin + 1);
  }
  return Int32Array.from(found);
}
