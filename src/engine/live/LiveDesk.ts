import { ASK_ID, SLOW_CONSUMER, type ClientMessage } from '../../contract/live.ts';
import { LONGEST_MS } from '../../contract/duration.ts';
import { optionsOf } from '../../contract/readOptions.ts';
import type { MemoryReason } from '../../contract/reasons.ts';
import { fieldProblem, invalidRequest, quoteValue } from '../../core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import { hasVolume } from '../../ticks/fillers.ts';
import { parseNextBars } from '../../ticks/parseBarRequest.ts';
import { parseNextTicks, type TickRequest } from '../../ticks/parseTickRequest.ts';
import { medianSpreadBps, spreadsBps, type Timestamps } from '../../ticks/tickColumns.ts';
import { type BarRange, type LiveWindow, rangeAt } from '../../ticks/TickWindow.ts';
import { MAX_YEAR, writeTimestamp } from '../../ticks/timestamps.ts';
import type { TickForecast } from '../forecast/Forecaster.ts';
import type { DeskMemory, DeskMessage, DeskOwner, DeskSeries, NewSeries } from './DeskOwner.ts';
import { barsOf, doubtMessage, durationOf, forecastMessage, openedMessage, outcomeMessage, plansOf, scoreMessage } from './liveMessages.ts';
import { type DueForecast, LEAST_TICKS, LiveSeries } from './LiveSeries.ts';
import { ratedOf } from './ratedOf.ts';
import { costUnknown, refuseOtherRanges, refuseWithoutCost, wrongMessage } from './refusals.ts';
import { RunningForecasts } from './RunningForecasts.ts';

/** A series ends before its future timestamps leave the supported years. */
const LAST_US = Date.UTC(MAX_YEAR + 1, 0) * US_PER_MS - LONGEST_MS * US_PER_MS - 1;

/**
 * Live series and their forecasts, wherever they run. A series is open from `open` to `close`; each tick shows outcomes and lets forecasts fall due,
 * which run a few at a time, are answered or dropped once, and are in the score. Ticks wait where the answer of a forecast counts for the next ones, so
 * that the same ticks give the same forecasts at any speed and in messages of any size.
 */
export class LiveDesk<M extends DeskMemory = DeskMemory> {
  readonly #owner: DeskOwner<M>;
  readonly #series = new Map<string, DeskSeries<M>>();
  readonly #running: RunningForecasts;
  #isClosed = false;

  constructor(owner: DeskOwner<M>) {
    this.#owner = owner;
    const onSkipped = (skipped: Readonly<Record<string, number>>): void =>
      owner.send({ type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped });
    this.#running = new RunningForecasts({ ...owner, onSkipped });
  }

  get series(): ReadonlyMap<string, DeskSeries<M>> {
    return this.#series;
  }

  /** One at a time, in order; undefined: there is nothing to wait for. Throws ServiceError, and the desk is as it was. */
  handle(message: DeskMessage): Promise<void> | undefined {
    if (message.type === 'open') return this.#open(message);
    if (message.type === 'ticks') return this.#add(message);
    if (message.type === 'bars') return this.#addBars(message);
    if (message.type === 'ask') return this.#ask(message);
    if (message.type === 'score') return this.#score(message.series);
    return this.closeSeries(message.series);
  }

  /** Opens a series without a message. Undefined: the desk was closed meanwhile. */
  async begin(opened: NewSeries<M>): Promise<DeskSeries<M> | undefined> {
    const { name, plans, bars, readMemory } = opened;
    const free = this.#owner.admit?.(opened) ?? (() => {});
    const isMeasured = bars === undefined || bars.periodMs !== undefined;
    let read = foundOf<M>(undefined);
    try {
      if (isMeasured) read = foundOf(await readMemory?.(bars?.periodMs ?? 0));
    } catch (error) {
      free();
      throw error;
    }
    if (this.#isClosed) {
      free();
      return undefined;
    }
    const series = new LiveSeries(
      plans,
      {
        due: (due) => this.#compute(open, due),
        outcome: (outcome) => {
          this.#owner.send(outcomeMessage(name, outcome));
          this.#owner.onOutcome?.(open, outcome);
        },
        entered: this.#owner.onEntry && ((plan, n, price) => this.#owner.onEntry!(open, plan, n, price)),
        tally: (...counted) => this.#owner.onTally?.(open, ...counted),
        seal: (of, moved) => this.#owner.onSealable?.(open, of, moved),
      },
      this.#owner.outcomes(),
      { memory: read.memory?.memory, bars },
    );
    const open: DeskSeries<M> = {
      ...opened,
      ...{ series, ...read, free, since: null, hasVolume: false, isDoubted: false, opened: undefined },
    };
    this.#series.set(name, open);
    return open;
  }

