import { Failure } from '../service/failureText.ts';
import type { Forecast } from '../service/Service.ts';
import { spacedOrigins } from '../../engine/features/spacedOrigins.ts';
import { MS_PER_S, type TickSeries } from '../ticks/TickSeries.ts';
import { refusedWindow, windowOf, type ReplayedWindow } from './ReplayedWindow.ts';

/** The route takes 64 items; fewer of long windows, so that a batch stays near 1 MB. */
const BATCH_ITEMS = 64;
const BATCH_TICKS = 40_000;
/** Batches in flight: the service works on one while the worker builds the next. */
const IN_FLIGHT = 2;
/** Failures that pass by themselves are waited for, this many times in a row. */
const MOST_WAITS = 30;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** 0: no answer, as while the service is restarted. */
const PASSING_STATUS: readonly number[] = [0, 408, 429, 502, 503, 504];

/** The most windows of one replay: more change no figure, and take minutes. */
const MOST_WINDOWS = 20_000;

/**
 * The last ticks of the replayed windows, ascending, as `tickmark replay` selects them: from the first full window on, so far apart that no
 * two outcomes overlap. Of more than `most`, evenly spread ones.
 */
export function replayOrigins({ timesUs, bars }: TickSeries, count: number, horizonMs: number, most = MOST_WINDOWS): Int32Array {
  const delayS = bars === undefined ? 1 : 0;
  const found = spacedOrigins(timesUs, horizonMs / MS_PER_S + delayS, { minTicks: count });
  if (found.length <= most) return found;
  return Int32Array.from({ length: most }, (_, i) => found[Math.floor((i * found.length) / most)]);
}

export type ReplayPlan = {
  readonly series: TickSeries;
  readonly origins: Int32Array;
  /** Ticks of each window. */
  readonly count: number;
  readonly horizonMs: number;
};

export type ReplayParts = {
  /** Forecasts of the windows that end at these ticks, or the failure of each; rejects with a Failure for all of them. */
  readonly ask: (origins: readonly number[], signal: AbortSignal) => Promise<readonly (Forecast | Failure)[]>;
  /** Resolves after a time, or rejects with the reason of the signal. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called after each batch, and with the time to the next try. */
  readonly onProgress: (progress: ReplayProgress) => void;
};

export type ReplayProgress = { readonly done: number; readonly of: number; readonly waitMs: number | null };

const isPassing = (failure: Failure): boolean => PASSING_STATUS.includes(failure.status);

/** Forecasts the windows of a series in batches. Bounded: two batches in flight; what the service asks to wait for is waited for. */
export class ReplayRun {
  readonly #plan: ReplayPlan;
  readonly #parts: ReplayParts;
  readonly #windows: (ReplayedWindow | undefined)[];
  readonly #ender = new AbortController();
  #done = 0;
  #resumed: Promise<void> | undefined;
  #resume: () => void = () => {};

  constructor(plan: ReplayPlan, parts: ReplayParts) {
    this.#plan = plan;
    this.#parts = parts;
    this.#windows = new Array<ReplayedWindow | undefined>(plan.origins.length);
  }

  /** Those answered so far, in the order of time. */
  get windows(): readonly ReplayedWindow[] {
    return this.#windows.filter((window) => window !== undefined);
  }

  /** Batches in flight still come in. */
  pause(): void {
    this.#resumed ??= new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#resumed = undefined;
    this.#resume();
  }

  stop(): void {
    this.#ender.abort(new Error('stopped'));
    this.resume();
  }

  /** Resolves to whether all windows were answered; false: it was stopped. @throws Failure that does not pass by itself */
  async run(): Promise<boolean> {
    const { origins, count } = this.#plan;
    const size = Math.max(1, Math.min(BATCH_ITEMS, Math.floor(BATCH_TICKS / count)));
    const places = Array.from(origins.keys());
    const groups = Array.from({ length: Math.ceil(places.length / size) }, (_, i) => places.slice(i * size, (i + 1) * size)).values();
    const { signal } = this.#ender;
    const work = async (): Promise<void> => {
      for (const group of groups) {
        await this.#resumed;
        signal.throwIfAborted();
        await this.#answer(group, 0);
      }
    };
    try {
      await Promise.all(Array.from({ length: IN_FLIGHT }, work));
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#ender.abort(error);
      throw error;
    }
  }

  async #answer(places: readonly number[], waits: number): Promise<void> {
    const { signal } = this.#ender;
    const { series, origins, horizonMs } = this.#plan;
    let passing: { readonly place: number; readonly failure: Failure }[] = [];
    try {
      const results = await this.#parts.ask(
        places.map((place) => origins[place]),
        signal,
      );
      for (const [at, place] of places.entries()) {
        const result = results[at];
        const origin = origins[place];
        if (result instanceof Failure && isPassing(result)) passing.push({ place, failure: result });
        else if (result === undefined || result instanceof Failure) this.#windows[place] = refusedWindow(series, origin);
        else this.#windows[place] = windowOf(series, origin, horizonMs, result);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure) || !isPassing(error)) throw error;
      passing = places.map((place) => ({ place, failure: error }));
    }
    this.#done += places.length - passing.length;
    this.#tell(null);
    if (passing.length === 0) return;
    // A batch of which some were answered made progress: the count of waits begins again.
    const again = passing.length < places.length ? 0 : waits;
    if (again >= MOST_WAITS) throw passing[0].failure;
    const askedS = Math.max(...passing.map(({ failure }) => failure.retryAfterS ?? 0));
    const waitMs = askedS > 0 ? askedS * 1000 : Math.min(FIRST_WAIT_MS * 2 ** again, LONGEST_WAIT_MS);
    this.#tell(waitMs);
    await this.#parts.wait(waitMs, signal);
    this.#tell(null);
    await this.#resumed;
    await this.#answer(
      passing.map(({ place }) => place),
      again + 1,
    );
  }

  #tell(waitMs: number | null): void {
    this.#parts.onProgress({ done: this.#done, of: this.#windows.length, waitMs });
  }
}
