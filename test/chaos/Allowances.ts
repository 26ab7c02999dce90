/**
 * Effects of a fault that are allowed until the service has recovered. `cut`: a connection is closed without an answer; `delay`: an answer
 * is late by the duration of the fault; `restart`: a child process ends.
 */
export type Allowance = 'cut' | 'delay' | 'restart';

type Span = { readonly allowance: Allowance; readonly fromMs: number; toMs: number };

/** Delayed requests need some time after the fault. */
const AFTER_MS = 2000;

/** Records which effects were allowed at which time: a request is checked at its end, over its whole duration. */
export class Allowances {
  readonly #spans: Span[] = [];

  /** Returns a function that ends the span. */
  begin(allowances: readonly Allowance[], fromMs = performance.now()): (toMs?: number) => void {
    const spans = allowances.map((allowance) => ({ allowance, fromMs, toMs: Infinity }));
    this.#spans.push(...spans);
    return (toMs = performance.now() + AFTER_MS) => {
      for (const span of spans) span.toMs = toMs;
    };
  }

  /** Time within a span in which the effect was allowed, ms. */
  overlapMs(allowance: Allowance, fromMs: number, toMs: number): number {
    const covering = this.#spans.filter((span) => span.allowance === allowance && span.fromMs < toMs && span.toMs > fromMs);
    let [sum, endMs] = [0, fromMs];
    // Overlapping spans count once.
    for (const span of covering.sort((a, b) => a.fromMs - b.fromMs)) {
      const spanEndMs = Math.min(span.toMs, toMs);
      sum += Math.max(0, spanEndMs - Math.max(span.fromMs, endMs));
      endMs = Math.max(endMs, spanEndMs);
    }
    return sum;
  }
}
