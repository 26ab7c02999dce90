import { USUAL_TICKS } from './TickSeries.ts';

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
