/**
 * What a fault lets callers meet until the service has recovered. `cut`: a connection is closed without an answer; `delay`: an answer comes later by as long
 * as the fault lasts; `restart`: a child process ends.
 */
export type Allowance = 'cut' | 'delay' | 'restart';

type Span = { readonly allowance: Allowance; readonly fromMs: number; toMs: number };

/** What was held up needs some time after the fault. */
const AFTER_MS = 2000;

/** Remembers what was allowed when: a request is judged at its end, over the time that it took. */
export class Allowances {
  readonly #spans: Span[] = [];

  /** Returns what ends the span. */
  begin(allowances: readonly Allowance[], fromMs = performance.now()): (toMs?: number) => void {
    const spans = allowances.map((allowance) => ({ allowance, fromMs, toMs: Infinity }));
    this.#spans.push(...spans);
    return (toMs = performance.now() + AFTER_MS) => {
      for (const span of spans) span.toMs = toMs;
    };
  }

  /** For how long of a time it was allowed, ms. */
  overlapMs(allowance: Allowance, fromMs: number, toMs: number): number {
    const covering = this.#spans.filter((span) => span.allowance === allowance && span.fromMs < toMs && span.toMs > fromMs);
    let [sum, endMs] = [0, fromMs];
    // What two of them cover counts once.
    for (const span of covering.sort((a, b) => a.fromMs - b.fromMs)) {
      const spanEndMs = Math.min(span.toMs, toMs);
      sum += Math.max(0, spanEndMs - Math.max(span.fromMs, endMs));
      endMs = Math.max(endMs, spanEndMs);
    }
    return sum;
  }
}
