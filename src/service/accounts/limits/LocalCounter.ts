import type { Clock } from '../../../core/Clock.ts';
import type { Counted, Counter, LimitPolicy } from './RateLimit.ts';

/** Interval of the reports of units that were counted locally. */
const REPORT_MS = 20;
/** Counts locally while less than this fraction of the quota is used ... */
const FREE_FRACTION = 1 / 2;
/** ... and at most this fraction is unreported. */
const UNREPORTED_FRACTION = 1 / 64;
const MOST_SUBJECTS = 10_000;

/** `count` includes `unreported` units, not sent yet, and `sent` units, not acknowledged yet. */
type Known = { count: number; endMs: number; unreported: number; sent: number; isLocal: boolean };

/**
 * Counts in this process while the limit is far, and reports to the counter that all processes share; near the limit, each unit is counted
 * there first. Only a caller that uses half of a quota within 20 ms can exceed it, by at most 1/64 per process. Without it, each forecast
 * would need a round trip to the primary process (docs/benchmarks/serving.md).
 */
export class LocalCounter implements Counter {
  readonly #shared: Counter;
  readonly #clock: Clock;
  readonly #reportMs: number;
  readonly #quota: number;
  readonly #known = new Map<string, Known>();
  #isReportPlanned = false;

  constructor({ quota }: LimitPolicy, shared: Counter, clock: Clock, reportMs = REPORT_MS) {
    this.#reportMs = reportMs;
    this.#shared = shared;
    this.#clock = clock;
    this.#quota = quota;
  }

  async add(subject: string, count: number): Promise<Counted> {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#known.get(subject);
    if (known === undefined || nowMs >= known.endMs) {
      this.#known.delete(subject);
      const counted = await this.#shared.add(subject, count);
      if (this.#known.size >= MOST_SUBJECTS) this.#known.clear();
      // Of several concurrent requests, the first response counts: units may have been added to it since.
      if (!this.#known.has(subject))
        this.#known.set(subject, {
          count: counted.count,
          endMs: this.#clock.monotonicMs() + counted.resetMs,
          unreported: 0,
          sent: 0,
          isLocal: counted.isLocal === true,
        });
      return counted;
    }
    known.count += count;
    known.unreported += count;
    // A look has to see what the other processes have counted.
    const isFree =
      count !== 0 &&
      known.count <= FREE_FRACTION * this.#quota &&
      Math.abs(known.unreported + known.sent) <= UNREPORTED_FRACTION * this.#quota;
    if (!isFree) return this.#report(subject, known);
    this.#planReport();
    return { count: known.count, resetMs: known.endMs - nowMs, ...(known.isLocal ? { isLocal: true } : {}) };
  }

  #planReport(): void {
    if (this.#isReportPlanned) return;
    this.#isReportPlanned = true;
    this.#clock.after(this.#reportMs, () => {
      this.#isReportPlanned = false;
      for (const [subject, known] of this.#known) {
        if (this.#clock.monotonicMs() >= known.endMs) this.#known.delete(subject);
        // If the shared counter does not answer, the next unit that needs it gets the error.
        else if (known.unreported !== 0) this.#report(subject, known).catch(() => {});
      }
    });
  }

  async #report(subject: string, known: Known): Promise<Counted> {
    const { unreported } = known;
    known.unreported = 0;
    known.sent += unreported;
    try {
      const counted = await this.#shared.add(subject, unreported);
      known.count = counted.count + known.unreported + known.sent - unreported;
      known.endMs = this.#clock.monotonicMs() + counted.resetMs;
      known.isLocal = counted.isLocal === true;
      return counted;
    } finally {
      known.sent -= unreported;
    }
  }
}
