import type { BarTime } from '../../core/barTime.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { ForecastCall, TickForecast } from '../forecast/Forecaster.ts';
import { SeriesMemory } from '../memory/SeriesMemory.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { LiveSeries, OutcomeBudget, type DueForecast, type ForecastPlan, type LiveOutcome } from './LiveSeries.ts';
import { ratedOf } from './ratedOf.ts';
import { seriesRequest } from './seriesRequest.ts';
import { SeriesRates } from './SeriesRates.ts';
import type { BarRange } from '../../ticks/TickWindow.ts';

/** As of a connection to the service. */
export const MOST_PENDING = 4096;
const MOST_IN_FLIGHT = 16;

export type DeskDeps = {
  readonly plans: readonly ForecastPlan[];
  readonly modelId: string | undefined;
  /** Whether the version uses one-minute closes from before a window. */
  readonly usesCloses?: boolean;
  /** Whether the version uses what a series has said before. Nothing of it is kept. */
  readonly usesMemory?: boolean;
  /** The series are bars of this length, pushed at their ends; absent: ticks. */
  readonly barPeriodMs?: number | undefined;
  /** What their timestamps were before, to find a wrong one. */
  readonly barTime?: BarTime | undefined;
  forecast(request: TickRequest, call: ForecastCall): Promise<TickForecast>;
  onForecast(series: string, due: DueForecast, forecast: TickForecast): void;
  onOutcome(series: string, outcome: LiveOutcome): void;
};

type DeskScores = { readonly series: string; readonly scores: ReturnType<LiveSeries['scores']> }[];

/** Live series without a service: one for each name, whose forecasts are computed here, a few at a time. */
export class LiveDesk {
  readonly #deps: DeskDeps;
  readonly #series = new Map<string, LiveSeries>();
  readonly #rates = new SeriesRates();
  readonly #running = new Set<Promise<void>>();
  /** Forecasts that were refused, by code: one whose window has no spread while its threshold is `cost`. */
  readonly skipped: Record<string, number> = {};
  #error: { readonly cause: unknown } | undefined;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  /** The next tick of a series, which the first one opens, with the spread of its quote or the range of its bar if it has one. Wait for `untilFree` before it if `isBusy`. */
  push(name: string, timeUs: number, price: number, spreadBps?: number, range?: BarRange): void {
    this.open(name).push(timeUs, price, spreadBps, range);
  }

  /** Opens a series before its first tick, so that it has scores. */
  open(name: string): LiveSeries {
    const series = this.#series.get(name) ?? this.#open(name);
    this.#series.set(name, series);
    return series;
  }

  get isFull(): boolean {
    return this.#running.size >= MOST_IN_FLIGHT;
  }

  /** Whether a tick has to wait: too many forecasts run, or one whose outcome the tick shows. */
  isBusy(name: string, timeUs: number): boolean {
    return this.isFull || this.#series.get(name)?.isOwed(timeUs) === true;
  }

  /** Resolves when there is room for another forecast, and for a tick. Throws what a forecast threw. */
  async untilFree(tick?: { readonly name: string; readonly timeUs: number }): Promise<void> {
    while (this.isFull || (tick !== undefined && this.#error === undefined && this.isBusy(tick.name, tick.timeUs)))
      await Promise.race(this.#running);
    if (this.#error !== undefined) throw this.#error.cause;
  }

  /** Waits for the forecasts that run. Throws what a forecast threw. */
  async scores(): Promise<DeskScores> {
    await Promise.all(this.#running);
    await this.untilFree();
    return this.#scores();
  }

  /** Ends a series, whose forecasts without outcome count as unscored: nothing of it is kept. Undefined: there is none. */
  async closeSeries(name: string): Promise<DeskScores[number] | undefined> {
    const series = this.#series.get(name);
    if (series === undefined) return undefined;
    await this.scores();
    series.close();
    this.#series.delete(name);
    return { series: name, scores: series.scores() };
  }

  /** The same of all, at the end: forecasts without outcome count as unscored. */
  async close(): Promise<DeskScores> {
    await this.scores();
    for (const series of this.#series.values()) series.close();
    return this.#scores();
  }

  #scores(): DeskScores {
    return [...this.#series].map(([name, series]) => ({ series: name, scores: series.scores() }));
  }

  #open(name: string): LiveSeries {
    const { plans, modelId, usesCloses = false, usesMemory = false, barPeriodMs, barTime, forecast, onForecast, onOutcome } = this.#deps;
    const compute = async (due: DueForecast): Promise<void> => {
      const { plan, window, futureUs } = due;
      const request = seriesRequest(series, window, futureUs, usesCloses);
      const rated = ratedOf(this.#rates, { accountId: '', series: name }, request, plan.options);
      const options = {
        ...plan.options,
        ...rated.options,
        ...(modelId === undefined ? {} : { model: modelId }),
        ...(due.memory === undefined ? {} : { memory: due.memory }),
      };
      try {
        const computed = await forecast(request, options);
        rated.add(computed);
        onForecast(name, due, computed);
        series.answer(due, computed);
      } catch (cause) {
        series.drop(due);
        if (cause instanceof ServiceError && cause.code === 'request.invalid')
          this.skipped[cause.code] = (this.skipped[cause.code] ?? 0) + 1;
        else this.#error ??= { cause };
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
      {
        memory: usesMemory ? new SeriesMemory(barPeriodMs) : undefined,
        bars: barPeriodMs === undefined ? undefined : { periodMs: barPeriodMs, ...(barTime === undefined ? {} : { barTime }) },
      },
    );
    return series;
  }
}
