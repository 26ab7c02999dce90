import { MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { firstAtOrAfterMs, lastAtOrBeforeMs } from './labelOrigin.ts';

export type OriginRange = {
  /** Raw ticks of the window including the origin: an origin has index minTicks − 1 or above. */
  readonly minTicks: number;
  /** Only timestamps in [fromUs, toUs); the window may begin earlier. Default: the whole series. */
  readonly fromUs?: number;
  readonly toUs?: number;
};

/**
 * Last ticks of their timestamps, greedily from the first one allowed, at least `spacingS` apart by timestamps cut to ms. For outcomes that
 * do not overlap: the horizon and 1 s.
 *
 * @returns indices, ascending
 * @throws RangeError without a positive spacing and a tick
 */
export function spacedOrigins(timesUs: Float64Array, spacingS: number, range: OriginRange): Int32Array {
  const { minTicks, fromUs = -Infinity, toUs = Infinity } = range;
  if (!(spacingS > 0 && minTicks >= 1)) throw new RangeError(`spacedOrigins: spacing ${spacingS} s, ${minTicks} ticks`);
  const found: number[] = [];
  let next = minTicks - 1;
  if (fromUs > -Infinity) next = Math.max(next, firstAtOrAfterMs(timesUs, fromUs / US_PER_MS));
  while (next < timesUs.length) {
    const ms = Math.floor(timesUs[next] / US_PER_MS);
    if (ms * US_PER_MS >= toUs) break;
    const origin = lastAtOrBeforeMs(timesUs, ms, next);
    found.push(origin);
    next = firstAtOrAfterMs(timesUs, ms + spacingS * MS_PER_SECOND, origin + 1);
  }
  return Int32Array.from(found);
}

/** The first tick of each interval of the clock, which is when a live series forecasts: the last one of its timestamp. `everyUs`: whole milliseconds. */
export function clockOrigins(timesUs: Float64Array, everyUs: number, minTicks: number): Int32Array {
  const found: number[] = [];
  const nextMs = (timeUs: number): number => ((Math.floor(timeUs / everyUs) + 1) * everyUs) / US_PER_MS;
  let next = minTicks < 2 ? 0 : firstAtOrAfterMs(timesUs, nextMs(timesUs[minTicks - 2]), minTicks - 1);
  while (next < timesUs.length) {
    const origin = lastAtOrBeforeMs(timesUs, Math.floor(timesUs[next] / US_PER_MS), next);
    found.push(origin);
    next = firstAtOrAfterMs(timesUs, nextMs(timesUs[next]), origin + 1);
  }
  return Int32Array.from(found);
}
