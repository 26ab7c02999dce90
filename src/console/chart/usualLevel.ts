import { MAX_TICKS, type TickSeries } from '../ticks/TickSeries.ts';

/** A price that traders ask about without being asked: the highest of the last ticks, or where that is the present one, the lowest. Null: the price is constant. */
export function usualLevel({ prices }: Pick<TickSeries, 'prices'>): number | null {
  const last = prices.at(-1)!;
  const shown = prices.subarray(-MAX_TICKS);
  const found = [shown.reduce((a, b) => Math.max(a, b)), shown.reduce((a, b) => Math.min(a, b))].find((price) => price !== last);
  return found ?? null;
}
