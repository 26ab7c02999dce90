import type { BarTime } from '../../core/barTime.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';
import type { Touches } from '../features/Touches.ts';
import type { ForecastSummary } from '../forecast/Forecaster.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import type { SeriesMemory } from '../memory/SeriesMemory.ts';
import type { ForecastPlan, Pending } from './PlanState.ts';
import type { SealableForecast } from './sealedLines.ts';
import type { Tally } from './score.ts';

/** Counts the forecasts of a connection that have no outcome yet. */
export class OutcomeBudget {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  take(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  release(count = 1): void {
    this.#left += count;
  }
}

/** A forecast that has fallen due. Its owner computes it and calls `answer` or `drop` of the series once. */
export type DueForecast = {
  readonly plan: ForecastPlan;
  /** Counts the due forecasts of the plan from 0. */
  readonly n: number;
  readonly window: LiveWindow;
  readonly futureUs: number;
  /** What the memory of the series knew at the last tick; absent: it has none. */
  readonly memory?: MemoryView;
  readonly pending: Pending;
};

export type RestoredForecast = {
  readonly originUs: number;
  readonly entryPrice?: number | undefined;
  readonly summary: ForecastSummary;
  readonly isMarked: boolean;
};

export type LiveOutcome = {
  readonly plan: ForecastPlan;
  readonly n: number;
  /** Null: the outcome cannot be known. */
  readonly moved: boolean | null;
  readonly moveBps: number | null;
  /** What was reached; absent: no prices were asked about, or the outcome cannot be known. */
  readonly touches?: Touches;
  /** Why not. */
  readonly reason: UnknownReason | null;
};

/** A pause of the market touches the horizon; the price goes to another level within it; the window has no threshold; too many outcomes are pending. */
export type UnknownReason = 'session_gap' | 'level_changed' | 'no_threshold' | 'pending_limit';

export type SeriesSink = {
  due(forecast: DueForecast): void;
  outcome(outcome: LiveOutcome): void;
  /** Counts to add to the track record. */
  tally(plan: ForecastPlan, model: string, tally: Tally, originUs: number): void;
  /** The price of the entry of a forecast is known. */
  entered?: ((plan: ForecastPlan, n: number, price: number) => void) | undefined;
  /** A forecast that can be kept as proof, or with `moved` its outcome. */
  seal?(of: SealableForecast, moved?: boolean): void;
};

export type SeriesParts = {
  /** Learns from the ticks. */
  readonly memory?: SeriesMemory | undefined;
  /** Its ticks are closes of bars at their ends; without a period until `measured`. */
  readonly bars?: { readonly periodMs: number | undefined; readonly barTime?: BarTime } | undefined;
};
