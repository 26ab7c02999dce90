import { US_PER_MS, US_PER_S } from '../ticks/TickSeries.ts';

/** The most windows of one replay: more change no figure, and take minutes. */
const MOST_WINDOWS = 20_000;

/** The first index from `from` on whose stamp is not before `us`, found in a time that depends on how far it is away. */
function gallop(timesUs: Float64Array, us: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < timesUs.length && timesUs[low + step]! < us) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, timesUs.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The last ticks of the replayed windows, ascending, as `tickmark replay` selects them: from the first full window on, last ticks of their
 * milliseconds, at least the horizon and 1 s apart, so that no two outcomes overlap. Of more than `most`, evenly spread ones.
 */
export function replayOrigins(timesUs: Float64Array, count: number, horizonMs: number, most = MOST_WINDOWS): Int32Array {
  const apartMs = horizonMs + US_PER_S / US_PER_MS;
  const found: number[] = [];
  for (let next = count - 1; next < timesUs.length;) {
    const ms = Math.floor(timesUs[next]! / US_PER_MS);
    const origin = gallop(timesUs, (ms + 1) * US_PER_MS, next) - 1;
    found.push(origin);
    next = gallop(timesUs, Math.ceil(ms + apartMs) * US_PER_MS, origin + 1);
  }
  if (found.length <= most) return Int32Array.from(found);
  return Int32Array.from({ length: most }, (_, i) => found[Math.floor((i * found.length) / most)]!);
}
