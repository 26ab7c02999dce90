import type { Outcomes } from './Outcomes.ts';
import { quantile } from './quantile.ts';

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
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
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
  const [p50, p90, p99, max] = [0.5, 0.9, 0.99, 1].map((share) => quantile(latencies, share)) as [number, number, number, number];
  const n = counts.ok + counts.s503 + counts.s504 + counts.other + counts.none;
  return { n, rate: served / seconds, goodput: good / seconds, p50, p90, p99, max, counts };
}

function nameOf(status: number): keyof Summary['counts'] {
  if (status === 200) return 'ok';
  if (status === 503) return 's503';
  if (status === 504) return 's504';
  return status === 0 ? 'none' : 'other';
}
