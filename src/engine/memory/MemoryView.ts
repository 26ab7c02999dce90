import type { ClockValues } from './ClockProfile.ts';
import type { Outcomes } from './Outcomes.ts';
import type { OwnWeights } from './OwnWeights.ts';
import type { RangeOutcomes } from './ranges.ts';
import type { RecentMinutes } from './RecentMinutes.ts';
import type { TouchOutcomes } from './TouchOutcomes.ts';

/** What a memory knows at its last tick about one horizon. It stays as it is when ticks follow. */
export type MemoryView = {
  /** Of the bars; 0: ticks. */
  readonly periodMs: number;
  /** Time of the last tick. */
  readonly originMs: number;
  readonly horizonMs: number;
  /** Time of the first tick. */
  readonly sinceMs: number;
  /** Version whose probabilities are compared with outcomes. */
  readonly version: number;
  readonly outcomes: Outcomes;
  readonly ranges: RangeOutcomes;
  readonly touches: TouchOutcomes;
  /** Weights that the series has learned; null: its clock is doubted. */
  readonly own: OwnWeights | null;
  /** As in RecentMinutes. */
  readonly squares: ReturnType<RecentMinutes['meanSquares']>;
  /** Profile of the clock: days seen, and its mean over the horizon ahead, over the last hour, and of a day; null: it knows no earlier day. */
  readonly profile: ReturnType<RecentMinutes['profile']['at']>;
  /** The whole profile, for bars that know an earlier day. */
  readonly clock?: ClockValues | undefined;
  /** Why the timestamps of the bars are not what they were read as; absent: nothing says so. */
  readonly barTimeDoubt?: string | undefined;
  /** Horizon of the moves: the nearest one that is kept. */
  readonly movesMs: number;
  /** Their sizes, log price, oldest first. */
  readonly moves: Float64Array;
};