  /** What a tick has to wait for: too many forecasts run, or one whose answer counts for the next ones. Undefined: nothing. */
  waitFor({ series }: DeskSeries<M>, timeUs: number): Promise<void> | undefined {
    if (this.#running.isFull) return this.#running.untilFree();
    if (series.isOwed(timeUs)) return this.#running.untilIdle();
    return this.#owner.pace?.();
  }

  /** The next tick, with the spread of its quote or the range of its bar if it has one, once it has nothing to wait for. */
  push(open: DeskSeries<M>, timeUs: number, price: number, spreadBps?: number, range?: BarRange): void {
    open.since ??= writeTimestamp(timeUs);
    open.series.push(timeUs, price, spreadBps, range);
  }

  /** Throws the first fault of a forecast. */
  untilFree(): Promise<void> {
    return this.#running.untilFree();
  }

  /** Resolves when no forecast runs. */
  untilIdle(): Promise<void> {
    return this.#running.untilIdle();
  }

  /** Ends a series with its score: forecasts without outcome count as unscored. */
  async closeSeries(name: string): Promise<void> {
    const open = this.#find(name);
    await this.#settle();
    open.series.close();
    open.free();
    this.#series.delete(name);
    await this.#owner.onClosed?.(open);
    this.#owner.send(scoreMessage(open));
  }

  /** Ends all at once, without their scores; the series that were open. */
  close(): readonly DeskSeries<M>[] {
    this.#isClosed = true;
    this.#running.close();
    const all = [...this.#series.values()];
    this.#series.clear();
    for (const { series, free } of all) {
      series.close();
      free();
    }
    return all;
  }

  async #open(message: ClientMessage<'open'>): Promise<void> {
    const { series: name, forecasts, model } = message;
    const { seriesPerConnection, forecastsPerSeries } = this.#owner.limits;
    if (this.#series.has(name))
      throw invalidRequest([fieldProblem('/series', 'series.already_open', `The series ${quoteValue(name)} is open.`)]);
    if (this.#series.size >= seriesPerConnection)
      throw invalidRequest([fieldProblem('/series', 'series.too_many', `A connection may have ${seriesPerConnection} open series.`)]);
    if (forecasts.length > forecastsPerSeries) {
      const detail = `forecasts has ${forecasts.length} entries; at most ${forecastsPerSeries} are allowed.`;
      throw invalidRequest([fieldProblem('/forecasts', 'forecasts.too_many', detail)]);
    }
    const bars = barsOf(message);
    const plans = plansOf(forecasts, bars?.periodMs);
    const open = await this.begin({ name, plans, model, bars, readMemory: this.#owner.readMemory?.(message) });
    if (open === undefined) return;
    open.opened = openedMessage(message, plans, this.#owner.limits);
    this.#owner.send(open.opened);
  }

  #add(message: ClientMessage<'ticks'>): Promise<void> | undefined {
    const { series: name, Timestamp } = message;
    const open = this.#find(name);
    if (open.bars !== undefined) throw wrongMessage(name, 'bars', 'ticks');
    const ticks = parseNextTicks(Timestamp, 'Price' in message ? message.Price : message, open.series.lastUs);
    if ('Price' in message) refuseWithoutCost(open.plans);
    const spreads = 'Bid' in message ? { spreadsBps: spreadsBps(message, ticks.timesUs.length) } : {};
    return this.#continue(open, Timestamp, { ...ticks, ...spreads });
  }

  async #addBars(message: ClientMessage<'bars'>): Promise<void> {
    const { series: name, Timestamp } = message;
    const open = this.#find(name);
    const { bars: opened, series } = open;
    if (opened === undefined) throw wrongMessage(name, 'ticks', 'bars');
    const known = { periodMs: series.barPeriodMs, lastUs: series.lastUs, close: series.lastPrice, hasVolume: open.hasVolume };
    const { series: closes, bars } = parseNextBars(message, opened.barTime!, known);
    open.hasVolume ||= message.Volume !== undefined && hasVolume(message.Volume);
    if (closes.timesUs.length === 0) return;
    refuseOtherRanges(series.hasRanges, bars.ranges !== undefined);
    refuseWithoutCost(open.plans, '/Close');
    if (series.barPeriodMs === undefined) {
      const { periodMs } = bars;
      Object.assign(open, foundOf(await open.readMemory?.(periodMs)));
      if (this.#isClosed) return;
      series.measured(periodMs, open.memory?.memory);
      const detail = `The bars last ${periodMs / MS_PER_SECOND} s.`;
      this.#owner.send({ type: 'status', code: 'bar_period', series: name, detail, bar_period_ms: periodMs });
    }
    await this.#continue(open, Timestamp, { ...closes, ranges: bars.ranges });
  }

  #continue(open: DeskSeries<M>, stamps: Timestamps, ticks: LiveWindow): Promise<void> | undefined {
    const { name, series } = open;
    const { timesUs } = ticks;
    if (timesUs.at(-1)! > LAST_US) {
      const late = timesUs.findIndex((timeUs) => timeUs > LAST_US);
      const detail = `Timestamp[${late}] is ${quoteValue(stamps[late])}; a series ends a day before the year ${MAX_YEAR + 1}.`;
      throw invalidRequest([fieldProblem(`/Timestamp/${late}`, 'timestamp.out_of_range', detail)]);
    }
    open.memory?.changed?.();
    if (series.lastUs === undefined && timesUs.length < LEAST_TICKS) {
      const what = open.bars === undefined ? 'ticks' : 'bars';
      const detail = `The series has ${timesUs.length} ${what}; forecasts start at ${LEAST_TICKS}.`;
      this.#owner.send({ type: 'status', code: 'warming_up', series: name, detail });
    }
    return this.#push(open, ticks, 0);
  }

  #push(open: DeskSeries<M>, ticks: LiveWindow, from: number): Promise<void> | undefined {
    const { timesUs, prices, spreadsBps: spreads, ranges } = ticks;
    for (let i = from; i < timesUs.length && !this.#isClosed; i++) {
      const wait = this.waitFor(open, timesUs[i]);
      if (wait !== undefined) return wait.then(() => this.#push(open, ticks, i));
      this.push(open, timesUs[i], prices[i], spreads?.[i], rangeAt(ranges, i));
    }
    return undefined;
  }

  #compute(open: DeskSeries<M>, due: DueForecast): void {
    const { name, series, model } = open;
    const { plan, n, window, futureUs, memory } = due;
    if (this.#owner.isPast?.(futureUs) === true) {
      series.drop(due);
      return;
    }
    this.#owner.onDue?.(open);
    if (this.#owner.isSlow?.() === true) {
      series.drop(due);
      this.#running.skip(SLOW_CONSUMER);
      return;
    }
    const request = seriesRequest(series, window, futureUs);
    const { accountId, rates } = this.#owner;
    const rated = ratedOf(rates, { accountId, series: name }, request, plan.options);
    const doubt = memory?.barTimeDoubt;
    const use = (forecast: TickForecast): void => {
      if (doubt !== undefined && !open.isDoubted) {
        open.isDoubted = true;
        this.#owner.send(doubtMessage(name, doubt));
      }
      this.#owner.onForecast?.(open, due, forecast);
      this.#owner.send(forecastMessage(name, { id: plan.id, n, window, futureUs, forecast, doubt }));
      rated.add(forecast);
      series.answer(due, forecast);
      open.memory?.storeIfDue?.(series);
    };
    const call = { memory: memory ?? open.memoryUnused, ...plan.options, ...rated.options, model };
    void this.#running.run(
      () => this.#owner.compute(request, call),
      use,
      () => series.drop(due),
    );
  }

  async #ask(message: ClientMessage<'ask'>): Promise<void> {
    const { series: name, horizon, detail } = message;
    const { series, model, memoryUnused } = this.#find(name);
    const horizonMs = durationOf(horizon, '/horizon', series.barPeriodMs);
    const window = series.window(horizonMs);
    if (window === undefined) {
      const text = `The series has ${series.ticks} ticks; a forecast needs ${LEAST_TICKS}.`;
      throw invalidRequest([fieldProblem('/series', 'ticks.too_few', text)]);
    }
    const futureUs = window.timesUs.at(-1)! + horizonMs * US_PER_MS;
    const memory = series.view(horizonMs);
    const request = seriesRequest(series, window, futureUs);
    const options = optionsOf(message);
    if (options.minMoveBps === 'cost' && !(request.spreadBps?.() ?? 0))
      throw costUnknown('/min_move_bps', 'the last ticks of the series have no spread');
    const forecast = await this.#owner.compute(request, { memory: memory ?? memoryUnused, ...options, model, detail: detail === true });
    this.#owner.send(forecastMessage(name, { id: ASK_ID, n: 0, window, futureUs, forecast, doubt: memory?.barTimeDoubt }));
  }

  /** Forecasts of the ticks before this message are in the score. */
  async #score(name: string): Promise<void> {
    const open = this.#find(name);
    await this.#settle();
    this.#owner.send(scoreMessage(open));
  }

