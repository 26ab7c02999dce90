import type { MarketForecast } from '../../contract/markets.ts';
import { statusOf } from '../../contract/forecastDetail.ts';
import { parseDurationMs } from '../../contract/duration.ts';
import { US_PER_MS } from '../../core/units.ts';
import type { TickForecast } from '../../engine/forecast/Forecaster.ts';
import type { DeskOwner, DeskSeries } from '../../engine/live/DeskOwner.ts';
import { LiveDesk } from '../../engine/live/LiveDesk.ts';
import { durationOf, plansOf, scoreOf } from '../../engine/live/liveMessages.ts';
import { type DueForecast, type ForecastPlan, type LiveOutcome, OutcomeBudget } from '../../engine/live/LiveSeries.ts';
import { EMPTY_TALLY, mergeTallies, type Tally } from '../../engine/live/score.ts';
import { ToldTargets } from '../alerts/ToldTargets.ts';
import { medianSpreadBps } from '../../ticks/tickColumns.ts';
import type { BarRange } from '../../ticks/TickWindow.ts';
import { parseTimestampUs, writeTimestamp } from '../../ticks/timestamps.ts';
import type { SeriesForecast } from '../live/ForecastEvents.ts';
import { LiveMemory } from '../live/LiveMemory.ts';
import { SeriesRecord } from '../live/SeriesRecord.ts';
import type { MarketParts } from './MarketParts.ts';
import { type OpenRow, UnwrittenForecasts } from './UnwrittenForecasts.ts';
import {
  type ForecastRow,
  type Market,
  type MarketKey,
  type MarketState,
  type PendingForecast,
  type ScoreSoFar,
  seriesOf,
} from './Market.ts';

/** A tick, or the close of a bar with its range. */
export type MarketTick = {
  readonly timeUs: number;
  readonly price: number;
  readonly spreadBps?: number | undefined;
  readonly range?: BarRange | undefined;
};

/** Outcomes that a market waits for. */
const MOST_PENDING = 20_000;
/** Quotes whose median spread is told. */
const SPREAD_TICKS = 500;

const MISSING_TICKS = 'missing_ticks';

/** One market of one account: its series, its forecasts and what is told of them, once they are written. */
export class WatchedMarket {
  readonly key: MarketKey;
  readonly series: string;
  readonly #parts: MarketParts;
  readonly #record: SeriesRecord;
  #market: Market;
  #plans: readonly ForecastPlan[];
  #desk: LiveDesk<LiveMemory> | undefined;
  #open: DeskSeries<LiveMemory> | undefined;
  /** Forecasts without an outcome, by plan and number of the plan. */
  #rows = new Map<ForecastPlan, Map<number, OpenRow>>();
  readonly #unwritten: UnwrittenForecasts;
  readonly #last = new Map<string, MarketForecast>();
  readonly #scores = new Map<string, ScoreSoFar>();
  #told = new ToldTargets({}, () => {});
  #isChanged = true;
  #isClosed = false;

  constructor(parts: MarketParts, key: MarketKey, market: Market) {
    this.key = key;
    this.series = seriesOf(market);
    this.#parts = parts;
    this.#market = market;
    this.#plans = plansOfMarket(market);
    this.#unwritten = new UnwrittenForecasts(parts.onRow);
    this.#record = new SeriesRecord(key.accountId, () => parts.trackRecord, parts.clock);
  }

