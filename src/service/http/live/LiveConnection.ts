import { ratedOf } from '../../../engine/live/ratedOf.ts';
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { ASK_ID, type ClientMessage, type CloseCode, type ServerMessage } from '../../../contract/live.ts';
import { LONGEST_MS } from '../../../contract/duration.ts';
import { fieldProblem, invalidRequest, quoteValue, ServiceError } from '../../../core/ServiceError.ts';
import { MS_PER_SECOND, US_PER_MS } from '../../../core/units.ts';
import { bucketNameOf, LEAST_TICKS, LiveSeries, OutcomeBudget, type ForecastPlan } from '../../../engine/live/LiveSeries.ts';
import type { Tally } from '../../../engine/live/score.ts';
import { dayOf, type RecordKey } from '../../live/TrackRecord.ts';
import { parseCloses } from '../../../ticks/parseCloses.ts';
import { hasVolume } from '../../../ticks/fillers.ts';
import { parseNextBars } from '../../../ticks/parseBarRequest.ts';
import { parseNextTicks } from '../../../ticks/parseTickRequest.ts';
import type { TickForecast } from '../../../engine/forecast/Forecaster.ts';
import { type LiveWindow, rangeAt } from '../../../ticks/TickWindow.ts';
import { spreadsBps, type Timestamps } from '../../../ticks/tickColumns.ts';
import type { TickSeries } from '../../../ticks/TickSeries.ts';
import { MAX_YEAR, writeTimestamp } from '../../../ticks/timestamps.ts';
import { publicError } from '../failures.ts';
import { parseJsonBody } from '../parseJsonBody.ts';
import { closeSocket } from './closeSocket.ts';
import { ConnectionWatch, scoreMessage, type WatchedState } from './ConnectionWatch.ts';
import { LiveForecasts } from './LiveForecasts.ts';
import { LiveOutbox } from './LiveOutbox.ts';
import {
  barsOf,
  doubtMessage,
  durationOf,
  errorMessage,
  forecastMessage,
  type OpenBars,
  openedMessage,
  outcomeMessage,
  plansOf,
  typeOf,
  unknownType,
} from '../../../engine/live/liveMessages.ts';
import { seriesBytes } from '../../../engine/live/seriesBytes.ts';
import { seriesRequest } from '../../../engine/live/seriesRequest.ts';
import { costUnknown, refuseTicksBefore, refuseWithoutCost } from '../../../engine/live/costRules.ts';
import { refuseOtherRanges, wrongMessage } from '../../../engine/live/barRules.ts';
import { optionsOf } from '../../../contract/readOptions.ts';
import { LiveMemory } from './LiveMemory.ts';
import { LiveMarks } from './LiveMarks.ts';
import { FORECAST_BYTES, LEARN_BYTES, STORE_BYTES } from '../../admission/IterationBudget.ts';
import { LIVE_CODES, type LiveCaller, type LiveShared } from './LiveShared.ts';

/** Forecasts that fall due, and ticks that are added, before a connection waits for its place in an iteration. */
const MOST_DUE = 8;
const MOST_PUSHED = 250;
/** Refused messages in a row after which the connection is closed: a client that does not read the errors repeats them without end. */
export const MOST_REFUSED = 100;

/** A series ends before its future timestamps leave the supported years. */
const LAST_US = Date.UTC(MAX_YEAR + 1, 0) * US_PER_MS - LONGEST_MS * US_PER_MS - 1;

type OpenSeries = WatchedState & {
  readonly plans: readonly ForecastPlan[];
  readonly model: string | undefined;
  /** Sent with `open`; undefined after the first tick. */
  closes: TickSeries | undefined;
  memory: LiveMemory | undefined;
  readonly bars: OpenBars | undefined;
  readonly keepsMemory: boolean;
  /** Gives back what it has of the memory for all series. */
  readonly free: () => void;
  /** One of its bars had a volume. */
  hasVolume: boolean;
  /** Its timestamps were doubted, and the client was told. */
  isDoubted: boolean;
};

