import type { Clock } from '../../core/Clock.ts';

/** Called when an outage begins, and with its duration when it ends. */
export type OnOutage = (lastedMs?: number) => void;

/** Whether the store answers, by what its callers report. An outage begins with a failed call and ends with an answer in time. */
export class StoreOutage {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #onChange: OnOutage;
  #sinceMs: number | undefined;
  #failedAtMs = -Infinity;
  #answeredAtMs = -Infinity;

  constructor(clock: Pick<Clock, 'monotonicMs'>, onChange: OnOutage = () => {}) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** When the outage began, on the monotonic clock; undefined: the store answers. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** When the last call failed. */
  get failedAtMs(): number {
    return this.#failedAtMs;
  }

  /** A call that was made at `askedAtMs` failed or is late. A call from before the last answer is no news. */
  failed(askedAtMs: number): void {
    if (askedAtMs < this.#answeredAtMs) return;
    this.#failedAtMs = this.#clock.monotonicMs();
    if (this.#sinceMs !== undefined) return;
    this.#sinceMs = this.#failedAtMs;
    this.#onChange();
  }

  answered(): void {
    const nowMs = (this.#answeredAtMs = this.#clock.monotonicMs());
    if (this.#sinceMs === undefined) return;
    const lastedMs = nowMs - this.#sinceMs;
    this.#sinceMs = undefined;
    this.#failedAtMs = -Infinity;
    this.#onChange(lastedMs);
  }
}
