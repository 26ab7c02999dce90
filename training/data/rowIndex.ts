import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import type { PlanBlock } from './RowPlan.ts';
import type { RowSet } from './RowSet.ts';

/** The key of a row, unique in its set. */
const placeOf = (source: number, originUs: number, horizonMs: number, barS: number): string => `${source}/${originUs}/${horizonMs}/${barS}`;

/** Finds the row of a planned window; windows that could not be used have no row. */
export function rowIndex(rows: RowSet): Map<string, number> {
  const places = new Map<string, number>();
  for (let row = 0; row < rows.count; row++) {
    const horizonMs = Math.round((rows.horizonS[row] as number) * 1000);
    places.set(placeOf(rows.instrument[row] as number, rows.originUs[row] as number, horizonMs, rows.barS[row] as number), row);
  }
  return places;
}

/** The key of the row of a planned window. */
export function placeOfWindow({ timesUs }: TickSeries, block: PlanBlock, window: number): string {
  const originUs = Math.floor((timesUs[block.origin[window] as number] as number) / 1000) * 1000;
  return placeOf(block.source, originUs, horizonMsOf(block, window), block.barS);
}

/** Horizon of a planned window in whole milliseconds, as in a request. */
export function horizonMsOf({ horizonS }: PlanBlock, window: number): number {
  return Math.floor((horizonS[window] as number) * 1000 + 1e-6);
}
