import type { TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { ForecastEvents, MarkedForecast } from '../../live/ForecastEvents.ts';
import { medianSpreadBps } from '../../../ticks/tickColumns.ts';
import type { DueForecast, LiveOutcome } from '../../../engine/live/LiveSeries.ts';

/** Reports the marks of one live series, and their outcomes. It keeps a mark until its outcome is known; the series bounds their number. */
export class LiveMarks {
  readonly #accountId: string;
  readonly #series: string;
  readonly #events: ForecastEvents;
  readonly #pending = new Map<string, MarkedForecast>();

  constructor(accountId: string, series: string, events: ForecastEvents) {
    this.#accountId = accountId;
    this.#series = series;
    this.#events = events;
  }

  /** Before the series gets the answer, which may settle it. */
  answered({ plan, n, window, futureUs }: DueForecast, { mark, summary }: TickForecast): void {
    const { model, probability, minMoveBps } = summary;
    if (mark === null || probability === null || minMoveBps === null) return;
    const lastUs = window.timesUs.at(-1)!;
    const costBps = (window.spreadsBps && medianSpreadBps(window.spreadsBps)) ?? null;
    const ownThreshold = plan.options.minMoveBps !== undefined;
    const marked = {
      accountId: this.#accountId,
      series: this.#series,
      model,
      lastUs,
      futureUs,
      probability,
      minMoveBps,
      ownThreshold,
      costBps,
    };
    this.#pending.set(`${plan.id} ${n}`, marked);
    this.#events.marked(marked);
  }

  settled({ plan, n, moved, moveBps }: LiveOutcome): void {
    const key = `${plan.id} ${n}`;
    const marked = this.#pending.get(key);
    this.#pending.delete(key);
    if (marked !== undefined && moved !== null && moveBps !== null) this.#events.settled(marked, { moved, moveBps });
  }
}
