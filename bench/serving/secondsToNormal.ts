import type { Outcomes } from './Outcomes.ts';
import { median } from './quantile.ts';
import { summarize, type Span } from './summarize.ts';

export const BIN_MS = 500;
/** Two bins in a row, so that one lucky bin is not taken for the end. */
const CALM_BINS = 2;
const AGAIN = 1.5;

/** p99 of each half second of a span, by when requests were due; a bin in which one failed counts as endless. */
function binned(outcomes: Outcomes, { fromMs, toMs }: Span): number[] {
  const bins: number[] = [];
  for (let startMs = fromMs; startMs + BIN_MS <= toMs; startMs += BIN_MS) {
    const { n, p99, counts } = summarize(outcomes, { fromMs: startMs, toMs: startMs + BIN_MS });
    bins.push(n > 0 && counts.ok === n ? p99 : Infinity);
  }
  return bins;
}

/**
 * Seconds from the start of `after` until p99 is back within 1.5 times the quiet one (the median of its bins).
 *
 * @param mostMs the quiet p99 counts as this at most: a spell that never was quiet gives no easy bound
 * @returns Infinity where it is not within the span
 */
export function secondsToNormal(outcomes: Outcomes, quiet: Span, after: Span, mostMs = Infinity): number {
  const bound = AGAIN * Math.min(mostMs, median(binned(outcomes, quiet)));
  const bins = binned(outcomes, after);
  const calm = bins.findIndex((_, at) => at + CALM_BINS <= bins.length && bins.slice(at, at + CALM_BINS).every((p99) => p99 <= bound));
  return calm < 0 ? Infinity : (calm * BIN_MS) / 1000;
}
