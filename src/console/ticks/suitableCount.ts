import { MOST_HORIZON_TO_WINDOW } from '../../engine/model/suitableTicks.ts';
import { firstAtOrAfter } from '../../ticks/searchTimes.ts';
import { MAX_TICKS, US_PER_MS, USUAL_TICKS, MS_PER_S } from './TickSeries.ts';
import { BAR_PERIODS_MS, LEAST_BAR_PERIODS } from '../../engine/model/BarModel.ts';

/** Number of ticks that suits each horizon, shortest horizons first; `upToS` null: no limit. */
export type WindowTicks = readonly { readonly upToS: number | null; readonly ticks: number }[];

/**
 * The number of ticks that suits a horizon. The usual one if nothing is known, or if `rows` ticks are less than twice as many: there would
 * be too few windows to walk through.
 */
export function suitableCount(windowTicks: WindowTicks, horizonMs: number | null, rows: number): number {
  const found = windowTicks.find(({ upToS }) => horizonMs !== null && (upToS === null || horizonMs <= upToS * 1000));
  return found === undefined || rows < 2 * found.ticks ? USUAL_TICKS : found.ticks;
}

/**
 * As many ticks, or more where the last ones are so dense that they cover too short a time for the horizon: twice what the model asks for, because
 * other windows of the file are denser.
 */
export function coveringCount(count: number, timesUs: Float64Array, horizonMs: number | null): number {
  if (horizonMs === null) return count;
  const fromUs = timesUs.at(-1)! - (2 * horizonMs * US_PER_MS) / MOST_HORIZON_TO_WINDOW;
  return Math.max(count, Math.min(MAX_TICKS, timesUs.length - firstAtOrAfter(timesUs, fromUs)));
}

/** Horizons that bars of this length have; none: there is no forecast from them. */
export const barHorizonsS = (periodMs: number): readonly number[] =>
  periodMs < BAR_PERIODS_MS[0] || periodMs > BAR_PERIODS_MS[1]
    ? []
    : [60, 300, 1800, 7200].filter((horizonS) => horizonS * MS_PER_S >= LEAST_BAR_PERIODS * periodMs);