  /** Goes on where the process that fed the market before was: `ticks` are the last ones that it kept. Throws ServiceError `store.unavailable`. */
  async begin(ticks: readonly MarketTick[], lastUs: number | undefined): Promise<void> {
    const { store } = this.#parts;
    const { rows, ...last } = await store.pendingForecasts(this.key);
    const state = (await store.marketStates(this.key.accountId)).get(this.key.id);
    this.#unwritten.goOn(last);
    for (const { horizon, last: told } of state?.forecasts ?? []) if (told !== null) this.#last.set(horizon, told);
    for (const [horizon, score] of Object.entries(state?.tallies ?? {})) this.#scores.set(horizon, score);
    this.#told = new ToldTargets(state?.alerts ?? {}, () => (this.#isChanged = true));
    // What was in flight when that process ended is made now.
    await this.#openSeries((horizon) => usOf(this.#last.get(horizon)) ?? lastUs);
    const open = this.#open;
    if (open === undefined) return;
    const waiting = rows.map(({ forecast, pending }) => ({ forecast: { ...forecast }, pending: { ...pending! } }));
    const firstUs = ticks[0]?.timeUs ?? Infinity;
    const isEarlier = ({ pending }: (typeof waiting)[number]): boolean => pending.originUs < firstUs;
    for (const row of waiting.filter(isEarlier)) {
      const futureUs = parseTimestampUs(row.forecast.future);
      if (row.pending.entry === null || futureUs < firstUs) this.#settle(row, { moved: null, moveBps: null, reason: MISSING_TICKS });
      else this.#restore(open, row, row.pending.entry);
    }
    const rest = waiting.filter((row) => !isEarlier(row));
    for (const [i, tick] of ticks.entries()) {
      await this.push(tick);
      if (this.#isClosed) return;
      const nextUs = ticks[i + 1]?.timeUs ?? Infinity;
      while (rest[0] !== undefined && rest[0].pending.originUs < nextUs) this.#restore(open, rest.shift()!);
    }
  }

  /** Another form of the market: counts from the next forecast on. */
  change(market: Market): void {
    if (JSON.stringify(market) === JSON.stringify(this.#market)) return;
    this.#market = market;
    const plans = plansOfMarket(market);
    this.#plans = plans;
    this.#open?.series.replan(plans);
    this.#isChanged = true;
  }

  /** What the next tick has to wait for. */
  async push({ timeUs, price, spreadBps, range }: MarketTick): Promise<void> {
    const [desk, open] = [this.#desk, this.#open];
    if (desk === undefined || open === undefined || this.#isClosed) return;
    for (let wait = desk.waitFor(open, timeUs); wait !== undefined; wait = desk.waitFor(open, timeUs)) await wait;
    open.memory?.changed();
    desk.push(open, timeUs, price, spreadBps, range);
    this.#isChanged = true;
  }

  /** Ticks are missing: what was waiting stays without an outcome, and a new series begins. */
  async cut(): Promise<void> {
    await this.#closeSeries();
    for (const rows of this.#rows.values())
      for (const row of rows.values()) this.#settle(row, { moved: null, moveBps: null, reason: MISSING_TICKS });
    this.#rows.clear();
    await this.#openSeries(() => undefined);
  }

  get ticks(): number {
    return this.#open?.series.ticks ?? 0;
  }

  get isChanged(): boolean {
    return this.#isChanged || this.#unwritten.size > 0;
  }

  /** What is to be written; `written` or `failed` ends it. */
  take(feed: Pick<MarketState, 'state' | 'reason' | 'since'>): {
    readonly state: MarketKey & { readonly state: MarketState; readonly keepFrom: number };
    readonly forecasts: readonly ForecastRow[];
    written(): void;
    failed(): void;
  } {
    const { forecasts, written, failed } = this.#unwritten.take(this.key);
    this.#isChanged = false;
    const keepFrom = Math.max(0, this.#unwritten.count - this.#parts.mostForecasts);
    return {
      ...{ state: { ...this.key, state: this.#state(feed), keepFrom }, forecasts, written },
      failed: () => {
        failed();
        this.#isChanged = true;
      },
    };
  }

  /** The process goes on without it, and another one may go on with it: nothing is concluded. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#isClosed = true;
    if (open === undefined) return;
    await this.#desk!.untilIdle();
    await open.memory?.store(open.series);
    this.#parts.trackRecord.storeSoon();
  }

  #state(feed: Pick<MarketState, 'state' | 'reason' | 'since'>): MarketState {
    const series = this.#open?.series;
    const alerts = this.#told.toJSON();
    const quotes = series?.recent.spreadsBps?.subarray(-SPREAD_TICKS);
    return {
      ...feed,
      last_tick: series?.lastUs === undefined ? null : writeTimestamp(series.lastUs),
      price: series?.lastPrice ?? null,
      ticks: this.ticks,
      spread_bps: (quotes && medianSpreadBps(quotes)) ?? null,
      forecasts: this.#plans.map((plan) => {
        const { id } = plan;
        const score = this.#scoreOf(plan);
        return { horizon: id, last: this.#last.get(id) ?? null, score: score === undefined ? null : scoreOf(id, score.since, score.tally) };
      }),
      tallies: Object.fromEntries(this.#scores),
      ...(alerts && { alerts }),
    };
  }

  /** `resumeAfterUs`: of a horizon. */
  async #openSeries(resumeAfterUs: (horizon: string) => number | undefined): Promise<void> {
    const { period } = this.#market;
    this.#desk = new LiveDesk(this.#owner());
    const plans = this.#plans.map((plan) => ({ ...plan, resumeAfterUs: resumeAfterUs(plan.id) }));
    this.#plans = plans;
    const bars = period === null ? undefined : { periodMs: parseDurationMs(period), barTime: 'close' as const };
    this.#open = await this.#desk.begin({ name: this.series, plans, bars, readMemory: this.#readMemory() });
  }

  async #closeSeries(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) await this.#desk!.closeSeries(open.name);
  }

  #readMemory() {
    const { memories, usesMemory, clock } = this.#parts;
    if (memories === undefined || !usesMemory(this.#market.period !== null)) return undefined;
    const key = { accountId: this.key.accountId, series: this.series };
    return async (periodMs: number) => {
      const read = await memories.read(key, periodMs);
      return typeof read === 'string' ? read : new LiveMemory(memories, key, read, clock);
    };
  }

  #owner(): DeskOwner<LiveMemory> {
    const { accountId } = this.key;
    const { rates, trackRecord, compute, onSkipped, clock } = this.#parts;
    const outcomes = new OutcomeBudget(MOST_PENDING);
    return {
      ...{ limits: { seriesPerConnection: 1, forecastsPerSeries: 8, pendingOutcomes: MOST_PENDING }, accountId, rates },
      send: () => {},
      compute,
      skippedAs: onSkipped,
      outcomes: () => outcomes,
      // The last trades of the exchange before the stream, and those of a pause, have no future any more.
      isPast: (futureUs) => futureUs <= clock.nowMs() * US_PER_MS,
      onForecast: (_open, due, forecast) => this.#made(due, forecast),
      onEntry: (_open, plan, n, price) => this.#entered(plan, n, price),
      onOutcome: (_open, outcome) => this.#concluded(outcome),
      onTally: (_open, plan, version, tally, originUs) => this.#count(plan, version, tally, originUs),
      onSealable: (_open, of, moved) => this.#record.seal(this.series, of, moved),
      onClosed: async ({ series, memory }) => {
        await memory?.store(series);
        trackRecord.storeSoon();
      },
    };
  }

  #made({ plan, n, window, futureUs }: DueForecast, { mark, summary, outlook }: TickForecast): void {
    const { probability, decisionThreshold, minMoveBps, reasons, model, baselineProbability, medianGapS } = summary;
    const originUs = window.timesUs.at(-1)!;
    const { tally = EMPTY_TALLY } = this.#scoreOf(plan) ?? {};
    const forecast: MarketForecast = {
      ...{ ...this.#unwritten.next(), horizon: plan.id, last_tick: writeTimestamp(originUs), price: window.prices.at(-1)! },
      ...{
        future: writeTimestamp(futureUs),
        probability,
        volatility_probability: baselineProbability,
        usual_rate: tally.outcomes === 0 ? null : tally.moved / tally.outcomes,
      },
      ...{ decision_threshold: decisionThreshold, min_move_bps: minMoveBps, marked: mark === 1, status: statusOf(reasons[0] ?? null) },
      ...{ reasons: [...reasons], model, outcome: null },
    };
    const costBps = (window.spreadsBps && medianSpreadBps(window.spreadsBps)) ?? null;
    const isOwn = plan.options.minMoveBps !== undefined;
    const row = { forecast, pending: { originUs, entry: null, baselineProbability, medianGapS, costBps, isOwn } };
    this.#rowsOf(plan).set(n, row);
    this.#last.set(plan.id, forecast);
    this.#unwritten.add(row);
    const event = this.#eventOf(row, outlook?.touch?.levels);
    if (event !== undefined) this.#unwritten.tell(forecast.n, () => this.#parts.events.made(event));
    this.#parts.onForecast();
  }

  #entered(plan: ForecastPlan, n: number, price: number): void {
    const row = this.#rows.get(plan)?.get(n);
    if (row?.pending === undefined || row.pending === null) return;
    row.pending.entry = price;
    this.#unwritten.add(row);
  }

  #concluded({ plan, n, moved, moveBps, reason }: LiveOutcome): void {
    const row = this.#rows.get(plan)?.get(n);
    if (row === undefined) return;
    this.#rows.get(plan)!.delete(n);
    const event = this.#eventOf(row);
    this.#settle(row, { moved, moveBps, reason });
    if (event !== undefined && moved !== null && moveBps !== null)
      this.#unwritten.tell(row.forecast.n, () => this.#parts.events.settled(event, { moved, moveBps }));
  }

  #settle(row: OpenRow, outcome: Parameters<UnwrittenForecasts['settle']>[1]): void {
    this.#unwritten.settle(row, outcome);
    const last = this.#last.get(row.forecast.horizon);
    if (last?.n === row.forecast.n) this.#last.set(row.forecast.horizon, row.forecast);
  }

  #count(plan: ForecastPlan, version: string, tally: Tally, originUs: number): void {
    this.#record.add(this.series, plan, version, tally, originUs);
    const threshold = thresholdOf(plan);
    if (!this.#plans.some((one) => one.id === plan.id && thresholdOf(one) === threshold)) return;
    const since = writeTimestamp(this.#parts.clock.nowMs() * US_PER_MS);
    const score = this.#scoreOf(plan) ?? { since, threshold, tally: EMPTY_TALLY };
    this.#scores.set(plan.id, { ...score, tally: mergeTallies(score.tally, tally) });
  }

  /** The score since its threshold was set. */
  #scoreOf(plan: ForecastPlan): ScoreSoFar | undefined {
    const score = this.#scores.get(plan.id);
    return score?.threshold === thresholdOf(plan) ? score : undefined;
  }

  /** What alerts are told; undefined: it concerns no one. */
  #eventOf({ forecast, pending }: OpenRow, touch?: SeriesForecast['touch']): SeriesForecast | undefined {
    const { probability, min_move_bps: minMoveBps, marked: isMarked, model, price, future } = forecast;
    const rule = this.#market.alert ?? undefined;
    const of = { accountId: this.key.accountId, series: this.series, isMarked, futureUs: parseTimestampUs(future), rule };
    if (probability === null || minMoveBps === null || pending === null || !this.#parts.events.wants(of)) return undefined;
    const { originUs, isOwn, costBps } = pending;
    return {
      ...{ ...of, told: this.#told, model, probability, minMoveBps, lastUs: originUs, lastPrice: price },
      ...{ ownThreshold: isOwn, costBps, touch },
    };
  }

  #restore(open: DeskSeries<LiveMemory>, row: OpenRow & { pending: PendingForecast }, entryPrice?: number): void {
    const { forecast, pending } = row;
    const { horizon, probability, decision_threshold: decisionThreshold, min_move_bps: minMoveBps, reasons, model, marked } = forecast;
    const { originUs, baselineProbability, medianGapS, isOwn } = pending;
    const futureUs = parseTimestampUs(forecast.future);
    const summary = { model, probability, baselineProbability, decisionThreshold, minMoveBps, reasons, medianGapS };
    const threshold = isOwn ? minMoveBps : null;
    const same = [...this.#plans, ...this.#rows.keys()].find((plan) => plan.id === horizon && thresholdOf(plan) === threshold);
    const plan = same ?? {
      ...{ id: horizon, horizonMs: (futureUs - originUs) / US_PER_MS, everyMs: 'tick' as const },
      options: threshold === null ? {} : { minMoveBps: threshold },
    };
    const n = open.series.restore(plan, { originUs, entryPrice, summary, isMarked: marked });
    this.#rowsOf(plan).set(n, row);
  }

  #rowsOf(plan: ForecastPlan): Map<number, OpenRow> {
    const rows = this.#rows.get(plan) ?? new Map<number, OpenRow>();
    this.#rows.set(plan, rows);
    return rows;
  }
}

const usOf = (forecast: MarketForecast | undefined): number | undefined => forecast && parseTimestampUs(forecast.last_tick);

const thresholdOf = ({ options }: ForecastPlan): number | null => (typeof options.minMoveBps === 'number' ? options.minMoveBps : null);

/** Its horizons, as they were checked when it was added. */
function plansOfMarket({ horizons, every, costBps, period, alert }: Market): ForecastPlan[] {
  const cost = costBps === null ? {} : { min_move_bps: costBps };
  const touch = alert?.touch === undefined ? {} : { touch: [alert.touch] };
  const forecasts = horizons.map((horizon) => ({ horizon, every, ...cost, ...touch }));
  return plansOf(forecasts, period === null ? undefined : durationOf(period, '/period'));
}
