import { spacedOrigins } from '../../engine/features/spacedOrigins.ts';
import { MS_PER_S, type TickSeries } from '../ticks/TickSeries.ts';

/** The most windows of one replay: more change no figure, and take minutes. */
const MOST_WINDOWS = 20_000;

/**
 * The last ticks of the replayed windows, ascending, as `tickmark replay` selects them: from the first full window on, so far apart that no
 * two outcomes overlap. Of more than `most`, evenly spread ones.
 */
export function replayOrigins({ timesUs, bars }: TickSeries, count: number, horizonMs: number, most = MOST_WINDOWS): Int32Array {
  const delayS = bars === undefined ? 1 : 0;
  const found = spacedOrigins(timesUs, horizonMs / MS_PER_S + delayS, { minTicks: count });
  if (found.length <= most) return found;
  return Int32Array.from({ length: most }, (_, i) => found[Math.floor((i * found.length) / most)]);
}
