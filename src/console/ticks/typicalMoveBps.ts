import { ENTRY_DELAY_US } from './labelOutcome.ts';
import { US_PER_MS } from './TickSeries.ts';

/** Mean absolute value of a standard normal variable. */
const MEAN_ABSOLUTE = Math.sqrt(2 / Math.PI);

/** Mean size of a move from the entry to the future time if prices diffuse at this volatility. @param volatility basis points per √s */
export function typicalMoveBps(volatility: number, horizonMs: number): number {
  const seconds = Math.max(0, horizonMs - ENTRY_DELAY_US / US_PER_MS) / 1000;
  return volatility * Math.sqrt(seconds) * MEAN_ABSOLUTE;
}
