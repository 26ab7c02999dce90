import type { LiveScore } from '../../../clients/typescript/src/index.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import type { ForecastLog } from './ForecastLog.ts';
import type { LevelQuestion } from './LevelQuestion.ts';

/** One forecast that a stream repeats. */
export type StreamPlan = { readonly id: string; readonly name: string };

/** What the live view draws: ticks that this page streams, or a series of another program that it watches. */
export type Stream = {
  /** Name of the series at the service. */
  readonly name: string;
  readonly plans: readonly StreamPlan[];
  readonly series: TickSeries;
  /** Indices of the first ticks after gaps: no line leads to them. */
  readonly breaks?: readonly number[];
  /** How many of its ticks are shown. */
  readonly position: number;
  readonly log: ForecastLog;
  /** Whether a price is reached; absent: another program asks for the forecasts. */
  readonly level?: LevelQuestion | undefined;
  /** The running score as the service keeps it. */
  readonly scores: readonly LiveScore[];
  /** Whether the score leaves out what was before a lost connection. */
  readonly isResumed: boolean;
  /** Whether its ticks are of the past: they have no age. */
  readonly isPlayed: boolean;
  /** Whether it changes many times a second. */
  readonly isMoving: boolean;
};
