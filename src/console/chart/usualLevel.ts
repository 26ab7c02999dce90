import type { TickSeries } from '../ticks/TickSeries.ts';

/** A price that traders ask about without being asked: the highest of the window, or where that is the present one, the lowest. Null: the price is constant. */
export function usualLevel({ prices }: Pick<TickSeries, 'prices'>): number | null {
  const last = prices.at(-1)!;
  const found = [prices.reduce((a, b) => Math.max(a, b)), prices.reduce((a, b) => Math.min(a, b))].find((price) => price !== last);
  return found ?? null;
}
