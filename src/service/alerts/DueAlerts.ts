import { FairMap } from '../../core/FairMap.ts';
import { type AlertCause, alertDue, type AlertForecast } from '../../engine/live/alertDue.ts';
import type { Webhook } from './Webhook.ts';

/** Series of which it is known what was told, and forecasts of each that have no outcome yet. */
const MOST_SERIES = 20_000;
const MOST_OPEN = 64;

/** What one target was told of one series. */
type Told = { readonly sentMs: number; readonly open: readonly string[] };

const idOf = ({ lastUs, futureUs, minMoveBps }: AlertForecast): string => `${lastUs} ${futureUs} ${minMoveBps}`;

/** Which targets are told of a forecast now, and of what came true after it. What was told is kept in memory: a restart forgets it. */
export class DueAlerts {
  readonly #told = new FairMap<Told>(MOST_SERIES);

  /** Why a target is told; undefined: it is not. */
  ofForecast(accountId: string, { id, rule }: Webhook, forecast: AlertForecast, nowMs: number): AlertCause | undefined {
    const key = `${id} ${forecast.series}`;
    const told = this.#told.get(accountId, key);
    const cause = alertDue(rule, forecast, told?.sentMs, nowMs);
    if (cause === undefined || rule === undefined) return cause;
    const open = [...(told?.open ?? []), idOf(forecast)].slice(-MOST_OPEN);
    this.#told.set(accountId, key, { sentMs: nowMs, open });
    return cause;
  }

  /** Whether a target is told of the outcome: it was of the forecast. */
  ofOutcome(accountId: string, { id, rule }: Webhook, forecast: AlertForecast): boolean {
    if (rule === undefined) return forecast.isMarked;
    const key = `${id} ${forecast.series}`;
    const told = this.#told.get(accountId, key);
    const of = idOf(forecast);
    if (told?.open.includes(of) !== true) return false;
    this.#told.set(accountId, key, { ...told, open: told.open.filter((one) => one !== of) });
    return true;
  }
}
