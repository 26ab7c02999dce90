import { setMaxListeners } from 'node:events';
import type { Caller } from '../../accounts/limits/RateLimit.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import type { ForecastCall, TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../ticks/parseTickRequest.ts';
import { publicError } from '../failures.ts';
import { LIVE_CODES, type LiveShared } from './LiveShared.ts';

/** Computes the forecasts of one connection as requests are computed: by the admission queue, within the limits of the key and its account. */
export class LiveForecasts {
  readonly #shared: LiveShared;
  readonly #caller: Caller;
  readonly #gone = new AbortController();

  constructor(shared: LiveShared, caller: Caller) {
    this.#shared = shared;
    this.#caller = caller;
    // Each queued forecast listens.
    setMaxListeners(0, this.#gone.signal);
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

  /** The code of a forecast that was not made; it is counted and logged. */
  failed(thrown: unknown): string {
    const error = publicError(thrown, LIVE_CODES);
    this.#shared.deps.onProblem(error.code);
    if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live forecast failed', { error: thrown });
    return error.code;
  }

  close(): void {
    this.#gone.abort(new ServiceError('inference.overloaded', 'The connection was closed.'));
  }
}
