import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import type { RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import { US_PER_MS } from '../../core/units.ts';
import type { ForecastSummary } from '../forecast/Forecaster.ts';
import type { Touches } from '../features/Touches.ts';
import { OutcomeTracker, type Settled } from './OutcomeTracker.ts';
import { SeriesBaselines } from '../scoring/SeriesBaselines.ts';
import { EMPTY_TALLY, type Tally } from './score.ts';

/** One forecast that a series repeats. */
export type ForecastPlan = {
  readonly id: string;
  readonly horizonMs: number;
  /** A forecast falls due at the first tick of each multiple of this; `tick`: at each tick. */
  readonly everyMs: number | 'tick';
  readonly options: ForecastOptions;
  /** Most ticks of a window; absent: by the horizon. */
  readonly ticks?: number | undefined;
  /** Microseconds; no forecast falls due up to this time, because an earlier connection has its outcome. */
  readonly resumeAfterUs?: number | undefined;
};

/** Whether two plans are one: its forecasts are compared with each other. */
export const isSamePlan = (a: ForecastPlan, b: ForecastPlan): boolean =>
  a.id === b.id && a.horizonMs === b.horizonMs && a.everyMs === b.everyMs && JSON.stringify(a.options) === JSON.stringify(b.options);

/** A due forecast until it is answered and its outcome is known, whichever comes first. */
export class Pending {
  readonly plan: PlanState;
  readonly n: number;
  readonly originUs: number;
  summary: ForecastSummary | undefined;
  isMarked = false;
  range: readonly RangeBand[] | undefined;
  touch: TouchAnswer | undefined;
  /** What the prices after its entry have reached; absent: no prices were asked about. */
  readonly touches: Touches | undefined;
  settled: Settled | 'untracked' | undefined;
  /** Forecasts of the plan whose horizons contain the end of this one. */
  overlap = 1;
  /** Counts it; undefined while its answer or its outcome is not known. */
  count: (() => void) | undefined;

  constructor(plan: PlanState, n: number, originUs: number, touches: Touches | undefined) {
    this.plan = plan;
    this.n = n;
    this.originUs = originUs;
    this.touches = touches;
  }
}

/** One plan of a series: its schedule, its forecasts without outcome, its score. */
export class PlanState {
  readonly plan: ForecastPlan;
  readonly tracker: OutcomeTracker<Pending>;
  readonly resumeAfterUs: number;
  readonly #everyUs: number;
  /** Number of the interval of the last tick; NaN before the first one. */
  #interval = NaN;
  due = 0;
  /** Due forecasts that were neither answered nor dropped. */
  unanswered = 0;
  tally: Tally = EMPTY_TALLY;
  readonly baselines = new SeriesBaselines();
  /** Those that are not counted yet, in order of their origins. */
  #uncounted: Pending[] = [];
  /** The first mark of a block, and how many it has: marks within the horizon of the first one are nearly one piece of evidence. */
  #blockUs = -Infinity;
  #blockMarks = 0;

  constructor(plan: ForecastPlan, barPeriodMs: number, onEntry?: (pending: Pending, price: number) => void) {
    this.plan = plan;
    this.tracker = new OutcomeTracker(plan.horizonMs, barPeriodMs, onEntry);
    this.resumeAfterUs = plan.resumeAfterUs ?? -Infinity;
    this.#everyUs = plan.everyMs === 'tick' ? 0 : plan.everyMs * US_PER_MS;
  }

  begin(originUs: number, touches?: Touches): Pending {
    const pending = new Pending(this, this.due++, originUs, touches);
    this.#uncounted.push(pending);
    return pending;
  }

  /** Counts in the order of the origins, whenever forecasts are answered: the baselines learn in this order. */
  count(pending: Pending, count: () => void): void {
    pending.count = count;
    while (this.#uncounted[0]?.count !== undefined) this.#uncounted.shift()!.count!();
  }

  /** Counts what is known. */
  close(): void {
    for (const { count } of this.#uncounted.splice(0)) count?.();
  }

  /** The overlap of the next mark whose outcome is known: over a block, the sum is the square of its marks. */
  markOverlap(originUs: number): number {
    if (originUs - this.#blockUs >= this.plan.horizonMs * US_PER_MS) [this.#blockUs, this.#blockMarks] = [originUs, 0];
    return 2 * ++this.#blockMarks - 1;
  }

  /** Whether a forecast falls due at this tick. */
  reaches(timeUs: number): boolean {
    if (this.#everyUs === 0) return true;
    const interval = Math.floor(timeUs / this.#everyUs);
    const isNew = interval > this.#interval;
    this.#interval = interval;
    return isNew;
  }
}
