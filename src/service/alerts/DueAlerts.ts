import { FairMap } from '../../core/FairMap.ts';
import { type AlertCause, alertDue, type AlertForecast } from '../../engine/live/alertDue.ts';
import type { Told, ToldTargets } from './ToldTargets.ts';
import type { Webhook } from './Webhook.ts';

/** Series of which it is known what was told, and forecasts of each that have no outcome yet. */
const MOST_SERIES = 20_000;
const MOST_OPEN = 64;

/** `told`: of its series, where its owner keeps it over a restart. */
type DueForecast = AlertForecast & { readonly told?: ToldTargets | undefined };

const idOf = ({ lastUs, futureUs, minMoveBps }: AlertForecast): string => `${lastUs} ${futureUs} ${minMoveBps}`;

/** Which targets are told of a forecast now, and of what came true after it. What was told is kept in memory, where the forecast brings no place for it. */
export class DueAlerts {
  readonly #told = new FairMap<Told>(MOST_SERIES);

  /** Why a target is told; undefined: it is not. */
  ofForecast(accountId: string, { id, rule }: Webhook, forecast: DueForecast, nowMs: number): AlertCause | undefined {
    const told = this.#toldOf(accountId, id, forecast);
    const cause = alertDue(rule, forecast, told?.sentMs, nowMs);
    if (cause === undefined || rule === undefined) return cause;
    const open = [...(told?.open ?? []), idOf(forecast)].slice(-MOST_OPEN);
    this.#keep(accountId, id, forecast, { sentMs: nowMs, open });
    return cause;
  }

  /** Whether a target is told of the outcome: it was of the forecast. */
  ofOutcome(accountId: string, { id, rule }: Webhook, forecast: DueForecast): boolean {
    if (rule === undefined) return forecast.isMarked;
    const told = this.#toldOf(accountId, id, forecast);
    const of = idOf(forecast);
    if (told?.open.includes(of) !== true) return false;
    this.#keep(accountId, id, forecast, { ...told, open: told.open.filter((one) => one !== of) });
    return true;
  }

  #toldOf(accountId: string, id: string, { series, told }: DueForecast): Told | undefined {
    return told === undefined ? this.#told.get(accountId, `${id} ${series}`) : told.get(id);
  }

  #keep(accountId: string, id: string, { series, told }: DueForecast, now: Told): void {
    if (told === undefined) this.#told.set(accountId, `${id} ${series}`, now);
    else told.set(id, now);
  }
}
