import type { Random } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { spacedOrigins, type OriginRange } from '../../src/engine/features/spacedOrigins.ts';

/** Most training origins of one instrument in one horizon bucket. */
export const MAX_TRAIN_ORIGINS = 2600;

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
