import type { AlertRule } from '../../contract/alertRule.ts';
import { parseDurationMs } from '../../contract/duration.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Of a touch, if the rule names no probability. */
const LIKELY = 0.5;

/** What a rule looks at. */
export type AlertForecast = {
  readonly series: string;
  /** Microseconds. */
  readonly lastUs: number;
  readonly futureUs: number;
  readonly isMarked: boolean;
  /** Of a move of more than the threshold, basis points. */
  readonly probability: number;
  readonly minMoveBps: number;
  /** The prices that were asked about; null: unknown. */
  readonly touch?: readonly { readonly price: number; readonly probability: number | null }[] | undefined;
};

/** Why an alert is due: the move is likely, or the price of the rule is likely to be reached. */
export type AlertCause = 'move' | 'touch';

/**
 * Whether a forecast is told now; undefined: it is not. Without a rule, each mark is. `lastSentMs`: of the last alert of the series by this
 * rule; undefined: there was none.
 */
export function alertDue(
  rule: AlertRule | undefined,
  forecast: AlertForecast,
  lastSentMs: number | undefined,
  nowMs: number,
): AlertCause | undefined {
  // Ticks of the past that are sent later, such as the history before a live series, tell nothing about the future.
  if (forecast.futureUs / 1000 <= nowMs) return undefined;
  if (rule === undefined) return forecast.isMarked ? 'move' : undefined;
  const { series, horizon, pause_minutes: pause = 0, quiet_hours: quiet } = rule;
  if (series !== undefined && series !== forecast.series) return undefined;
  if (horizon !== undefined && parseDurationMs(horizon) !== (forecast.futureUs - forecast.lastUs) / 1000) return undefined;
  // A clock that was set back ends the pause.
  const sinceMs = nowMs - (lastSentMs ?? -Infinity);
  if (sinceMs >= 0 && sinceMs < pause * MINUTE_MS) return undefined;
  if (quiet !== undefined && isQuiet(quiet, nowMs)) return undefined;
  return isLikely(rule, forecast) ? (rule.touch === undefined ? 'move' : 'touch') : undefined;
}

/** From the first time up to, not including, the second one; the same time twice: all day. */
function isQuiet(hours: string, nowMs: number): boolean {
  const minute = Math.floor(nowMs / MINUTE_MS) % DAY_MINUTES;
  const [begin = 0, end = 0] = hours.split('-').map((time) => 60 * Number(time.slice(0, 2)) + Number(time.slice(3)));
  return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
}

function isLikely({ min_probability: least, min_move_bps: cost = 0, touch: wanted }: AlertRule, forecast: AlertForecast): boolean {
  const { minMoveBps, isMarked, probability, touch = [] } = forecast;
  if (wanted !== undefined) return touch.some(({ price, probability: of }) => price === wanted && (of ?? 0) >= (least ?? LIKELY));
  return minMoveBps >= cost && (least === undefined ? isMarked : probability >= least);
}
