import { MINUTES_PER_DAY } from '../../src/engine/features/MarketClock.ts';
import type { LearnedMarket } from './learnWeeks.ts';

const STEP_MINUTES = 30;
/** Standard normal quantile of 0.95: two sides of 90 %. */
const Z_95 = 1.6448536269514722;

/** Half an hour of the day, by the clock of the market. */
export type ProfileTime = {
  /** Start, minutes after midnight. */
  readonly minute: number;
  /** Mean of the learned profile; 1 is a usual minute. */
  readonly shape: number;
  /** Mean over days of the moves of this half hour, each day divided by its own level, with a 90 % interval; NaN without days. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Number of days with open minutes in it. */
  readonly days: number;
};

/** The profile of a market by half hours, for the report. */
export function profileTimes({ history, profile: { shape } }: Pick<LearnedMarket, 'history' | 'profile'>): ProfileTime[] {
  const steps = MINUTES_PER_DAY / STEP_MINUTES;
  const values = Array.from({ length: steps }, () => [] as number[]);
  for (const { minute, size } of history.days) {
    const moved = new Float64Array(steps);
    const open = new Float64Array(steps);
    let expected = 0;
    let total = 0;
    minute.forEach((of, i) => {
      const step = Math.floor(of / STEP_MINUTES);
      moved[step]! += size[i]!;
      open[step]! += 1;
      expected += shape[of]!;
      total += size[i]!;
    });
    if (total > 0) open.forEach((count, step) => count > 0 && values[step]!.push(((moved[step]! / count) * expected) / total));
  }
  return values.map((ofDays, step) => {
    const mean = ofDays.reduce((sum, value) => sum + value, 0) / ofDays.length;
    const variance = ofDays.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (ofDays.length - 1);
    const error = Z_95 * Math.sqrt(variance / ofDays.length);
    const minutes = shape.subarray(step * STEP_MINUTES, (step + 1) * STEP_MINUTES);
    return {
      minute: step * STEP_MINUTES,
      shape: minutes.reduce((sum, value) => sum + value, 0) / STEP_MINUTES,
      mean,
      low: mean - error,
      high: mean + error,
      days: ofDays.length,
    };
  });
}
