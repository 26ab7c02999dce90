import type { Outcomes } from './makeLoad.ts';

/** The `share` quantile of the values by nearest rank; NaN without values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

/** The median; for an even number of values the mean of the two in the middle; NaN without values. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle];
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

export type Span = { readonly fromMs: number; readonly toMs: number };

export type Summary = {
  /** Number of requests that were due in the span. */
  readonly n: number;
  /** Answers with status 200 that were complete within the span, per second. */
  readonly rate: number;
  /** The same, only those within the deadline. */
  readonly goodput: number;
  /** Latencies of the answers with status 200 to requests that were due in the span, ms. */
  readonly p50: number;
  readonly p99: number;
  /** Statuses of the requests that were due in the span; `none`: no answer. */
  readonly counts: { readonly ok: number; readonly s503: number; readonly s504: number; readonly other: number; readonly none: number };
};

/** Summarizes one span of a load. Rates use the time at which an answer was complete, so answers that arrive after the span do not count. */
export function summarize({ dueMs, latencyMs, status }: Outcomes, { fromMs, toMs }: Span, deadlineMs = Infinity): Summary {
  const latencies: number[] = [];
  const counts = { ok: 0, s503: 0, s504: 0, other: 0, none: 0 };
  let [served, good] = [0, 0];
  for (let i = 0; i < dueMs.length; i++) {
    const endMs = dueMs[i] + latencyMs[i];
    if (status[i] === 200 && endMs >= fromMs && endMs < toMs) {
      served++;
      if (latencyMs[i] <= deadlineMs) good++;
    }
    if (dueMs[i] < fromMs || dueMs[i] >= toMs) continue;
    counts[nameOf(status[i])]++;
    if (status[i] === 200) latencies.push(latencyMs[i]);
  }
  const seconds = (toMs - fromMs) / 1000;
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(latencies, share)) as [number, number];
  const n = counts.ok + counts.s503 + counts.s504 + counts.other + counts.none;
  return { n, rate: served / seconds, goodput: good / seconds, p50, p99, counts };
}

function nameOf(status: number): keyof Summary['counts'] {
  if (status === 200) return 'ok';
  if (status === 503) return 's503';
  if (status === 504) return 's504';
  return status === 0 ? 'none' : 'other';
}

const BIN_MS = 500;
/** Bins in a row that end the overload, so that a single good bin does not. */
const CALM_BINS = 2;
const AGAIN = 1.5;

/** p99 of each half second of a span, by due time; Infinity for a bin with a failed request. */
function binned(outcomes: Outcomes, { fromMs, toMs }: Span): number[] {
  return Array.from({ length: Math.floor((toMs - fromMs) / BIN_MS) }, (_, at) => {
    const startMs = fromMs + at * BIN_MS;
    const { n, p99, counts } = summarize(outcomes, { fromMs: startMs, toMs: startMs + BIN_MS });
    return n > 0 && counts.ok === n ? p99 : Infinity;
  });
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
