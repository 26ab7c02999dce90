import type { MarketAnswer } from '../../contract/markets.ts';
import { alertDue } from '../../engine/live/alertDue.ts';
import { parseTimestamp } from '../ticks/timeText.ts';
import type { MarketsParts } from './Markets.ts';

/** Tells the page of the forecasts that the rules of their markets want, as the service tells its targets. */
export class MarketAlerts {
  readonly #onAlert: MarketsParts['onAlert'];
  /** Number of the last forecast that was looked at, by market and horizon. */
  readonly #seen = new Map<string, number>();
  readonly #sentMs = new Map<string, number>();

  constructor(onAlert: MarketsParts['onAlert']) {
    this.#onAlert = onAlert;
  }

  /** The markets as they are now. What was there at the first look is not told. */
  look(markets: readonly MarketAnswer[], nowMs: number): void {
    for (const { id, series, alert, cost_bps: costBps, forecasts } of markets)
      for (const { horizon, last } of forecasts) {
        const key = `${id} ${horizon}`;
        const before = this.#seen.get(key);
        this.#seen.set(key, last?.n ?? -1);
        if (last === null || before === undefined || last.n <= before || last.probability === null || last.min_move_bps === null) continue;
        const { probability, min_move_bps, future, marked: isMarked } = last;
        const [lastUs, futureUs] = [last.last_tick, future].map((stamp) => parseTimestamp(stamp) ?? 0) as [number, number];
        const forecast = { series, lastUs, futureUs, isMarked, probability, minMoveBps: min_move_bps };
        if (alertDue(alert ?? undefined, forecast, this.#sentMs.get(id), nowMs) === undefined) continue;
        this.#sentMs.set(id, nowMs);
        this.#onAlert(series, { id: horizon, min_move_bps, future, probability, isMarked }, costBps);
      }
  }
}
