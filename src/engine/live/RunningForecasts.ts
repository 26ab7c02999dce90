import type { TickForecast } from '../forecast/Forecaster.ts';

/** Forecasts of a desk that may run at the same time; it takes no tick while as many do. */
const MOST_RUNNING = 16;

export type RunningOwner = {
  /** The code that a forecast is skipped with; undefined: the fault is thrown to those who wait. */
  skippedAs(thrown: unknown): string | undefined;
  /** One was not made. */
  onSkip?(): void;
  /** Forecasts that were not made since the last report, by code. */
  onSkipped(skipped: Readonly<Record<string, number>>): void;
  /** Runs something in a second; what it returns cancels that. Absent: skipped forecasts are reported when they are asked for. */
  soon?(run: () => void): () => void;
};

/** The forecasts of a desk that run now, and those that were not made. One caller at a time may wait for them. */
export class RunningForecasts {
  readonly #owner: RunningOwner;
  readonly #skipped = new Map<string, number>();
  #cancelReport: (() => void) | undefined;
  #running = 0;
  #wake: (() => void) | undefined;
  #fault: { readonly cause: unknown } | undefined;
  #isClosed = false;

  constructor(owner: RunningOwner) {
    this.#owner = owner;
  }

  get isFull(): boolean {
    return this.#running >= MOST_RUNNING;
  }

  /** Resolves when there is room for another forecast. Throws the first fault of a forecast. */
  untilFree(): Promise<void> {
    return this.#until(MOST_RUNNING - 1);
  }

  /** Resolves when none runs, and those that were not made have been reported. Throws the first fault of a forecast. */
  async untilIdle(): Promise<void> {
    await this.#until(0);
  }

  /** One that is not made is dropped, and counted as skipped. */
  async run(compute: () => Promise<TickForecast>, use: (forecast: TickForecast) => void, drop: () => void): Promise<void> {
    this.#running++;
    try {
      use(await compute());
    } catch (thrown) {
      drop();
      const code = this.#isClosed ? undefined : this.#owner.skippedAs(thrown);
      if (code !== undefined) this.skip(code);
      else if (!this.#isClosed) this.#fault ??= { cause: thrown };
    } finally {
      this.#running--;
      this.#notify();
    }
  }

  skip(code: string): void {
    this.#owner.onSkip?.();
    this.#skipped.set(code, (this.#skipped.get(code) ?? 0) + 1);
    this.#cancelReport ??= this.#owner.soon?.(() => this.reportSkipped());
  }

  /** Reports now, so that a score is not sent before the forecasts that it lacks are known. */
  reportSkipped(): void {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    if (this.#skipped.size === 0) return;
    const skipped = Object.fromEntries(this.#skipped);
    this.#skipped.clear();
    this.#owner.onSkipped(skipped);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReport?.();
    this.#notify();
  }

  async #until(most: number): Promise<void> {
    while (this.#running > most && !this.#isClosed && this.#fault === undefined) await new Promise<void>((wake) => (this.#wake = wake));
    if (this.#fault !== undefined) throw this.#fault.cause;
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