/** One WebSocket whose caller is known: reads its messages in order, one at a time. */
export class LiveConnection {
  readonly caller: LiveCaller;
  readonly #shared: LiveShared;
  readonly #socket: WebSocket;
  readonly #outbox: LiveOutbox;
  readonly #forecasts: LiveForecasts;
  readonly #budget: OutcomeBudget;
  readonly #series = new Map<string, OpenSeries>();
  /** The last key of each plan of each series. */
  readonly #recordKeys = new WeakMap<ForecastPlan, RecordKey>();
  readonly #inbox: Buffer[] = [];
  readonly #watch: ConnectionWatch;
  #isWorking = false;
  /** Messages that were refused since the last good one. */
  #refused = 0;
  /** Forecasts that fell due, and ticks that were added, since the last wait for an iteration. */
  #due = 0;
  #pushed = 0;
  #isClosed = false;

  /** `stream`: what the socket writes to. `name`: of the connection. */
  constructor(socket: WebSocket, stream: Duplex, caller: LiveCaller, shared: LiveShared, name: string) {
    this.#socket = socket;
    this.#outbox = new LiveOutbox(socket, stream, () => this.end(1013));
    this.caller = caller;
    this.#shared = shared;
    this.#budget = new OutcomeBudget(shared.options.live.pendingOutcomes);
    this.#forecasts = new LiveForecasts(shared, socket, caller.identity, (skipped) =>
      this.#send({ type: 'status', code: 'skipped', detail: 'Forecasts were not made.', skipped }),
    );
    this.#watch = new ConnectionWatch(shared.watch, socket, { keyId: caller.identity.keyId, name }, this.#series);
  }

  /** A frame. Messages are handled in order; while one waits for its forecasts, the socket is not read. */
  receive(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.end(1003);
      return;
    }
    this.#inbox.push(data as Buffer);
    if (this.#isWorking) this.#socket.pause();
    else void this.#work();
  }

  /** The service stops. */
  goAway(): void {
    this.#send({ type: 'status', code: 'going_away', detail: 'The service stops; connect again and send the last ticks again.' });
    this.end(1001);
  }

  end(code: CloseCode): void {
    closeSocket(this.#socket, code, this.#shared.deps.clock);
    this.close();
  }

  /** The socket has closed: what is pending is counted as unscored. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#inbox.length = 0;
    this.#forecasts.close();
    for (const { series, name, memory, free } of this.#series.values()) {
      series.close();
      free();
      void memory?.store(series);
      this.#watch.publish({ type: 'closed', series: name }, true);
    }
    this.#watch.leave();
    if (this.#series.size > 0) this.#shared.parts().trackRecord.storeSoon();
    this.#series.clear();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    // A message that waits for nothing is handled at once, so that those read together with it do not pause the socket.
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      const wait = this.#shared.iterations.take(this.caller.identity.accountId, next.length);
      if (wait !== undefined) await wait;
      if (this.#isClosed) break;
      const handled = this.#read(next);
      if (handled !== undefined) await handled;
    }
    this.#isWorking = false;
    if (!this.#isClosed) this.#socket.resume();
  }

  /** Never throws; undefined: nothing to wait for. */
  #read(bytes: Buffer): Promise<void> | undefined {
    let message: unknown;
    const refuse = (thrown: unknown): void => this.#refuse(thrown, message);
    try {
      message = parseJsonBody(bytes);
      const handled = this.#handle(message)?.then(this.#accepted, refuse);
      if (handled === undefined) this.#accepted();
      return handled;
    } catch (thrown) {
      refuse(thrown);
      return undefined;
    }
  }

  readonly #accepted = (): void => {
    this.#refused = 0;
  };

  #refuse(thrown: unknown, message: unknown): void {
    if (this.#isClosed) return;
    const error = publicError(thrown, LIVE_CODES);
    const id = randomUUID();
    this.#shared.deps.onProblem(error.code);
    if (error.code === 'internal.unexpected') this.#shared.deps.logger.error('live message failed', { id, error: thrown });
    this.#send(errorMessage(error, id, message));
    if (++this.#refused >= MOST_REFUSED) this.end(1008);
  }

  #handle(message: unknown): Promise<void> | undefined {
    const type = typeOf(message);
    if (type === undefined) throw unknownType(message);
    const { live } = this.#shared.deps.checks;
    if (type === 'ticks') return this.#add(live.ticks(message));
    if (type === 'bars') return this.#addBars(live.bars(message));
    if (type === 'ask') return this.#ask(live.ask(message));
    if (type === 'score') return this.#score(live.score(message));
    if (type === 'close') return this.#closeSeries(live.close(message));
    if (type === 'watch') {
      live.watch(message);
      this.#watch.begin();
      this.#send({ type: 'watched', copies: [], dropped: 0 });
      return undefined;
    }
    if (type === 'auth')
      throw invalidRequest([fieldProblem('/type', 'message.type_unknown', 'auth was sent already, or a key is in the header.')]);
    return this.#open(live.open(message));
  }

  async #open(message: ClientMessage<'open'>): Promise<void> {
    const { series: name, forecasts, model, closes: sent } = message;
    const { seriesPerConnection, forecastsPerSeries } = this.#shared.options.live;
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
    if (model !== undefined && this.#shared.parts().models.find(model) === undefined)
      throw new ServiceError('model.unknown', `No model ${quoteValue(model)} is loaded.`);
    const closes = sent === undefined ? undefined : parseCloses(sent, 'closes');
    const marks = new LiveMarks(this.caller.identity.accountId, name, this.#shared.parts().forecastEvents);
    const rateName = { accountId: this.caller.identity.accountId, series: name };
    const keepsMemory = this.#keepsMemory(message);
    const isMeasured = bars === undefined || bars.periodMs !== undefined;
    const free = this.#shared.budget.take(this.caller.identity.accountId, seriesBytes(plans, bars !== undefined));
    this.#shared.iterations.spend(STORE_BYTES);
    let memory: LiveMemory | undefined;
    try {
      memory = keepsMemory && isMeasured ? await this.#readMemory(name, bars?.periodMs ?? 0) : undefined;
    } catch (error) {
      free();
      throw error;
    }
    if (this.#isClosed) return free();
    const open: OpenSeries = {
      ...{
        name,
        plans,
        model,
        closes,
        memory,
        bars,
        keepsMemory,
        free,
        isDoubted: false,
        hasVolume: false,
        since: null,
        opened: undefined,
        toldUs: undefined,
        hasNews: true,
      },
      series: new LiveSeries(
        plans,
        {
          due: (due) => {
            const { plan, n, window, futureUs } = due;
            const doubt = due.memory?.barTimeDoubt;
            this.#due++;
            // Those who watch see the tick of each forecast.
            this.#watch.publishChange(open, false, false);
            const request = seriesRequest(open.series, window, futureUs, this.#shared.parts().models.usesCloses(model));
            const rated = ratedOf(this.#shared.parts().rates, rateName, request, plan.options);
            const wanted = { ...plan.options, ...rated.options, model, memory: due.memory };
            const use = (forecast: TickForecast): void => {
              this.#tellDoubt(open, doubt);
              this.#send(forecastMessage(name, { id: plan.id, n, window, futureUs, forecast, doubt }));
              open.hasNews = true;
              rated.add(forecast);
              marks.answered(due, forecast);
              open.series.answer(due, forecast);
              open.memory?.storeIfDue(open.series);
            };
            void this.#forecasts.run(request, wanted, use, () => open.series.drop(due));
          },
          outcome: (outcome) => {
            open.hasNews = true;
            this.#send(outcomeMessage(name, outcome));
            marks.settled(outcome);
          },
          tally: (plan, version, tally) => this.#record(name, plan, version, tally),
        },
        this.#budget,
        { closes, memory: memory?.memory, bars },
      ),
    };
    this.#series.set(name, open);
    open.opened = openedMessage(message, plans, this.#shared.options.live);
    this.#send(open.opened);
  }

  #keepsMemory({ model, memory, bars }: ClientMessage<'open'>): boolean {
    const { memories, models } = this.#shared.parts();
    return memories !== undefined && memory !== 'off' && models.usesMemory(model, bars !== undefined);
  }

  /**
   * Undefined: nothing of the series is kept. A store that does not answer costs the past of the series, and it is kept no further. Throws
   * ServiceError `request.invalid` for a memory of another kind.
   */
  async #readMemory(series: string, barPeriodMs: number): Promise<LiveMemory | undefined> {
    const { memories } = this.#shared.parts();
    if (memories === undefined) return undefined;
    const key = { accountId: this.caller.identity.accountId, series };
    const read = await memories.read(key, barPeriodMs);
    return read === 'store_unavailable' ? undefined : new LiveMemory(memories, key, read, this.#shared.deps.clock);
  }

  #add(message: ClientMessage<'ticks'>): Promise<void> | undefined {
    const { series: name, Timestamp } = message;
    const open = this.#find(name);
    if (open.bars !== undefined) throw wrongMessage(name, 'bars', 'ticks');
    const ticks = parseNextTicks(Timestamp, 'Price' in message ? message.Price : message, open.series.lastUs);
    if ('Price' in message) refuseWithoutCost(open.plans);
    return this.#continue(open, Timestamp, {
      ...ticks,
      ...('Bid' in message ? { spreadsBps: spreadsBps(message, ticks.timesUs.length) } : {}),
    });
  }

  async #addBars(message: ClientMessage<'bars'>): Promise<void> {
    const { series: name, Timestamp } = message;
    const open = this.#find(name);
    const { bars: opened, series } = open;
    if (opened === undefined) throw wrongMessage(name, 'ticks', 'bars');
    const known = { periodMs: series.barPeriodMs, lastUs: series.lastUs, close: series.lastPrice, hasVolume: open.hasVolume };
    const { series: closes, bars } = parseNextBars(message, opened.barTime, known);
    open.hasVolume ||= message.Volume !== undefined && hasVolume(message.Volume);
    if (closes.timesUs.length === 0) return;
    refuseOtherRanges(series.hasRanges, bars.ranges !== undefined);
    refuseWithoutCost(open.plans, '/Close');
    if (series.barPeriodMs === undefined) {
      const { periodMs } = bars;
      open.memory = open.keepsMemory ? await this.#readMemory(name, periodMs) : undefined;
      if (this.#isClosed) return;
      series.measured(periodMs, open.memory?.memory);
      const detail = `The bars last ${periodMs / MS_PER_SECOND} s.`;
      this.#send({ type: 'status', code: 'bar_period', series: name, detail, bar_period_ms: periodMs });
    }
    await this.#continue(open, Timestamp, { ...closes, ...(bars.ranges === undefined ? {} : { ranges: bars.ranges }) });
  }

  #continue(open: OpenSeries, stamps: Timestamps, ticks: LiveWindow): Promise<void> | undefined {
    const { name, series } = open;
    const { timesUs } = ticks;
    if (timesUs.at(-1)! > LAST_US) {
      const late = timesUs.findIndex((timeUs) => timeUs > LAST_US);
      const detail = `Timestamp[${late}] is ${quoteValue(stamps[late])}; a series ends a day before the year ${MAX_YEAR + 1}.`;
      throw invalidRequest([fieldProblem(`/Timestamp/${late}`, 'timestamp.out_of_range', detail)]);
    }
    refuseTicksBefore(open.closes, timesUs[0]!, stamps[0]!);
    open.closes = undefined;
    open.memory?.changed();
    open.since ??= writeTimestamp(timesUs[0]!);
    if (series.lastUs === undefined && timesUs.length < LEAST_TICKS) {
      const what = open.bars === undefined ? 'ticks' : 'bars';
      const detail = `The series has ${timesUs.length} ${what}; forecasts start at ${LEAST_TICKS}.`;
      this.#send({ type: 'status', code: 'warming_up', series: name, detail });
    }
    return this.#push(series, ticks, 0);
  }

  /** Waits while too many forecasts are in flight or queued, and for the next turn after a number of due ones: those that are skipped wait for nothing. */
  #push(series: LiveSeries, ticks: LiveWindow, from: number): Promise<void> | undefined {
    const { timesUs, prices, spreadsBps: spreads, ranges } = ticks;
    for (let i = from; i < timesUs.length && !this.#isClosed; i++) {
      if (this.#forecasts.isFull) return this.#forecasts.untilFree().then(() => this.#push(series, ticks, i));
      // The same ticks give the same forecasts at any speed.
      if (series.isOwed(timesUs[i]!)) return this.#forecasts.untilIdle().then(() => this.#push(series, ticks, i));
      if (this.#due >= MOST_DUE || ++this.#pushed >= MOST_PUSHED) {
        const bytes = this.#due * FORECAST_BYTES + this.#pushed * LEARN_BYTES;
        this.#due = this.#pushed = 0;
        const wait = this.#shared.iterations.take(this.caller.identity.accountId, bytes);
        if (wait !== undefined) return wait.then(() => this.#push(series, ticks, i));
      }
      series.push(timesUs[i]!, prices[i]!, spreads?.[i], rangeAt(ranges, i));
    }
    return undefined;
  }

  async #ask(asked: ClientMessage<'ask'>): Promise<void> {
    const { series: name, horizon, detail } = asked;
    const { series, model } = this.#find(name);
    const horizonMs = durationOf(horizon, '/horizon', series.barPeriodMs);
    const window = series.window(horizonMs);
    if (window === undefined) {
      const text = `The series has ${series.ticks} ticks; a forecast needs ${LEAST_TICKS}.`;
      throw invalidRequest([fieldProblem('/series', 'ticks.too_few', text)]);
    }
    const lastUs = window.timesUs.at(-1)!;
    const futureUs = lastUs + horizonMs * US_PER_MS;
    const memory = series.view(horizonMs);
    const wanted = { ...optionsOf(asked), model, memory, detail: detail === true };
    const request = seriesRequest(series, window, futureUs, this.#shared.parts().models.usesCloses(model));
    if (wanted.minMoveBps === 'cost' && !(request.spreadBps?.() ?? 0))
      throw costUnknown('/min_move_bps', 'the last ticks of the series have no spread');
    const forecast = await this.#forecasts.compute(request, wanted);
    this.#send(forecastMessage(name, { id: ASK_ID, n: 0, window, futureUs, forecast, doubt: memory?.barTimeDoubt }));
  }

  /** Forecasts of the ticks before this message are in the score. */
  async #score({ series: name }: ClientMessage<'score'>): Promise<void> {
    const open = this.#find(name);
    await this.#forecasts.untilIdle();
    this.#forecasts.reportSkipped();
    this.#send(scoreMessage(open));
  }

  async #closeSeries({ series: name }: ClientMessage<'close'>): Promise<void> {
    const open = this.#find(name);
    await this.#forecasts.untilIdle();
    this.#forecasts.reportSkipped();
    open.series.close();
    open.free();
    this.#series.delete(name);
    this.#shared.iterations.spend(STORE_BYTES);
    await open.memory?.store(open.series);
    this.#shared.parts().trackRecord.storeSoon();
    this.#send(scoreMessage(open));
    this.#watch.publish({ type: 'closed', series: name }, true);
  }

  #find(name: string): OpenSeries {
    const open = this.#series.get(name);
    if (open === undefined)
      throw invalidRequest([fieldProblem('/series', 'series.unknown', `No series ${quoteValue(name)} is open on this connection.`)]);
    return open;
  }

  #record(series: string, plan: ForecastPlan, model: string, tally: Tally): void {
    const { accountId } = this.caller.identity;
    const day = dayOf(this.#shared.deps.clock.nowMs());
    let key = this.#recordKeys.get(plan);
    if (key === undefined || key.model !== model || key.day !== day) {
      key = { accountId, series, model, bucket: bucketNameOf(plan.horizonMs), ownThreshold: plan.options.minMoveBps !== undefined, day };
      this.#recordKeys.set(plan, key);
    }
    this.#shared.parts().trackRecord.add(key, tally);
  }

  /** Once while a series is open. */
  #tellDoubt(open: OpenSeries, doubt: string | undefined): void {
    if (doubt === undefined || open.isDoubted) return;
    open.isDoubted = true;
    this.#send(doubtMessage(open.name, doubt));
  }

  #send(message: ServerMessage): void {
    const text = this.#outbox.send(message);
    if (text !== undefined) this.#watch.copy(message, text);
  }
}
