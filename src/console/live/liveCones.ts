import { CONE_LEVELS } from '../chart/ranges.ts';
import { BPS_PER_UNIT, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { ForecastLog, LoggedForecast } from './ForecastLog.ts';

/** A range of a forecast as it is drawn. Times in milliseconds, `move` as log return. */
export type LiveCone = {
  readonly level: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly price: number;
  readonly move: number;
  /** Whether the price was within the range at the future time; null: not known yet. */
  readonly isHeld: boolean | null;
};

const WIDEST = CONE_LEVELS.at(-1);
const msOf = (stamp: string): number => Date.parse(`${stamp.replace(' ', 'T')}Z`);

function conesOf({ timesUs, prices }: TickSeries, { message, tick, outcome }: LoggedForecast): LiveCone[] {
  const [fromMs, toMs, moved] = [timesUs[tick]! / US_PER_MS, msOf(message.future), outcome?.move_bps ?? null];
  return (message.range ?? []).flatMap(({ level, move_bps: bps }) =>
    bps === null
      ? []
      : [
          {
            ...{ level, fromMs, toMs },
            price: prices[tick]!,
            move: bps / BPS_PER_UNIT,
            isHeld: moved === null ? null : Math.abs(moved) <= bps,
          },
        ],
  );
}

/** The ranges of the last forecast of a horizon, widest first. */
export function latestCones(series: TickSeries, forecast: LoggedForecast | undefined): LiveCone[] {
  return forecast === undefined ? [] : conesOf(series, forecast).sort((a, b) => b.level - a.level);
}

/** The widest range of earlier forecasts of a horizon whose outcome is known, newest first: those that do not overlap, back to a tick. */
export function pastCones(series: TickSeries, { rows }: Pick<ForecastLog, 'rows'>, id: string, from: number): LiveCone[] {
  const cones: LiveCone[] = [];
  for (let at = rows.length - 1; at >= 0 && rows[at]!.tick >= from; at--) {
    const row = rows[at]!;
    if (row.message.id !== id || row.outcome === null) continue;
    const cone = conesOf(series, row).find(({ level, isHeld }) => level === WIDEST && isHeld !== null);
    if (cone !== undefined && cone.toMs <= (cones.at(-1)?.fromMs ?? Infinity)) cones.push(cone);
  }
  return cones;
}
