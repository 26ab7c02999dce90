import type { Outcomes } from './Outcomes.ts';
import { median } from './quantile.ts';
import { summarize, type Span } from './summarize.ts';

const BIN_MS = 500;
/** Bins in a row that end the overload, so that a single good bin does not. */
const CALM_BINS = 2;
const AGAIN = 1.5;

/** p99 of each half second of a span, by due time; Infinity for a bin with a failed request. */
function binned(outcomes: Outcomes, { fromMs, toMs }: Span): number[] {
  const bins: number[] = [];
  for (let startMs = fromMs; startMs + BIN_MS <= toMs; startMs += BIN_MS) {
    const { n, p99, counts } = summarize(outcomes, { fromMs: startMs, toMs: startMs + BIN_MS });
    bins.push(n > 0 && counts.ok === n ? p99 : Infinity);
  }
  return bins;
}

/**
 * Seconds from the start of `after` until p99 is back within 1.5 times that of `before` (the median of its bins).
 *
 * @param mostMs upper limit of the p99 of `before`: a slow phase before the overload must not give an easy bound
 * @returns Infinity if not within the span
 */
export function secondsToNormal(outcomes: Outcomes, quiet: Span, after: Span, mostMs = Infinity): number {
  const bound = AGAIN * Math.min(mostMs, median(binned(outcomes, quiet)));
  const bins = binned(outcomes, after);
  const calm = bins.findIndex((_, at) => at + CALM_BINS <= bins.length && bins.slice(at, at + CALM_BINS).every((p99) => p99 <= bound));
  return calm < 0 ? Infinity : (calm * BIN_MS) / 1000;
}
