import { BPS_PER_UNIT, MIN_ENTRIES, MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import type { BarTime } from '../../core/barTime.ts';
import { BUCKET_NAMES, bucketOf } from '../features/horizonBuckets.ts';
import { Touches } from '../features/Touches.ts';
import { sessionGapS } from '../features/sessionGap.ts';
import type { TickForecast } from '../forecast/Forecaster.ts';
import { isShortTime, USUAL_TICKS } from '../model/suitableTicks.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import type { SeriesMemory } from '../memory/SeriesMemory.ts';
import { levelsOf } from './levelsOf.ts';
import { isPause, type Settled } from './OutcomeTracker.ts';
import { addForecast, addOutcome, addRanges, addTouches, addUnscored, EMPTY_TALLY, mergeTallies, type Tally } from './score.ts';
import { type ForecastPlan, isSamePlan, type Pending, PlanState } from './PlanState.ts';
import type { SealableForecast } from './sealedLines.ts';
import { keptTicks, MOST_TICKS } from './seriesBytes.ts';
import type { DueForecast, OutcomeBudget, RestoredForecast, SeriesParts, SeriesSink, UnknownReason } from './seriesParts.ts';
import type { LevelWatch } from '../../ticks/LevelWatch.ts';
import { type BarRange, type LiveWindow, TickWindow } from '../../ticks/TickWindow.ts';

/** Fewest observed ticks of a forecast. */
export const LEAST_TICKS = MIN_ENTRIES - 1;
export { MOST_TICKS } from './seriesBytes.ts';

/**
 * Ticks of a window: as many as POST /auth/ti-tick recommends for short horizons, for bars, and with the memory of the series, which knows
 * more than further ticks would say (docs/adr/0083); else all that are kept.
 */
const SHORT_HORIZON_MS = 60_000;

export type { ForecastPlan } from './PlanState.ts';

/** The name of the horizon bucket, for the track record. */
export function bucketNameOf(horizonMs: number): string {
  return BUCKET_NAMES[bucketOf(horizonMs / MS_PER_SECOND)];
}

export { OutcomeBudget } from './seriesParts.ts';
export type { DueForecast, LiveOutcome, SeriesParts } from './seriesParts.ts';

/**
 * One series: its last ticks, the schedule of its forecasts, their outcomes and the score. Its clock is that of its ticks, so that the same
 * ticks give the same forecasts at any speed and in any parts.
 */
export class LiveSeries {
  #plans: readonly PlanState[];
  /** Of former plans, whose forecasts have no outcome yet. */
  #former: readonly PlanState[] = [];
  readonly #sink: SeriesSink;
  readonly #budget: OutcomeBudget;
  readonly #window: TickWindow;
  /** Undefined before the first tick. */
  #levels: LevelWatch | undefined;
  #memory: SeriesMemory | undefined;
  #barPeriodMs: number | undefined;
  readonly #barTime: BarTime | undefined;
  readonly #isBars: boolean;
  #isClosed = false;

  constructor(plans: readonly ForecastPlan[], sink: SeriesSink, budget: OutcomeBudget, { memory, bars }: SeriesParts = {}) {
    this.#memory = memory;
    this.#window = new TickWindow(keptTicks(plans, bars !== undefined));
    this.#barPeriodMs = bars?.periodMs;
    this.#barTime = bars?.barTime;
    this.#isBars = bars !== undefined;
    this.#sink = sink;
    this.#plans = plans.map((plan) => this.#stateOf(plan));
    this.#budget = budget;
  }

  /** Undefined: a series of ticks, or of bars before the first one. */
  get barPeriodMs(): number | undefined {
    return this.#barPeriodMs;
  }

  /** Whether its bars have ranges; undefined before the first one. */
  get hasRanges(): boolean | undefined {
    return this.#window.hasRanges;
  }

  /** The period of its bars is known now, before the first one; `memory` as of the constructor. */
  measured(periodMs: number, memory: SeriesMemory | undefined): void {
    this.#barPeriodMs = periodMs;
    this.#memory = memory;
  }

  /** Ticks that it keeps. */
  get ticks(): number {
    return this.#window.size;
  }

  /** Microseconds; undefined before the first tick. */
  get lastUs(): number | undefined {
    return this.#window.lastUs;
  }

  /** Price of the last tick; undefined before the first one. */
  get lastPrice(): number | undefined {
    return this.#window.last(1).prices[0];
  }

  /** Whether a due forecast has to be answered before a tick: its outcome counts for the memory, or its probability for the rate of the next ones. */
  isOwed(timeUs: number): boolean {
    const isRated = this.#plans.some(({ plan, unanswered }) => plan.options.markRate !== undefined && unanswered > 0);
    return isRated || (this.#memory?.isOwed(Math.floor(timeUs / US_PER_MS)) ?? false);
  }

  /** What the memory knows at the last tick, for a forecast that it does not remember; undefined without one. */
  view(horizonMs: number): MemoryView | undefined {
    return this.#memory?.view(horizonMs);
  }

  /** Another process wrote the memory meanwhile: goes on with that one, which has learned the last ticks. */
  replaceMemory(memory: SeriesMemory): void {
    this.#memory = memory;
    this.#readAs();
  }

  /** The last ticks, as many as are kept. */
  get recent(): LiveWindow {
    return this.#window.last(MOST_TICKS);
  }

  /** The next tick, not before the last one: first come the outcomes that it shows, then the forecasts that fall due at it. */
  push(timeUs: number, price: number, spreadBps?: number, range?: BarRange): void {
    this.#levels ??= this.#begin(timeUs);
    this.#window.push(timeUs, price, spreadBps, range);
    this.#memory?.push(timeUs, price, range);
    const level = this.#levels.add(price, timeUs);
    const timeMs = Math.floor(timeUs / US_PER_MS);
    for (const states of [this.#plans, this.#former])
      for (const { tracker } of states) {
        tracker.push(timeMs, price, this.#settle, range, spreadBps);
        if (level === 'leaves' || level === 'returns') tracker.changeLevel(level === 'returns');
      }
    if (this.#former.length > 0) this.#former = this.#former.filter(({ tracker, unanswered }) => tracker.size + unanswered > 0);
    if (level === 'stays') this.#restart(this.#levels.sinceJump);
    for (const plan of this.#plans) {
      if (plan.reaches(timeUs) && timeUs > plan.resumeAfterUs && this.#window.size >= LEAST_TICKS)
        this.#sink.due(this.#fallDue(plan, timeUs));
    }
  }

  /** Other plans from the next tick on: those that are the same go on, and outcomes of the others still come. */
  replan(plans: readonly ForecastPlan[]): void {
    const known = plans.map((plan) => this.#plans.find((state) => isSamePlan(state.plan, plan)));
    this.#former = [...this.#former, ...this.#plans.filter((state) => !known.includes(state))];
    this.#plans = plans.map((plan, i) => known[i] ?? this.#stateOf(plan));
  }

  /** A forecast of an earlier run whose outcome was not known: at the last tick, or with the price of its entry, before the first one. Its number. */
  restore(of: ForecastPlan, { originUs, entryPrice, summary, isMarked }: RestoredForecast): number {
    let state = [...this.#plans, ...this.#former].find(({ plan }) => plan === of);
    if (state === undefined) this.#former = [...this.#former, (state = this.#stateOf(of))];
    // What was reached before is not known.
    const pending = state.begin(originUs);
    Object.assign(pending, { summary, isMarked });
    if (this.#budget.take()) state.tracker.restore(pending, Math.floor(originUs / US_PER_MS), entryPrice);
    else pending.settled = 'untracked';
    return pending.n;
  }

  /** The window of a forecast with this horizon now; undefined below the fewest ticks. */
  window(horizonMs: number): LiveWindow | undefined {
    return this.#window.size < LEAST_TICKS ? undefined : this.#windowOf(horizonMs);
  }

  /** The forecast was computed. */
  answer(
    due: DueForecast,
    { mark, summary, remembered, outlook }: Pick<TickForecast, 'mark' | 'summary' | 'remembered' | 'outlook'>,
  ): void {
    const { pending } = due;
    pending.plan.unanswered--;
    this.#remember(due, remembered ?? null);
    pending.summary = summary;
    pending.isMarked = mark === 1;
    pending.range = outlook?.range;
    pending.touch = outlook?.touch;
    this.#count(pending, addForecast(EMPTY_TALLY));
    this.#seal(pending);
    if (this.#isClosed) this.#count(pending, addUnscored(EMPTY_TALLY));
    else if (pending.settled !== undefined) this.#conclude(pending);
  }

  /** The forecast was not made. */
  drop(due: DueForecast): void {
    due.pending.plan.unanswered--;
    this.#remember(due, null);
    due.pending.plan.count(due.pending, () => {});
  }

  #remember({ memory, plan }: DueForecast, made: TickForecast['remembered'] | null): void {
    if (memory !== undefined) this.#memory?.answer(memory.originMs, plan.horizonMs, made ?? null);
  }

  /** What timestamps are read as, for the memory. */
  #readAs(): void {
    if (this.#barTime !== undefined) this.#memory?.readAs(this.#barTime);
  }

  #begin(firstUs: number): LevelWatch {
    this.#readAs();
    this.#memory?.resume(firstUs);
    return levelsOf(this.#barPeriodMs ?? 0);
  }

  /** The price stays on another level since so many ticks: what was before is of another market. */
  #restart(ticks: number): void {
    const since = this.#window.last(ticks);
    this.#memory?.restart();
    this.#memory?.add(since);
  }

  /** One tally for each plan. */
  scores(): readonly { readonly plan: ForecastPlan; readonly tally: Tally }[] {
    return this.#plans.map(({ plan, tally }) => ({ plan, tally }));
  }

  /** Counts the forecasts without outcome as unscored. */
  close(): void {
    this.#isClosed = true;
    for (const plan of [...this.#plans, ...this.#former]) {
      plan.close();
      for (const pending of plan.tracker.clear()) {
        this.#budget.release();
        if (pending.summary !== undefined) this.#count(pending, addUnscored(EMPTY_TALLY));
      }
    }
  }

  #stateOf(plan: ForecastPlan): PlanState {
    const { entered } = this.#sink;
    // Of bars whose period is not known yet, the entry is that of bars too.
    const periodMs = this.#isBars ? (this.#barPeriodMs ?? 1) : 0;
    return new PlanState(plan, periodMs, entered && (({ n }, price) => entered(plan, n, price)));
  }

  #fallDue(state: PlanState, timeUs: number): DueForecast {
    const { plan, tracker } = state;
    const { touch, touchBy } = plan.options;
    const pending = state.begin(timeUs, touch && new Touches(this.lastPrice!, touch, touchBy, this.#window.last(1).spreadsBps?.[0]));
    state.unanswered++;
    if (this.#budget.take()) tracker.add(pending, pending.touches);
    else pending.settled = 'untracked';
    const futureUs = timeUs + plan.horizonMs * US_PER_MS;
    this.#memory?.stepBack(timeUs);
    const memory = this.#memory?.view(plan.horizonMs);
    this.#memory?.begin(plan.horizonMs);
    const due = { plan, n: pending.n, window: this.#windowOf(plan.horizonMs, plan.ticks), futureUs, pending };
    return memory === undefined ? due : { memory, ...due };
  }

  #windowOf(horizonMs: number, ticks?: number): LiveWindow {
    const onLevel = this.#levels?.sinceJump ?? 0;
    // As soon as they suffice, the ticks on the new level are the window.
    if (onLevel >= LEAST_TICKS && onLevel < MOST_TICKS) return this.#window.last(Math.min(onLevel, ticks ?? USUAL_TICKS));
    const short = this.#window.last(ticks ?? USUAL_TICKS);
    if (ticks !== undefined || this.#barPeriodMs !== undefined || horizonMs <= SHORT_HORIZON_MS) return short;
    const coversMs = (short.timesUs.at(-1)! - short.timesUs[0]) / US_PER_MS;
    return this.#memory !== undefined && !isShortTime(coversMs, horizonMs) ? short : this.#window.last(MOST_TICKS);
  }

  readonly #settle = (pending: Pending, settled: Settled): void => {
    this.#budget.release();
    pending.settled = settled;
    pending.overlap = pending.plan.tracker.size + 1;
    if (pending.summary !== undefined) this.#conclude(pending);
  };

  /** Compares forecast and outcome, which are both known. */
  #conclude(pending: Pending): void {
    const { settled, summary, isMarked, overlap, n, originUs, range, touches, touch, plan: state } = pending;
    const { plan } = state;
    const atMs = originUs / US_PER_MS;
    if (settled === undefined || summary === undefined) return;
    const { probability, baselineProbability, minMoveBps, medianGapS } = summary;
    const reason: UnknownReason | null =
      settled === 'untracked'
        ? 'pending_limit'
        : isPause(settled.longestGapMs, medianGapS, this.#barPeriodMs)
          ? 'session_gap'
          : settled.steps > 0
            ? 'level_changed'
            : minMoveBps === null
              ? 'no_threshold'
              : null;
    const moveBps = settled === 'untracked' || reason === 'session_gap' || reason === 'level_changed' ? null : settled.move * BPS_PER_UNIT;
    const moved = reason !== null || moveBps === null || minMoveBps === null ? null : Math.abs(moveBps) > minMoveBps;
    if (moved !== null) this.#seal(pending, moved);
    state.count(pending, () => {
      let tally = addUnscored(EMPTY_TALLY);
      if (moved !== null && probability !== null && baselineProbability !== null) {
        const markOverlap = isMarked ? state.markOverlap(originUs) : 1;
        const baselines = state.baselines.at(atMs, baselineProbability);
        tally = addOutcome(EMPTY_TALLY, { probability, baselines, isMarked, moved, overlap, markOverlap });
        state.baselines.settle({ atMs, endMs: atMs + plan.horizonMs, version: baselineProbability }, moved);
      }
      if (moveBps !== null) tally = addRanges(tally, range, moveBps, overlap);
      if (moveBps !== null && touch !== undefined && touches !== undefined)
        tally = addTouches(tally, touch.levels, touches.touched, overlap);
      this.#count(pending, tally);
    });
    this.#sink.outcome({ plan, n, moved, moveBps, ...(touches === undefined || moveBps === null ? {} : { touches }), reason });
  }

  /** A forecast, or with `moved` its outcome. */
  #seal({ plan: { plan }, originUs, isMarked, summary }: Pending, moved?: boolean): void {
    if (this.#sink.seal === undefined || summary === undefined) return;
    const { model, probability, baselineProbability, minMoveBps, medianGapS } = summary;
    if (probability === null || baselineProbability === null || minMoveBps === null) return;
    const barPeriodMs = this.#barPeriodMs ?? 0;
    const originMs = Math.floor(originUs / US_PER_MS);
    const of: SealableForecast = {
      originMs,
      endMs: originMs + plan.horizonMs,
      minMoveBps,
      probability,
      baselineProbability,
      isMarked,
      ownThreshold: plan.options.minMoveBps !== undefined,
      model,
      pauseS: sessionGapS(medianGapS ?? 0, barPeriodMs),
      barPeriodMs,
    };
    this.#sink.seal(of, moved);
  }

  #count({ plan, summary, originUs }: Pending, change: Tally): void {
    plan.tally = mergeTallies(plan.tally, change);
    if (summary !== undefined) this.#sink.tally(plan.plan, summary.model, change, originUs);
  }
}
