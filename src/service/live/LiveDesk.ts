import type { ForecastOptions, TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { LiveSeries, OutcomeBudget, type DueForecast, type ForecastPlan, type LiveOutcome } from './LiveSeries.ts';
import { ratedOf } from './ratedOf.ts';
import type { Tally } from './score.ts';
import { seriesRequest } from './seriesRequest.ts';
import { SeriesRates } from './SeriesRates.ts';

/** As of a connection to the service. */
const MOST_PENDING = 4096;
const MOST_IN_FLIGHT = 16;

export type DeskDeps = {
  readonly plans: readonly ForecastPlan[];
  readonly modelId: string | undefined;
  /** Whether the version uses one-minute closes from before a window. */
  readonly usesCloses?: boolean;
  forecast(request: TickRequest, options: ForecastOptions): Promise<TickForecast>;
  onForecast(series: string, due: DueForecast, forecast: TickForecast): void;
  onOutcome(series: string, outcome: LiveOutcome): void;
};

/** Live series without a service: one for each name, whose forecasts are computed here, a few at a time. */
export class LiveDesk {
  readonly #deps: DeskDeps;
  readonly #series = new Map<string, LiveSeries>();
  readonly #rates = new SeriesRates();
  readonly #running = new Set<Promise<void>>();
  #error: { readonly cause: unknown } | undefined;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** The next tick of a series, which the first one opens, with the spread of its quote if it has one. Wait for `untilFree` before the next call if `isFull`. */
  push(name: string, timeUs: number, price: number, spreadBps?: number): void {
    let series = this.#series.get(name);
    if (series === undefined) this.#series.set(name, (series = this.#open(name)));
    series.push(timeUs, price, spreadBps);
  }

  get isFull(): boolean {
    return this.#running.size >= MOST_IN_FLIGHT;
  }

  /** Resolves when there is room for another forecast. Throws what a forecast threw. */
  async untilFree(): Promise<void> {
    while (this.isFull) await Promise.race(this.#running);
    if (this.#error !== undefined) throw this.#error.cause;
  }

  /** Waits for the forecasts that run, and counts those without outcome as unscored. Throws what a forecast threw. */
  async close(): Promise<
    { readonly series: string; readonly scores: readonly { readonly plan: ForecastPlan; readonly tally: Tally }[] }[]
  > {
    await Promise.all(this.#running);
    await this.untilFree();
    return [...this.#series].map(([name, series]) => {
      series.close();
      return { series: name, scores: series.scores() };
    });
  }

  #open(name: string): LiveSeries {
    const { plans, modelId, usesCloses = false, forecast, onForecast, onOutcome } = this.#deps;
    const compute = async (due: DueForecast): Promise<void> => {
      const { plan, window, futureUs } = due;
      const rated = ratedOf(this.#rates, { accountId: '', series: name }, { series: window, futureUs }, plan);
      const options = {
        ...(modelId === undefined ? {} : { modelId }),
        ...(plan.minMoveBps === null ? {} : { minMoveBps: plan.minMoveBps }),
        ...(plan.minProbability === undefined ? {} : { minProbability: plan.minProbability }),
        ...rated.options,
      };
      try {
        const computed = await forecast(seriesRequest(series, window, futureUs, usesCloses), options);
        rated.add(computed);
        onForecast(name, due, computed);
        series.answer(due, computed);
      } catch (cause) {
        this.#error ??= { cause };
      }
    };
    const series = new LiveSeries(
      plans,
      {
        due: (due) => {
          const run: Promise<void> = compute(due).finally(() => this.#running.delete(run));
          this.#running.add(run);
        },
        outcome: (outcome) => onOutcome(name, outcome),
        tally: () => {},
      },
      new OutcomeBudget(MOST_PENDING),
    );
    return series;
  }
}