  async #settle(): Promise<void> {
    await this.#running.untilIdle();
    this.#running.reportSkipped();
  }

  #find(name: string): DeskSeries<M> {
    const open = this.#series.get(name);
    if (open !== undefined) return open;
    throw invalidRequest([fieldProblem('/series', 'series.unknown', `No series ${quoteValue(name)} is open on this connection.`)]);
  }
}

/** What a series opens with, of what was found of its memory. */
const foundOf = <M extends DeskMemory>(found: M | MemoryReason | undefined): Pick<DeskSeries<M>, 'memory' | 'memoryUnused'> =>
  typeof found === 'string' ? { memory: undefined, memoryUnused: found } : { memory: found, memoryUnused: undefined };

/** The request of a window that ends at the last tick of its series. */
function seriesRequest({ barPeriodMs: periodMs }: Pick<LiveSeries, 'barPeriodMs'>, window: LiveWindow, futureUs: number): TickRequest {
  const { spreadsBps: spreads, ranges } = window;
  return {
    series: window,
    futureUs,
    ...(periodMs === undefined ? {} : { bars: ranges === undefined ? { periodMs } : { periodMs, ranges } }),
    ...(spreads === undefined
      ? {}
      : {
          spreadBps: () => medianSpreadBps(spreads),
          spreadsBps: () => spreads,
          isCrossed: () => spreads.some((spread) => spread < 0),
        }),
  };
}
