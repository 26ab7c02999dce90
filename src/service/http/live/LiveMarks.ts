import type { TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { ForecastEvents, SeriesForecast } from '../../live/ForecastEvents.ts';
import { medianSpreadBps } from '../../../ticks/tickColumns.ts';
import type { DueForecast, LiveOutcome } from '../../../engine/live/LiveSeries.ts';

/** Reports the forecasts of one live series that concern alerts, and their outcomes. It keeps one until its outcome is known; the series bounds their number. */
export class LiveMarks {
  readonly #accountId: string;
  readonly #series: string;
  readonly #events: ForecastEvents;
  readonly #pending = new Map<string, SeriesForecast>();

  constructor(accountId: string, series: string, events: ForecastEvents) {
    this.#accountId = accountId;
    this.#series = series;
    this.#events = events;
  }

  /** Before the series gets the answer, which may settle it. */
  answered({ plan, n, window, futureUs }: DueForecast, { mark, summary, outlook }: TickForecast): void {
    const { model, probability, minMoveBps } = summary;
    const of = { accountId: this.#accountId, series: this.#series, isMarked: mark === 1, futureUs };
    if (probability === null || minMoveBps === null || !this.#events.wants(of)) return;
    const forecast = {
      ...{ ...of, model, probability, minMoveBps },
      ...{ lastUs: window.timesUs.at(-1)!, lastPrice: window.prices.at(-1)! },
      ownThreshold: plan.options.minMoveBps !== undefined,
      costBps: (window.spreadsBps && medianSpreadBps(window.spreadsBps)) ?? null,
      touch: outlook?.touch?.levels,
    };
    this.#pending.set(`${plan.id} ${n}`, forecast);
    this.#events.made(forecast);
  }

  settled({ plan, n, moved, moveBps }: LiveOutcome): void {
    const key = `${plan.id} ${n}`;
    const forecast = this.#pending.get(key);
    this.#pending.delete(key);
    if (forecast !== undefined && moved !== null && moveBps !== null) this.#events.settled(forecast, { moved, moveBps });
  }
}
