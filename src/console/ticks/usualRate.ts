import { lastAtOrBefore } from '../../ticks/searchTimes.ts';
import { labelOutcome } from './labelOutcome.ts';
import { ticksUpTo, US_PER_MS, type TickSeries } from './TickSeries.ts';

/** Fewer outcomes say nothing about what is usual. */
const LEAST_OUTCOMES = 20;
/** Stretches that are looked at, the newest first. */
const MOST_STRETCHES = 500;

/**
 * Fraction of the earlier stretches of a series, each as long as the horizon and one after the other, in which the price moved by more than
 * `minMoveBps`. Only ticks up to `origin` count, so that it is known when the forecast is made. Null with too few outcomes.
 */
export function usualRate(
  series: TickSeries,
  origin: number,
  horizonMs: number,
  minMoveBps: number,
  medianGapMs: number | null,
): number | null {
  const known = ticksUpTo(series, origin, origin + 1);
  let [outcomes, moves, at] = [0, 0, origin];
  for (let n = 0; n < MOST_STRETCHES && at > 0; n++) {
    at = lastAtOrBefore(known.timesUs, known.timesUs[at] - horizonMs * US_PER_MS);
    if (at < 0) break;
    const outcome = labelOutcome(known, at, horizonMs, medianGapMs);
    if (outcome.status === 'unknown') continue;
    outcomes++;
    if (Math.abs(outcome.moveBps) > minMoveBps) moves++;
  }
  return outcomes < LEAST_OUTCOMES ? null : moves / outcomes;
}
