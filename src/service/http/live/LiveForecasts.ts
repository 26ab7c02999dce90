import { setMaxListeners } from 'node:events';
import type { WebSocket } from 'ws';
import { SLOW_CONSUMER } from '../../../contract/live.ts';
import type { Caller } from '../../accounts/limits/RateLimit.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { ForecastCall, TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../ticks/parseTickRequest.ts';
import { publicError } from '../failures.ts';
import { LIVE_CODES, type LiveShared } from './LiveShared.ts';

/** Forecasts of one connection that may be in flight or queued; the connection is not read while it has as many. */
const MOST_IN_FLIGHT = 16;
/** Above this number of unsent bytes, forecasts are skipped. */
const SLOW_BYTES = 1024 * 1024;
/** Skipped forecasts are reported together. */
const STATUS_MS = 1000;

/** Computes the forecasts of one connection as requests are computed: by the admission queue, within the limits of the key and its account. */
export class LiveForecasts {
  readonly #shared: LiveShared;
  readonly #socket: Pick<WebSocket, 'bufferedAmount'>;
  readonly #caller: Caller;
  readonly #gone = new AbortController();
  readonly #report: (skipped: Readonly<Record<string, number>>) => void;
  readonly #skipped = new Map<string, number>();
  #cancelReport: (() => void) | undefined;
  #inFlight = 0;
  #wake: (() => void) | undefined;

  /** `report` gets the number of skipped forecasts by reason, once a second and before each score. */
  constructor(
    shared: LiveShared,
    socket: Pick<WebSocket, 'bufferedAmount'>,
    caller: Caller,
    report: (skipped: Readonly<Record<string, number>>) => void,
  ) {
    this.#shared = shared;
    this.#socket = socket;
    this.#caller = caller;
    this.#report = report;
    // Each queued forecast listens.
    setMaxListeners(0, this.#gone.signal);
  }

  get isFull(): boolean {
    return this.#inFlight >= MOST_IN_FLIGHT;
  }

  /** Resolves when there is room for another forecast. One caller at a time. */
  async untilFree(): Promise<void> {
    while (this.isFull && !this.#gone.signal.aborted) await this.#untilNext();
  }

  /** Resolves when none is in flight. */
  async untilIdle(): Promise<void> {
    while (this.#inFlight > 0 && !this.#gone.signal.aborted) await this.#untilNext();
  }

  /** Runs a forecast that fell due; one that cannot be computed is dropped, and counted as skipped. */
  async run(request: TickRequest, wanted: ForecastCall, use: (forecast: TickForecast) => void, drop: () => void): Promise<void> {
    if (this.#socket.bufferedAmount > SLOW_BYTES) {
      drop();
      this.#skip(SLOW_CONSUMER);
      return;
    }
    this.#inFlight++;
    try {
      use(await this.compute(request, wanted));
      this.#shared.deps.onLive?.('computed');
    } catch (thrown) {
      drop();
      if (this.#gone.signal.aborted) return;
      const error = publicError(thrown, LIVE_CODES);
      this.#shared.deps.onProblem(error.code);
      if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live forecast failed', { error: thrown });
      this.#skip(error.code);
    } finally {
      this.#inFlight--;
      this.#notify();
    }
  }

  /** Throws the errors of POST /auth/ti-tick. */
  async compute(request: TickRequest, wanted: ForecastCall): Promise<TickForecast> {
    const { admission, deps, loopDelay, options, parts } = this.#shared;
    const { forecast, limits } = parts();
    const deadlineMs = deps.clock.monotonicMs() - loopDelay.delayMs + options.forecastDeadlineMs;
    await admission.enter({ owner: this.#caller.keyId, deadlineMs, signal: this.#gone.signal });
    try {
      const permit = await limits.forecasts.take(this.#caller);
      try {
        const computed = await forecast(request, { deadlineMs, parseMs: 0, ...wanted });
        if (computed.stagesMs !== null) deps.onForecast(computed.stagesMs);
        return computed;
      } catch (error) {
        await permit.giveBack();
        throw error;
      }
    } finally {
      admission.leave();
    }
  }

  /** Reports what was skipped since the last report now, so that a score is not sent before the forecasts that it lacks are known. */
  reportSkipped(): void {
    this.#cancelReport?.();
    this.#cancelReport = undefined;
    if (this.#skipped.size === 0) return;
    const skipped = Object.fromEntries(this.#skipped);
    this.#skipped.clear();
    this.#report(skipped);
  }

  close(): void {
    this.#cancelReport?.();
    this.#gone.abort(new ServiceError('inference.overloaded', 'The connection was closed.'));
    this.#notify();
  }

  /** Resolves when a forecast has ended. */
  #untilNext(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #skip(reason: string): void {
    this.#shared.deps.onLive?.('skipped');
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
    this.#cancelReport ??= this.#shared.deps.clock.after(STATUS_MS, () => this.reportSkipped());
  }
}
