import { seededRandom } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

export type WalkOptions = {
  readonly seed: number;
  readonly count: number;
  readonly meanGapMs?: number;
  /** Price steps of one tick move: uniform in -maxSteps..maxSteps. */
  readonly maxSteps?: number;
  /** Fraction of ticks with the timestamp of the previous tick. */
  readonly equalTimestampFraction?: number;
  readonly startUs?: number;
};

const STEPS_PER_UNIT = 1e5;

/**
 * A bounded lattice walk with geometrically distributed gaps, in integer arithmetic only, so that it is identical on every platform.
 * Timestamps are whole milliseconds.
 */
export function walkTicks(options: WalkOptions): TickSeries {
  const {
    seed,
    count,
    meanGapMs = 400,
    maxSteps = 3,
    equalTimestampFraction = 0.1,
    startUs = Date.UTC(2024, 2, 5, 9, 30) * 1000,
  } = options;
  const random = seededRandom(seed);
  const timesUs = new Float64Array(count);
  const prices = new Float64Array(count);
  let timeUs = startUs;
  let steps = 138_000;
  for (let i = 0; i < count; i++) {
    if (i > 0 && random.uniform() >= equalTimestampFraction)
      timeUs += 1000 * (1 + random.integer(meanGapMs) + (random.integer(8) === 0 ? 4 * meanGapMs : 0));
    steps += random.integer(2 * maxSteps + 1) - maxSteps;
    timesUs[i] = timeUs;
    prices[i] = steps / STEPS_PER_UNIT;
  }
  return { timesUs, prices };
}

export function lastUs(series: TickSeries): number {
  return series.timesUs.at(-1)!;
}
